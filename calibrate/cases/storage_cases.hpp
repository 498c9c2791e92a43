// The cases that measure the file system of a directory.
#pragma once

#include <string>
#include <vector>

#include "calibrate/cases/case_options.hpp"
#include "calibrate/record/benchmark_case.hpp"

namespace dodona::calibrate {

/// Writing and reading files of several sizes, and creating, looking up and removing small ones, by one and more
/// writers; checkpoints in every format that is written here.
std::vector<Case> storage_cases(const std::string& directory, const CaseOptions& options);

}  // namespace dodona::calibrate
