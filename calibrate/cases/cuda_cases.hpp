// The cases that measure a GPU unless the user asks for others.
//
// Products in the precisions of training, with shapes whose tiles fill the multiprocessors and shapes whose tiles do
// not, so that tile and wave quantisation can be separated from bandwidth; convolutions of residual networks; attention
// as transformers have it; passes from cache-sized to memory-sized; streams from 4 KB to 4 GB, which show both the
// cache and memory.
#pragma once

#include <vector>

#include "calibrate/cases/case_list.hpp"
#include "calibrate/record/benchmark_case.hpp"

namespace dodona::calibrate {

/// `devices`: GPUs of this host; collectives and messages are asked for where there are two or more.
/// About 400 cases; about 60 quick ones.
std::vector<Case> cuda_cases(const CaseOptions& options, int devices = 1);

/// Each benchmark, direction and precision once, small, with `check: 1`: its result is compared with the host's, and
/// nothing is timed.
std::vector<Case> cuda_check_cases(int devices = 1);

}  // namespace dodona::calibrate
