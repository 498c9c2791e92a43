// Answers of the oracle to fixed questions, as records: family, question, key and value. A signature has a hash of each
// family's; changes.py compares those of two revisions. A key is "cause" or "cause: detail": what changed is counted by
// cause. Drawings of questions are each a function.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace dodona::signature {

class Records {
public:
    explicit Records(std::FILE* out) : out_(out) {}

    /// Records that follow belong to this question. `family`: questions whose answers change for the same reasons.
    void ask(std::string family, std::string question) {
        family_ = std::move(family);
        question_ = std::move(question);
    }
    void add(std::string_view key, std::string_view value) {
        fmt::print(out_, "{}\t{}\t{}\t{}\n", family_, question_, key, value);
    }
    /// So many digits that builds of all compilers print the same.
    void add(std::string_view key, double value) { add(key, fmt::format("{:.6g}", value)); }

private:
    std::FILE* out_;
    std::string family_;
    std::string question_;
};

/// Kernels, collectives, algorithms of convolutions and scaled measurements on drawn devices and networks of links.
void add_costs(Records& records);
/// Drawn plans of every strategy on simple machines, and how far the strategy goes.
void add_strategies(Records& records);
/// Drawn plans of many networks with post-training, mixed devices, all kinds of levels and software, tight memory.
void add_networks(Records& records);
/// Built-in networks on built-in machines by the strategies in use, in the software that is usual for them.
void add_built_in(Records& records);

}  // namespace dodona::signature
