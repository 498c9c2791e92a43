// `dodona validate`: predictions against a table of measured runs.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command validate_command();

}  // namespace dodona::cli
