// Protocols of links fitted to measured collectives: hardware/links.
#pragma once

#include <string>
#include <vector>

namespace dodona::calibrate {

struct LinkFitOptions {
    std::string tables;              ///< the folder of measured collectives
    std::string out;                 ///< the folder of the link files
    std::vector<std::string> names;  ///< only these links; empty: all of links.cpp
};

/// Writes the link files. Throws InputError for a link that links.cpp does not have.
void fit_links(const LinkFitOptions& options);

}  // namespace dodona::calibrate
