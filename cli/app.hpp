// CLI11's App of a command, made from its table: it reads the words, and help, man page and completion walk over it. CLI11
// itself is included in parse.cpp and help.cpp only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/option.hpp"

namespace CLI {
class App;
}

namespace dodona::cli {

/// Its positionals, options and switches with their groups, `--help` and `--config`. Nothing is required there: commands
/// say themselves what is missing, all of it together.
std::shared_ptr<CLI::App> app_of(const Command& command);

/// "gpipe|1f1b|interleaved-1f1b": the choices; nothing of "N" or "AXIS=SIZE,...".
std::vector<std::string> choices_in(const std::string& value);

}  // namespace dodona::cli
