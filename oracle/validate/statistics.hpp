// How good predictions are, over a group of runs. Ratios, not percent; nothing where there is nothing to say.
#pragma once

#include <span>
#include <string>

#include "validate/comparison.hpp"

namespace dodona::validate {

/// Over the runs of a group that were predicted and have a measured time; error = predicted / measured - 1.
Statistics statistics(const std::string& group, std::span<const RunResult* const> results);

}  // namespace dodona::validate
