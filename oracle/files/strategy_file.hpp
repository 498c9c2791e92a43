// Strategies.
#pragma once

#include <vector>

#include "files/description.hpp"
#include "plan/strategy.hpp"

namespace dodona::files {

template <>
const Description& description<plan::Strategy>();
template <>
const Description& description<plan::Match>();

/// What layers a list is about: layers by name (plan::layers_named), or what `match` of a rule has.
struct LayerMatch {
    std::string layer;  ///< empty: `match` counts
    plan::Match match;
};
template <>
const Description& description<LayerMatch>();

std::vector<LayerMatch> layer_matches(const std::vector<plan::Match>& matches);
std::vector<plan::Match> matches_of(const std::vector<LayerMatch>& layers);

/// A member that is a std::vector<plan::Match> stands in files as such a list.
ValueType layers_type();

/// Reads such a list.
std::vector<plan::Match> read_matches(const Value& value);

/// Throws InputError with every fault found.
plan::Strategy read_strategy(Document document);

}  // namespace dodona::files
