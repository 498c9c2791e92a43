// Free parameters of frameworks fitted to published runs: software/*/NAME.yaml and lab/evidence/frameworks.
#pragma once

#include <string>
#include <vector>

namespace dodona::calibrate {

struct FrameworkFitOptions {
    std::string runs;                     ///< the table of runs
    std::string data;                     ///< holds oracle/, models/ and hardware/
    std::string conventions;              ///< of the table; they say which runs a framework ran
    std::vector<std::string> frameworks;  ///< only these; empty: all that the conventions name
    std::string held_out;                 ///< file of errors by fits without each group; empty: no such fits
    bool write = false;                   ///< the framework files anew; without, `held_out` takes them as they are
    bool verbose = false;                 ///< print every step
};

void fit_frameworks(const FrameworkFitOptions& options);

}  // namespace dodona::calibrate
