// `dodona compare A B ...`: strategies, machines, models or plans side by side.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command compare_command();

}  // namespace dodona::cli
