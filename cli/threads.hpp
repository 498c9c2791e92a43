// `dodona threads`: a network's forward pass on a CPU, so many operators at once on so many threads each.
#pragma once

#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "questions/threads/threads.hpp"

namespace dodona::cli {

/// Of the network, the machine and what its threads cost; without those of output.
std::vector<Option> threads_options();
questions::threads::Question read_threads_question(Arguments& arguments);

Command threads_command();

}  // namespace dodona::cli
