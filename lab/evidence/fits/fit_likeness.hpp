// How alike the errors of a user's runs are (step/likeness.hpp), from published runs.
//
// The likeliest variance v, likeness, and parts of a layout and of a run for the errors e of each user's runs, on which
// nothing is known but that they are normal with the covariance v C:
//
//   log p = -1/2 sum over users (e' (v C)^-1 e + log det (v C))
//   C     correlations of runs: 1 for a run itself, else (1 - run part) j, or (1 - layout part) j of another layout
//
// Users whose errors are 30 % or more (root mean square) are left out: what is wrong there is more than an error.
#pragma once

#include <string>

namespace dodona::calibrate {

struct LikenessFitOptions {
    std::string runs;         ///< the table of runs
    std::string data;         ///< holds oracle/, models/ and hardware/
    std::string conventions;  ///< of the table
};

/// Prints the likeliest values.
void fit_likeness(const LikenessFitOptions& options);

}  // namespace dodona::calibrate
