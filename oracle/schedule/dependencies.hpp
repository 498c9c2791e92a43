// What the tasks of an order wait for, as one list that a single pass can play.
//
// A forward pass waits for the forward pass at the position before, a backward pass (B or I) for the one at the position
// after, at the last position for its own forward pass; gradients of weights (W) wait for those of inputs. Besides, each
// task waits for the task before it on its stage. The list is resolved once for an order and played with any durations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/order.hpp"

namespace dodona::schedule {

/// A task in an order in which everything that it waits for comes before it.
struct Step {
    std::int32_t task = 0;  ///< index in the order, stage after stage
    std::int32_t stage = 0;
    std::int32_t producer = -1;  ///< task of another stage or position that it waits for; -1: only those of its stage
    std::int32_t duration = 0;   ///< row of the durations: kind * positions + position
    std::int32_t transfer =
        -1;                     ///< boundary k, between positions k and k + 1, that its result crosses to another stage
    std::int32_t receipt = -1;  ///< boundary that what it waits for crosses from another stage
    bool is_backward = false;   ///< direction of both transfers
    bool overlaps_next = false;  ///< a forward pass that runs together with the next step, a backward pass
};

/// A stage that cannot go on.
struct BlockedStage {
    std::int32_t stage = 0;
    Task task;
    Task needs;                    ///< what the task waits for
    std::int32_t needs_stage = 0;  ///< the stage that runs it, or should
};

struct Dependencies {
    std::int32_t stages = 0;
    std::int32_t positions = 0;
    std::vector<Step> steps;            ///< every task once; fewer if stages are blocked
    std::vector<std::int32_t> by_task;  ///< index of the step of each task; -1: blocked
    std::vector<BlockedStage> blocked;  ///< in the order of stages; empty: the order runs to its end
};

Dependencies resolve(const Order& order);

/// "stage 0 waits at 0B0 for 1B0 of stage 1; stage 1 waits ..."
std::string to_text(const std::vector<BlockedStage>& blocked);

}  // namespace dodona::schedule
