// `dodona check`: are these files right?
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command check_command();

}  // namespace dodona::cli
