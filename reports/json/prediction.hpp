// A prediction as JSON: `dodona/predict/1`, and its plan P, which `dodona/plan/1` lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "step/prediction.hpp"

namespace dodona::reports {

using Json = nlohmann::ordered_json;

/// A number as JSON: whole ones without a point, others that are not finite as null.
Json number(double value);

Json bottleneck_json(const step::Bottleneck& bottleneck);

/// P of the schema; `rank` is null outside a ranking.
Json plan_json(const step::Prediction& prediction, std::optional<std::int64_t> rank);

/// The whole document of `dodona predict`.
Json prediction_json(const step::Prediction& prediction);

/// A document as it is printed.
std::string printed(const Json& document);

}  // namespace dodona::reports
