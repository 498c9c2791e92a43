// `dodona trials run`: runs the trials of a study, under the scheduler that predicts them.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command trials_run_command();

}  // namespace dodona::cli
