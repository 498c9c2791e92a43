// Whether a plan is one that people run: where its strategy is in use, as the strategy's file says (`search: usual`).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "search/filter.hpp"

namespace dodona::search {

/// A strategy with a network, on nodes of so many devices.
class CommonPractice {
public:
    CommonPractice(const plan::Strategy& strategy, const graph::Graph& graph, std::int64_t node);

    /// Whether the strategy is in use for such networks at all.
    [[nodiscard]] bool strategy() const { return in_use_; }
    /// What is unusual about a plan of the strategy, in words: "context 31 is no power of two". Sizes that the user has
    /// set are not.
    [[nodiscard]] std::vector<std::string> faults(const plan::Plan& plan, const Filter& filter) const;

private:
    [[nodiscard]] std::string fault(const std::string& axis, plan::UsualSizes sizes, std::int64_t size) const;
    [[nodiscard]] std::int64_t ways(const plan::Plan& plan, const std::string& dimension) const;

    const plan::Strategy& strategy_;
    bool in_use_ = true;
    std::int64_t node_ = 1;
    std::int64_t blocks_ = 0;
    std::map<std::string, std::int64_t> longest_;  ///< by dimension: those of `usual.extents` and `usual.leaves`
};

}  // namespace dodona::search
