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

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "play/simulated_step.hpp"
#include "play/step_communication.hpp"
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

    /// A node before it is known which rank it is of.
    struct Operation {
        TraceNodeKind kind = TraceNodeKind::compute;
        std::string name;
        Seconds start;
        Seconds duration;
        std::vector<std::size_t> data;
        std::vector<std::size_t> order;
        Bytes size;
        std::size_t group = 0;   ///< of the stage's groups, for collectives and transfers to neighbours
        std::int32_t stage = 0;  ///< of a send or receive without an offset: the other stage
        int offset = 0;          ///< of a send or receive within the group: how far the other member is
        bool wraps = false;      ///< the last member is a neighbour of the first
        std::int64_t tag = 0;
    };

    /// A kind of group, or the pairs of two stages.
    struct GroupKind {
        cluster::Group group;
        std::int32_t stage = 0;
        std::int32_t partner = -1;
        std::strong_ordering operator<=>(const GroupKind&) const = default;
    };

    struct StageOperations {
        std::vector<Operation> operations;
        std::vector<GroupKind> groups;
    };

private:
    [[nodiscard]] std::vector<std::int64_t> members(const GroupKind& kind, std::int64_t rank) const;

    play::StepCommunication communication_;
    std::int64_t ranks_ = 1;
    std::vector<StageOperations> stages_;
    std::map<std::vector<std::int64_t>, std::int64_t> numbers_;  ///< of groups, by their members
};

}  // namespace dodona::reports
