// `dodona goodput`: what failures and checkpoints leave of a run's time.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command goodput_command();

}  // namespace dodona::cli
