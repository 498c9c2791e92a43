// `dodona frameworks`: the frameworks that come with dodona, or one with all its parameters.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command frameworks_command();

}  // namespace dodona::cli
