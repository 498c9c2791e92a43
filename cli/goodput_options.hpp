// The options of `dodona goodput` beside those of a plan: work, checkpoints, failures.
#pragma once

#include <vector>

#include "cli/arguments.hpp"
#include "cli/goals.hpp"
#include "cli/option.hpp"
#include "cli/workload.hpp"
#include "reliability/goodput.hpp"

namespace dodona::cli {

std::vector<Option> goodput_options();

/// What can be read before machine and model are known.
struct GoodputSettings {
    GoalSettings goals;
    reliability::CheckpointSettings checkpoint;  ///< its rates are those of the command line
    std::optional<BytesPerSecond> copy, write, read;
    reliability::AskedInterval every;
    std::vector<reliability::Component> components;
    std::string failure_source;
    std::optional<Seconds> restart;
    std::optional<reliability::Spares> spares;
    std::optional<Power> power;
    int runs = 200;
    std::uint64_t seed = 1;
};

GoodputSettings read_goodput_settings(Arguments& arguments);

/// Completed by the machine's storage and host, with a sentence for each number that is assumed. Faults where a rate is
/// not known. Prices of the command line take the place of the machine's.
reliability::GoodputQuestion goodput_question(Arguments& arguments, const GoodputSettings& settings,
                                              Workload& workload);

}  // namespace dodona::cli
