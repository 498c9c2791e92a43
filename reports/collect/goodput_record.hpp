// The answer of `dodona goodput` as a record: `dodona/goodput/1`.
#pragma once

#include "reliability/goodput.hpp"
#include "reports/document/record.hpp"

namespace dodona::reports {

Record goodput_record(const reliability::Goodput& answer);

/// The parts of a run's time in closed form, as long as the run that is simulated.
reliability::RunTime expected_run(const reliability::Goodput& answer);

}  // namespace dodona::reports
