// `dodona predict`: what one plan gives.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command predict_command();

}  // namespace dodona::cli
