// Predicted against measured, as a record: `dodona/validate/1`.
#pragma once

#include "reports/document/record.hpp"
#include "validate/comparison.hpp"

namespace dodona::reports {

/// One run: null where it was refused or nothing was measured.
Record run_record(const validate::RunResult& row);

Record comparison_record(const validate::Comparison& comparison);

}  // namespace dodona::reports
