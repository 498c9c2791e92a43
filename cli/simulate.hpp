// `dodona simulate`: what one plan gives.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command simulate_command();

}  // namespace dodona::cli
