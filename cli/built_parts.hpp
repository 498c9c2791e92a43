// Files that a build makes only when it is asked to: scripts of charts, the module of the explorer.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace dodona::cli {

struct BuiltParts {
    const char* variable;  ///< of the environment, whose folder is the only one looked in if it is set
    std::string folder;    ///< beside the program, and where data are
    std::span<const char* const> names;
};

/// The contents of all files, in order, of the first folder that has them; empty where none does.
std::vector<std::string> built_parts(const BuiltParts& parts);

}  // namespace dodona::cli
