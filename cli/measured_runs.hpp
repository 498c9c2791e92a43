// Runs that a user has measured, beside what the oracle says of each.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "questions/report/report.hpp"

namespace dodona::cli {

std::vector<Option> measured_options();

/// The runs of --measured that are of this model and machine; notes count the others and say why runs were refused.
void read_measured(Arguments& arguments, const std::string& model, const std::string& machine,
                   questions::report::Report& report);

}  // namespace dodona::cli
