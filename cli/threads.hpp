// `dodona threads`: a network's forward pass on a CPU, so many operators at once on so many threads each.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command threads_command();

}  // namespace dodona::cli
