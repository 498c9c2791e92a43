// Descriptions of a prediction and its parts, for every answer that has one: JSON and the schema of that follow.
#pragma once

#include <string>
#include <utility>

#include "base/estimate.hpp"
#include "files/description.hpp"
#include "step/kept_tensors.hpp"
#include "step/prediction.hpp"

namespace dodona::files {

/// A step with its interval.
template <>
const Description& description<Estimate>();
template <>
const Description& description<step::Bottleneck>();
template <>
const Description& description<step::Epoch>();
template <>
const Description& description<step::KeptLine>();
/// A plan with its prediction, outside a ranking.
template <>
const Description& description<step::Prediction>();
/// An option with its value, as they were given.
template <>
const Description& description<std::pair<std::string, std::string>>();

/// Keys of a plan with its prediction but its rank, of a step::Prediction.
const Description& unranked_plan();

/// Seconds by part, of a step::TimeParts.
ValueType time_parts();

}  // namespace dodona::files
