// The answer of `dodona plan` as JSON: `dodona/plan/1`.
#pragma once

#include "reports/json/prediction.hpp"
#include "search/answer.hpp"

namespace dodona::reports {

Json answer_json(const search::Answer& answer);

}  // namespace dodona::reports
