// `dodona simulate`: the step of one plan, played task by task.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command simulate_command();

}  // namespace dodona::cli
