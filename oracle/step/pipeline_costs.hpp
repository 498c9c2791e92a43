// What each task of a plan's pipeline takes, for playing its schedule.
//
// The pipeline is that of the replica that finishes last; a stage is one device, since the ranks of its other axes do the
// same at the same time. Positions are the parts of the network in forward order, one for each virtual stage, where the
// schedule places them (schedule::Places). Costs are those of the closed form (replica.hpp), so that both differ by the schedule only: host-bound
// time and stragglers of a stage are dealt to its positions by their kernel time, copies to and from the host too.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/mesh.hpp"
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
    // Collectives of layers, as part of the pass:
    Seconds forward_links;
    Seconds recompute_links;
    Seconds backward_links;
    Seconds hidden;          ///< Position::hidden
    Bytes kept;              ///< on the device for the backward pass; 0 where activations are offloaded
    Bytes kept_for_weights;  ///< after gradients of inputs, where those of weights are put off; likewise
};

/// What a stage does after its last backward pass.
struct StageTail {
    Seconds gradients;   ///< exposed reduction
    Seconds optimizer;   ///< update, with exposed copies to and from the host
    Seconds parameters;  ///< exposed gathers
    Seconds overhead;    ///< compute lost to hidden transfers
    [[nodiscard]] Seconds total() const { return gradients + optimizer + parameters + overhead; }
};

/// Tensors of a stage by how long they are there.
struct StageMemory {
    MemoryTotals predicted;  ///< peak in closed form
    Bytes limit;             ///< of its device
    Bytes always;            ///< for the whole step: states, buffers, workspace
    Bytes recompute_peak;    ///< dropped activations, while they are recomputed and used
    double unusable = 0;     ///< what the allocator has reserved and cannot use, over tensors that come and go
};

/// How samples reach the devices (input_time.hpp), busy times of a step. Without noise all but `fixed` is in
/// PipelineCosts::outside as far as it is exposed.
struct InputCosts {
    Seconds reading;          ///< from storage, by the node with most samples
    bool prefetched = false;  ///< reading runs beside the steps before
    Seconds decoding;         ///< by hosts, beside the step before
    Seconds feeding;          ///< by the training process
    Seconds fixed;            ///< of the framework, once a step
    Bytes staged;             ///< of a sample, read and written in its host's memory
};

struct PipelineCosts {
    std::int64_t microbatches = 1;
    std::vector<PositionCost> positions;
    std::vector<StageTail> tails;     ///< by stage
    std::vector<StageMemory> memory;  ///< by stage
    bool transfers_overlap =
        false;        ///< pipeline send/recv runs beside compute; else a stage waits for what it receives
    Seconds outside;  ///< once a step, beside the pipeline: input and the framework's fixed time
    InputCosts input;
    plan::Atoms replicas = 0;  ///< of the mesh: data ranks that synchronise once a step only
};

struct CostedPlan {
    Prediction prediction;  ///< in closed form
    PipelineCosts costs;    ///< empty where the prediction's `runs` is false
};

/// As `predict` (predict.hpp), with the costs of the tasks.
CostedPlan cost_plan(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                     const Location& where = {});

}  // namespace dodona::step
