// What the ranks of each stage do in a simulated step, before it is known which rank: the rules are execution_trace.hpp's.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "play/simulated_step.hpp"
#include "play/step_communication.hpp"
#include "reports/document/execution_trace.hpp"

namespace dodona::reports {

/// A node of a trace before it is known which rank it is of.
struct StageOperation {
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
struct GroupOfStage {
    cluster::Group group;
    std::int32_t stage = 0;
    std::int32_t partner = -1;
    std::strong_ordering operator<=>(const GroupOfStage&) const = default;
};

struct StageOperations {
    std::vector<StageOperation> operations;
    std::vector<GroupOfStage> groups;
};

/// Of each stage, in an order in which each operation follows those that it depends on.
std::vector<StageOperations> operations_by_stage(const play::SimulatedStep& step,
                                                 const play::StepCommunication& communication);

}  // namespace dodona::reports
