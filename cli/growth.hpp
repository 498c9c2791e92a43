// How the batch follows the number of GPUs, as words: --batch and --batch-per-gpu.
#pragma once

#include <vector>

#include "cli/option.hpp"

namespace dodona::cli {

/// Puts --batch-per-gpu, of a table of options, behind --batch, and says of both what they mean for many numbers of GPUs.
void add_growth_options(std::vector<Option>& options, const std::vector<Option>& of_question);

}  // namespace dodona::cli
