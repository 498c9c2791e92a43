// `dodona report`: a sweep over numbers of GPUs as one page.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command report_command();

}  // namespace dodona::cli
