// How the batch follows the number of GPUs: --batch, --batch-per-gpu, or what is usual for the network.
#pragma once

#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/workload.hpp"
#include "search/limits.hpp"

namespace dodona::cli {

/// Puts --batch-per-gpu behind --batch, and says of both what they mean for many numbers of GPUs.
void add_growth_options(std::vector<Option>& options);

/// Without options: images come with the devices, tokens are shared, as default_batch has it.
search::Growth usual_growth(const Workload& workload);

}  // namespace dodona::cli
