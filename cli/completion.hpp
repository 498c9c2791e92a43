// Completion of command lines in bash, zsh and fish. The shells run `dodona __complete WORDS...`, which answers from the
// same lists of options as the parser and `--help`.
#pragma once

#include <string>
#include <vector>

#include "cli/option.hpp"

namespace dodona::cli {

/// What the last of the words could become, given the words before it; none where the shell should offer files.
/// `words`: without the program's name.
std::vector<std::string> completions(std::vector<std::string> words);

/// `dodona completion SHELL`: prints the script that a shell loads.
Command completion_command();

}  // namespace dodona::cli
