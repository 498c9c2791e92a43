// `dodona diff`: two reports compared.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command diff_command();

}  // namespace dodona::cli
