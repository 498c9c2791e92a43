// How large a job fits: the largest batch, or the largest value of a parameter of the network, whose best plan meets
// the goals on given devices.
//
// What is larger mostly needs more memory, but not always: 4 heads split where 5 do not. So values are not bisected.
// From where the question starts they double until three doublings fail in a row (values that make no network do not
// count); then the gap above the largest that
// does is looked at in sixteenths, the gap above that again, and so on down to single steps. The answer is the largest
// of the values looked at; what is beyond it and was looked at fails, each for the reason that is given.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "search/attempt.hpp"

namespace dodona::search {

/// A job of one size, or why there is none (a width that its heads do not divide).
struct JobAtValue {
    graph::Graph graph;
    Space space;
    Goals goals;  ///< in samples of this network
};
using MakeJob = std::function<std::variant<JobAtValue, std::string>(std::int64_t value)>;

struct LargestQuestion {
    MakeJob job;
    std::int64_t start = 1;  ///< a value that makes sense: the parameter's own
    std::int64_t step = 1;   ///< values looked at are multiples of it, and `start`
    std::int64_t most = 1;   ///< no value beyond this one is looked at
};

/// A value that makes no network.
struct InvalidValue {
    std::int64_t value = 0;
    std::string why_not;
};

struct Largest {
    std::vector<Attempt> attempts;   ///< by value, ascending
    std::vector<InvalidValue> none;  ///< by value, ascending
    std::optional<std::size_t> found;
    std::int64_t step = 1;
    std::int64_t most = 1;
    double parameters = 0;  ///< of the network of that size
    bool complete = true;   ///< false: stopped before all was looked at

    [[nodiscard]] const Attempt* answer() const { return found ? &attempts[*found] : nullptr; }
    /// The smallest value looked at that is larger than the answer; there is none where `most` does.
    [[nodiscard]] const Attempt* beyond() const;
};

/// `progress`: values settled, values likely in all.
Largest largest(const cluster::Cluster& cluster, const LargestQuestion& question, const Progress& progress = {});

}  // namespace dodona::search
