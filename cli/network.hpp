// --network, --degrade, --kill, --jobs and --beside: transfers of a simulated step as flows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/asked_plan.hpp"
#include "cli/option.hpp"
#include "play/flow_step.hpp"

namespace dodona::cli {

/// A job beside the one that is asked about.
struct OtherJob {
    std::string model;
    std::string plan;  ///< a file
};

struct Network {
    bool flows = false;
    play::NetworkConditions conditions;
    std::int64_t jobs = 1;  ///< like the one that is asked about, itself included
    std::vector<OtherJob> beside;
};

std::vector<Option> network_options();
Network read_network(Arguments& arguments);

/// Plays a step of the plan that is asked about as flows. Throws InputError for plans beside it that do not run.
void play_on_network(const Network& network, const AskedPlan& asked, play::SimulatedStep& step);

}  // namespace dodona::cli
