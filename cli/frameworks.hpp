// `dodona software`: the training software that dodona knows, or one piece with all its parameters.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command frameworks_command();

}  // namespace dodona::cli
