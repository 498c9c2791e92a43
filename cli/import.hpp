// `dodona import`: what others describe, as files of Dodona.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command import_command();

}  // namespace dodona::cli
