// What each task of a plan's pipeline takes, for playing its schedule.
//
// The pipeline is that of the replica that finishes last; a stage is one device, since the ranks of its other axes do the
// same at the same time. Positions are the parts of the network in forward order, one for each virtual stage: position k
// is on stage k mod p. Costs are those of the closed form (replica.hpp), so that both differ by the schedule only: host-bound
// time and stragglers of a stage are dealt to its positions by their kernel time, copies to and from the host too.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "step/prediction.hpp"

namespace dodona::step {

/// One micro-batch at one position, collectives of its layers included.
struct PositionCost {
    Seconds forward;
    Seconds recompute;
    Seconds backward;
    Seconds weight_gradients;  ///< of `backward`: what a schedule may put off
    Seconds receive;           ///< of its input from the position before, and of the gradient sent back; 0 at the first
};

/// What a stage does after its last backward pass.
struct StageTail {
    Seconds gradients;   ///< exposed reduction
    Seconds optimizer;   ///< update, with exposed copies to and from the host
    Seconds parameters;  ///< exposed gathers
    Seconds overhead;    ///< compute lost to hidden transfers
    [[nodiscard]] Seconds total() const { return gradients + optimizer + parameters + overhead; }
};

struct PipelineCosts {
    std::int64_t microbatches = 1;
    std::vector<PositionCost> positions;
    std::vector<StageTail> tails;  ///< by stage
    bool transfers_overlap =
        false;        ///< pipeline send/recv runs beside compute; else a stage waits for what it receives
    Seconds outside;  ///< once a step, beside the pipeline: input and the framework's fixed time
};

struct CostedPlan {
    Prediction prediction;  ///< in closed form
    PipelineCosts costs;    ///< empty where the prediction's `runs` is false
};

/// As `predict` (predict.hpp), with the costs of the tasks.
CostedPlan cost_plan(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                     const Location& where = {});

}  // namespace dodona::step
