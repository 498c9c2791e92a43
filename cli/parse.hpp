// Words of the command line -> arguments of one command, and its `--help`. The only file that knows CLI11.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"

namespace dodona::cli {

/// Throws InputError for words that the command does not know; `commands` are searched for who knows them.
Arguments parse(const Command& command, const std::vector<std::string>& words, std::span<const Command> commands);

std::string help(const Command& command);

}  // namespace dodona::cli
