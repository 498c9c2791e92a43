// `dodona explorer`: a page in which the reader changes the question and sees the answer.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command explorer_command();

}  // namespace dodona::cli
