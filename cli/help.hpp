// What a command says of itself, from a walk over its App: `--help`, its section of the man page, completion.
#pragma once

#include <string>
#include <vector>

#include "cli/option.hpp"

namespace dodona::cli {

/// "dodona plan MODEL --machine M --gpus N [OPTIONS]".
std::string usage(const Command& command);

/// Which options `--help` lists; `--help all` lists all.
enum class HelpOf { common, all };
std::string help(const Command& command, HelpOf options);

/// Its options in the man macros of roff.
std::string man_section(const Command& command);

/// Which options, choices and names that come with dodona the last of the words could become, given those before it.
std::vector<std::string> candidates(const Command& command, std::vector<std::string> words);

}  // namespace dodona::cli
