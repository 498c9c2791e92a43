// What an answer hangs on, as JSON: `explanation` of `dodona/plan/1` and `dodona/predict/1`.
#pragma once

#include "reports/json/prediction.hpp"
#include "search/explanation.hpp"

namespace dodona::reports {

Json explanation_json(const search::Explanation& explanation);

}  // namespace dodona::reports
