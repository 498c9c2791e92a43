#include "plan/strategy_traits.hpp"

#include <algorithm>
#include <string_view>

#include "base/ranges.hpp"

namespace dodona::plan {

namespace {

bool names(const std::vector<std::string>& axes, const std::string& axis) { return contains(axes, axis); }

/// Whether one of the rules lays the dimension on the axis.
bool lays(const Strategy& strategy, std::string_view dimension, const std::string& axis) {
    const auto here = [&](const Lay& lay) { return lay.dimension == dimension && names(lay.axes, axis); };
    return std::any_of(strategy.everywhere.begin(), strategy.everywhere.end(), here) ||
           std::any_of(strategy.rules.begin(), strategy.rules.end(),
                       [&](const Rule& rule) { return std::any_of(rule.lay.begin(), rule.lay.end(), here); });
}

}  // namespace

bool splits_sequence_between_products(const Strategy& strategy, const std::string& axis) {
    return lays(strategy, "sequence", axis) &&
           (lays(strategy, "out_feature", axis) || lays(strategy, "in_feature", axis));
}

ContextExchange context_exchange(const Strategy& strategy, const std::string& axis) {
    if (any_of(strategy.rules, [&](const Rule& rule) { return names(rule.stream, axis); })) {
        return ContextExchange::ring;
    }
    if (lays(strategy, "query", axis)) {
        return ContextExchange::all_gather;  // heads on the same axis are those of layers that scan
    }
    return lays(strategy, "head", axis) ? ContextExchange::all_to_all : ContextExchange::none;
}

}  // namespace dodona::plan
