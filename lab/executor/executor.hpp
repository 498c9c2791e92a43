// Runs operators that wait for each other on k workers of n threads each.
//
// A worker is a thread with an arena of oneTBB of n slots, its own among them: it takes the operator that has been ready
// longest, as threads/list_schedule.hpp does, and runs its n parts side by side in the arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/quantity.hpp"
#include "threads/list_schedule.hpp"
#include "threads/prediction.hpp"

namespace dodona::calibrate {

/// Runs one of the parts of an operator.
using RunPart = std::function<void(std::size_t number, std::int64_t part, std::int64_t parts)>;

/// Operators that run with one setting, after those of the sections before have ended.
struct RunSection {
    threads::Part part;
    threads::Setting setting;
};

/// Times of `passes` over all sections, one after the other; threads are started before the first, which does not count.
/// `order`: numbers of operators by depth.
std::vector<Seconds> run_passes(const threads::OperatorGraph& graph, const std::vector<std::size_t>& order,
                                const std::vector<RunSection>& sections, const RunPart& run, int passes);

}  // namespace dodona::calibrate
