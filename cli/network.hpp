// --network, --degrade and --kill: transfers of a simulated step as flows.
#pragma once

#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "play/flow_step.hpp"

namespace dodona::cli {

struct Network {
    bool flows = false;
    std::vector<play::DegradedPart> degraded;
};

std::vector<Option> network_options();
Network read_network(Arguments& arguments);

}  // namespace dodona::cli
