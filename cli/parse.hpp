// Words of the command line, and of the file of --config -> arguments of one command. CLI11 reads them; what it cannot read
// becomes our located faults, with what was probably meant.
//
// Accepted: `--name value`, `--name=value`, `-n value`, `-nvalue`, switches, positionals anywhere, and `--` before words
// that are no options. A file has lines `name = value`; what is typed goes before what it says.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"

namespace dodona::cli {

/// Throws InputError for words that the command does not know; `commands` are searched for one that knows them. Where help
/// is asked for, the arguments are "--help" only, with the word behind it.
Arguments parse(const Command& command, const std::vector<std::string>& words, std::span<const Command> commands);

}  // namespace dodona::cli
