// A table of settings of workers and threads that somebody ran, a line each.
#pragma once

#include <string>
#include <vector>

#include "threads/measured_settings.hpp"

namespace dodona::cli {

/// Columns `workers`, `threads` and `median_s`; with `lower_s` and `upper_s` the quartiles of the passes; with `network`
/// only lines of that one count. Other columns are the table's own. Throws InputError with every fault, where two lines
/// are of one setting, and where no line is of the network.
std::vector<threads::MeasuredSetting> load_measured_settings(const std::string& path, const std::string& network);

}  // namespace dodona::cli
