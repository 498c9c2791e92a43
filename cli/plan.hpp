// `dodona plan`: which parallelism fits.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command plan_command();

}  // namespace dodona::cli
