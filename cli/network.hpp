// --network, --degrade, --kill and --jobs: transfers of a simulated step as flows.
#pragma once

#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "play/flow_step.hpp"

namespace dodona::cli {

struct Network {
    bool flows = false;
    play::NetworkConditions conditions;
};

std::vector<Option> network_options();
Network read_network(Arguments& arguments);

}  // namespace dodona::cli
