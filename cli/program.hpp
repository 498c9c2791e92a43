// The commands of `dodona`, chosen by the first word.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/option.hpp"

namespace dodona::cli {

std::span<const Command> commands();

/// Runs one command line (without the program's own name) and returns its exit code.
int run(const std::vector<std::string>& words);

/// The same of one command, given the words after its name. `others` are searched for options that it does not know.
int run_command(const Command& command, const std::vector<std::string>& words, std::span<const Command> others);

}  // namespace dodona::cli
