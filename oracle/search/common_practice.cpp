#include "search/common_practice.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/ranges.hpp"

namespace dodona::search {

namespace {

bool power_of_two(std::int64_t n) { return (n & (n - 1)) == 0; }

/// Extent of the longest loop of that name.
std::int64_t longest(const graph::Graph& graph, const std::string& dimension) {
    std::int64_t most = 0;
    for (const graph::Layer& layer : graph.layers) {
        const int loop = layer.nest.loop(dimension);
        if (loop != graph::kNoLoop) {
            most = std::max(most, layer.nest.loops[static_cast<std::size_t>(loop)].extent);
        }
    }
    return most;
}

}  // namespace

CommonPractice::CommonPractice(const plan::Strategy& strategy, const graph::Graph& graph, std::int64_t node)
    : strategy_(strategy), node_(node), blocks_(graph.block_count()) {
    const plan::Usual& usual = strategy.considered.usual;
    for (const auto* const extents : {&usual.extents, &usual.leaves}) {
        for (const auto& [dimension, extent] : *extents) {
            longest_[dimension] = longest(graph, dimension);
        }
    }
    const bool long_enough = usual.extents.empty() || any_of(usual.extents, [&](const auto& wanted) {
                                 return longest_.at(wanted.first) >= wanted.second;
                             });
    in_use_ = usual.ever && long_enough;
}

std::string CommonPractice::fault(const std::string& axis, plan::UsualSizes sizes, std::int64_t size) const {
    using plan::UsualSizes;
    if (sizes == UsualSizes::node) {
        return size > node_ ? fmt::format("{} {} reaches beyond a node of {}", axis, size, node_)
               : !power_of_two(size) && node_ % size != 0
                   ? fmt::format("{} {} is no power of two and does not divide a node", axis, size)
                   : "";
    }
    if (power_of_two(size)) {
        return "";
    }
    if (sizes == UsualSizes::powers_of_two) {
        return fmt::format("{} {} is no power of two", axis, size);
    }
    for (std::int64_t counted = blocks_; blocks_ > 0 && counted <= blocks_ + 2; ++counted) {
        if (counted % size == 0) {
            return "";
        }
    }
    return blocks_ > 0 ? fmt::format("{} {} does not divide {} blocks", axis, size, blocks_)
                       : fmt::format("{} {} is no power of two", axis, size);
}

/// Ranks over which the strategy's rules split a dimension, where a layer is split over all axes that any rule names.
std::int64_t CommonPractice::ways(const plan::Plan& plan, const std::string& dimension) const {
    std::set<std::string> axes;
    const auto add = [&](const std::vector<plan::Lay>& lays) {
        for (const plan::Lay& lay : lays) {
            if (lay.dimension == dimension) {
                axes.insert(lay.axes.begin(), lay.axes.end());
            }
        }
    };
    add(strategy_.everywhere);
    for (const plan::Rule& rule : strategy_.rules) {
        add(rule.lay);
    }
    std::int64_t ways = 1;
    for (const std::string& axis : axes) {
        ways *= plan.axis_size(axis);
    }
    return ways;
}

std::vector<std::string> CommonPractice::faults(const plan::Plan& plan, const Filter& filter) const {
    std::vector<std::string> found;
    if (!in_use_) {
        found.push_back(fmt::format("{} is not in use for such networks", strategy_.name));
    }
    const plan::Usual& usual = strategy_.considered.usual;
    for (const auto& [axis, sizes] : usual.sizes) {
        const std::string what = filter.sets(axis) ? "" : fault(axis, sizes, plan.axis_size(axis));
        if (!what.empty()) {
            found.push_back(what);
        }
    }
    for (const auto& [dimension, least] : usual.leaves) {
        const std::int64_t split = ways(plan, dimension);
        if (split > 1 && longest_.at(dimension) < least * split) {
            found.push_back(fmt::format("{} {} split {} ways leaves fewer than {} on each rank", dimension,
                                        longest_.at(dimension), split, least));
        }
    }
    return found;
}

}  // namespace dodona::search
