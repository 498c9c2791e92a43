// Errors that other programs publish for groups of runs.
#pragma once

#include <string>
#include <vector>

#include "files/document.hpp"

namespace dodona::files {

struct PeerError {
    std::string group;  ///< of a table of runs; "*" at the end stands for any text
    std::string peer;
    double error = 0;  ///< mean of |predicted / measured - 1|
    bool of_memory = false;
    std::string over;  ///< which runs, where they are not those of the group
    std::string source;
};

std::vector<PeerError> read_peers(Document document);

}  // namespace dodona::files
