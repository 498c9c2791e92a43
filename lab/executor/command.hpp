// The command line of dodona-threads: an LSTM that really runs with every setting of workers and threads, beside what
// `dodona threads` predicts.
#pragma once

#include "cli/option.hpp"

namespace dodona::calibrate {

cli::Command executor_command();

}  // namespace dodona::calibrate
