// What the rules of a strategy do, whatever it is called.
#pragma once

#include <array>
#include <string>

#include "base/enumeration.hpp"
#include "plan/strategy.hpp"

namespace dodona::plan {

/// Sequence parallelism: an axis that splits the features of products splits the sequence of other layers.
/// Source: Korthikanti et al. (arXiv:2205.05198), section 4.2.2.
bool splits_sequence_between_products(const Strategy& strategy, const std::string& axis);

/// How attention sees the whole sequence where an axis splits it.
enum class ContextExchange { none, ring, all_gather, all_to_all };
inline constexpr std::array kContextExchangeTable{
    Enumerator(ContextExchange::none, "none", "the axis does not split attention"),
    Enumerator(ContextExchange::ring, "ring", "keys and values go round a ring"),
    Enumerator(ContextExchange::all_gather, "all_gather", "keys and values are gathered"),
    Enumerator(ContextExchange::all_to_all, "all_to_all", "the axis splits heads instead of the sequence")};
constexpr const auto& enumerators(ContextExchange /*type*/) { return kContextExchangeTable; }

ContextExchange context_exchange(const Strategy& strategy, const std::string& axis);

}  // namespace dodona::plan
