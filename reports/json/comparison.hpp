// Predicted against measured as JSON: `dodona/validate/1`.
#pragma once

#include <vector>

#include "reports/json/prediction.hpp"
#include "validate/comparison.hpp"

namespace dodona::reports {

/// One run: null where it was refused or nothing was measured.
Json run_json(const validate::RunResult& row);

Json comparison_json(const validate::Comparison& comparison);

}  // namespace dodona::reports
