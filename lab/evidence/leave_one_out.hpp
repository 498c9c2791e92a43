// Mean errors of groups of runs, each predicted with parameters that were fitted to other groups only: the file that
// `dodona-evidence fit frameworks` writes and `dodona-evidence accuracy page` reads.
#pragma once

#include <map>
#include <string>

#include "base/diagnostic.hpp"

namespace dodona::calibrate {

/// By group: mean of |predicted / measured - 1|.
std::map<std::string, double> load_left_out(const std::string& path, const Location& where);

void write_left_out(const std::string& path, const std::map<std::string, double>& errors);

}  // namespace dodona::calibrate
