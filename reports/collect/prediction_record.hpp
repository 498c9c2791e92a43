// A prediction as a record: `dodona/predict/1`, and its plan P, which `dodona/plan/1` lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/document/record.hpp"
#include "step/prediction.hpp"

namespace dodona::reports {

/// P of the schema; `rank` is null outside a ranking.
Record plan_record(const step::Prediction& prediction, std::optional<std::int64_t> rank);

/// All of `dodona predict` but what is asked in addition.
Record prediction_record(const step::Prediction& prediction);

/// Options as they were given, as (option, value).
Record settings_record(const std::vector<std::pair<std::string, std::string>>& settings);

}  // namespace dodona::reports
