// `dodona limits`: how far each strategy goes, and what sets it.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command limits_command();

}  // namespace dodona::cli
