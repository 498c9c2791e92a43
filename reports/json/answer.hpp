// The answer of `dodona plan` as JSON: `dodona/plan/1`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/json/prediction.hpp"
#include "search/answer.hpp"

namespace dodona::reports {

/// P for each plan, ranked, with how sure it is that the first is faster.
Json ranking_json(const std::vector<step::Prediction>& plans);

/// Options as they were given, as (option, value).
Json settings_json(const std::vector<std::pair<std::string, std::string>>& settings);

Json answer_json(const search::Answer& answer);

}  // namespace dodona::reports
