// The cases that each back end measures unless the user asks for others.
#pragma once

#include <string>
#include <vector>

#include "calibrate/cases/case_list.hpp"
#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

struct GeneralCases {
    std::string backend;
    Environment environment;  ///< of that back end
    CaseOptions options;
    int threads = 1;        ///< of a CPU
    std::string directory;  ///< where storage is measured
};

/// The file system of a directory: writing and reading files of several sizes, and creating, looking up and removing
/// small ones, by one and more writers; checkpoints in every format that is written here.
std::vector<Case> storage_cases(const std::string& directory, const CaseOptions& options);

/// Whether what a back end found is a GPU, whose kernels run on no threads.
bool is_gpu(const Environment& environment);

std::vector<Case> general_cases(const GeneralCases& asked);

/// Cases that a network needs besides its own kernels: passes without a benchmark of their own, launches, and the
/// largest product of each precision, which shows the peak of the device.
std::vector<Case> beside_model_cases(const GeneralCases& asked);

}  // namespace dodona::calibrate
