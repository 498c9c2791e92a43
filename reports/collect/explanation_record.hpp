// What an answer is sensitive to, as a record: `explanation` of `dodona/plan/1` and `dodona/predict/1`.
#pragma once

#include "reports/document/record.hpp"
#include "search/explanation.hpp"

namespace dodona::reports {

Record explanation_record(const search::Explanation& explanation);

}  // namespace dodona::reports
