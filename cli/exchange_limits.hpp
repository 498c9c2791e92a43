// `dodona limits --exchange`: how many devices keep an efficiency when their replicas agree in another way.
#pragma once

#include <optional>

#include "cli/arguments.hpp"
#include "cli/output.hpp"
#include "cli/workload.hpp"
#include "search/limits.hpp"

namespace dodona::cli {

/// Exit code 1 if nothing fits. `growth`: how the batch follows the devices.
int run_exchange_limits(Arguments& arguments, const Output& output, const Workload& workload,
                        const search::Growth& growth, std::optional<double> efficiency);

}  // namespace dodona::cli
