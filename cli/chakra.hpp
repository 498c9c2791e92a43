// --chakra: a simulated step as execution traces, one file a rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/workload.hpp"
#include "play/simulated_step.hpp"

namespace dodona::cli {

struct ChakraTraces {
    std::string folder;  ///< empty: none are asked for
    std::optional<std::int64_t> ranks;
};

std::vector<Option> chakra_options();
ChakraTraces read_chakra(Arguments& arguments);

/// step.RANK.et for each rank and groups.json, each whole or not at all. False after Ctrl-C, which keeps those that
/// are written. Throws InputError for traces that are too large.
bool write_chakra(const ChakraTraces& asked, const Workload& workload, const play::SimulatedStep& step);

}  // namespace dodona::cli
