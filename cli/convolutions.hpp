// `largest MODEL batch --convolutions`: which algorithms the memory that each batch leaves allows.
#pragma once

#include <optional>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/workload.hpp"
#include "reports/collect/convolutions_report.hpp"
#include "search/convolution_choice.hpp"
#include "search/largest.hpp"

namespace dodona::cli {

Option convolutions_option();

/// None without --convolutions.
std::optional<search::Workspaces> read_convolutions(Arguments& arguments);

/// The batches that fit, with algorithms chosen for each. Throws InputError where the network has no convolutions.
reports::ConvolutionAnswer convolution_choices(search::Workspaces workspaces, const Workload& workload,
                                               const search::Largest& found);

/// Batches with the time and the memory of the algorithms chosen. `answer` is about them.
search::Largest with_algorithms(search::Largest found, const reports::ConvolutionAnswer& answer);

}  // namespace dodona::cli
