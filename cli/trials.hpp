// `dodona trials`: how long a study of many trials takes.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command trials_command();

}  // namespace dodona::cli
