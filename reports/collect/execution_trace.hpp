// What each rank does in a simulated step, as a graph of compute and communication for other simulators.
//
// Every pass is the compute of its segments, each with the collectives of its layers after it; compute is what the step
// has beside exposed collectives, dealt to segments by their kernels. Collectives follow each other and compute, unless the
// plan hides them: then compute goes on, and the end of the pass waits. Sends are buffered; a receive is posted one pass
// ahead where transfers run beside compute. Hidden exchanges of gradients and weights go in one part for each segment that
// holds weights. Stages wait for each other's gradients in an all-reduce of their norm (4 bytes) before the update.
//
// A trace says what communicates and when it may start; how long that takes is for its reader to say. The durations of
// communication are those of the tables, for readers that replay.
// Not in it: memory, kernels apart, collectives between the kernels of one segment.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "play/simulated_step.hpp"
#include "play/step_communication.hpp"
#include "reports/collect/stage_operations.hpp"
#include "reports/document/execution_trace.hpp"

namespace dodona::reports {

class ExecutionTrace {
public:
    ExecutionTrace(const play::SimulatedStep& step, const play::StepCommunication& communication);

    [[nodiscard]] std::int64_t ranks() const { return ranks_; }
    /// Of the ranks below `ranks` together; of a rank at the end of a spatial split somewhat more than it has.
    [[nodiscard]] std::int64_t nodes(std::int64_t ranks) const;
    /// In an order in which each follows those that it depends on.
    [[nodiscard]] std::vector<TraceNode> of_rank(std::int64_t rank) const;
    /// All groups of the ranks below `ranks`; each rank's own order of calls is that of its nodes.
    [[nodiscard]] std::vector<TraceGroup> groups(std::int64_t ranks) const;

private:
    [[nodiscard]] std::vector<std::int64_t> members(const GroupOfStage& kind, std::int64_t rank) const;

    play::StepCommunication communication_;
    std::int64_t ranks_ = 1;
    std::vector<StageOperations> stages_;
    std::map<std::vector<std::int64_t>, std::int64_t> numbers_;  ///< of groups, by their members
};

}  // namespace dodona::reports
