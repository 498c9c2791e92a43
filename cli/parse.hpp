// Words of the command line -> arguments of one command, and its `--help`.
//
// Accepted: `--name value`, `--name=value`, `-n value`, `-nvalue`, switches, positionals anywhere, and `--` before words
// that are no options.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"

namespace dodona::cli {

/// Throws InputError for words that the command does not know; `commands` are searched for one that knows them.
Arguments parse(const Command& command, const std::vector<std::string>& words, std::span<const Command> commands);

/// "dodona plan MODEL --machine M --gpus N [OPTIONS]".
std::string usage(const Command& command);

/// Which options `--help` lists; `--help all` lists all.
enum class HelpOf { common, all };
std::string help(const Command& command, HelpOf options);

}  // namespace dodona::cli
