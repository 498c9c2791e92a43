// `dodona size`: how many devices a job needs, and on which machine.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command size_command();

}  // namespace dodona::cli
