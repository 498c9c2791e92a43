// A prediction as a record: `dodona/predict/1`.
#pragma once

#include "reports/document/record.hpp"
#include "step/prediction.hpp"

namespace dodona::reports {

/// All of `dodona predict` but what is asked in addition.
Record prediction_record(const step::Prediction& prediction);

}  // namespace dodona::reports
