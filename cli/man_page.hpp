// The man page of dodona, from the same lists of commands and options as the parser and `--help`.
#pragma once

#include <span>
#include <string>

#include "cli/option.hpp"

namespace dodona::cli {

/// In the man macros of roff.
std::string man_page(std::span<const Command> commands);

}  // namespace dodona::cli
