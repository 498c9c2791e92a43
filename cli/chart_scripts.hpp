// The scripts that draw the charts of HTML pages. They are no part of the program: a build fetches them when it is asked to.
#pragma once

#include <string>

#include "cli/output.hpp"

namespace dodona::cli {

/// One after another; empty where they are not there. Looked for in $DODONA_REPORT_SCRIPTS, beside the program
/// (reports/assets) and where data are.
std::string chart_scripts();

/// Throws Missing, with what to do, where the output is an HTML page and the scripts are not there.
void require_chart_scripts(const Output& output);

}  // namespace dodona::cli
