// Mean errors that other programs publish for groups of runs.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"

namespace dodona::calibrate {

struct PeerError {
    std::string group;  ///< of a table of runs
    std::string peer;   ///< the program
    double error = 0;   ///< mean of |predicted / measured - 1|
    bool of_memory = false;
    std::string over;  ///< which runs, where they are not those of the group
    std::string source;
};

std::vector<PeerError> load_peers(const std::string& path, const Location& where);

}  // namespace dodona::calibrate
