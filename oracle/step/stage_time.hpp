// The time of one stage: one micro-batch's passes, and what its states cost in a step.
#pragma once

#include "step/prediction.hpp"
#include "step/stages.hpp"
#include "step/state_sharding.hpp"

namespace dodona::step {

/// One micro-batch through one instance of a segment, as recomputation and overlap of a plan leave it.
struct SegmentPass {
    PassCost forward;
    PassCost backward;
    PassCost recompute;
};

SegmentPass segment_pass(const SegmentCost& segment, const plan::Plan& plan);

/// Forward work that backward repeats, before any overlap.
PassCost recomputed(const SegmentCost& segment, plan::RecomputeKind recompute);

/// One direction of a segment or a stage without its intervals: what a search compares plans by.
struct PassSeconds {
    Seconds compute;
    Seconds layer;
    Seconds exchanged;
    Seconds halo;
    double launches = 0;
    [[nodiscard]] Seconds total() const { return compute + layer + halo; }
    PassSeconds& operator+=(const PassSeconds& other);
    friend PassSeconds operator*(double ratio, const PassSeconds& pass);
};
PassSeconds seconds_of(const PassCost& cost);

/// Of collectives inside a pass, how much may hide, how much has room behind kernels, and how much does hide.
struct HiddenLayers {
    Seconds may;
    Seconds window;
    [[nodiscard]] Seconds hidden() const { return min(may, window); }
};
HiddenLayers hidden_layers(const PassSeconds& pass, const plan::Plan& plan);

/// With what overlap hides taken away and what that costs kernels added.
PassSeconds overlapped(PassSeconds pass, const plan::Plan& plan);

/// How long a device waits in a pass for a host that needs `host` to start all its kernels: what a smooth maximum
/// (host^q + device^q)^(1/q) is longer than the device. The host runs ahead while the device is busy, but where both
/// take as long each waits for the other in turn. On
/// the 662 layouts of 2 to 8 A100 of VIA-Research/vTrain q = 4 misses by 7.6 %, q = 8 by 8.2 %.
inline constexpr double kHostSharpness = 4;
Seconds host_wait(Seconds host, Seconds device);

/// The share of a pass that such a host decides, as a derivative of what host and device take together by the logarithm
/// of the host's time: (host / both)^q.
double host_share(Seconds host, Seconds device);

/// What devices wait for in a pass of one micro-batch.
struct PassWaits {
    Seconds host;             ///< devices wait for the host to start kernels
    Seconds host_needs;       ///< to start the kernels of the forward pass
    Seconds host_needs_back;  ///< ... and of backward and recompute
    Seconds overhead;         ///< stragglers
};
PassWaits pass_waits(const PassSeconds& forward, const PassSeconds& backward, const PassSeconds& recompute,
                     const plan::Framework& framework, std::int64_t devices);

/// One micro-batch through all chunks of a stage.
struct StagePass {
    PassCost forward;
    PassCost backward;
    PassCost recompute;           ///< forward work repeated in backward, with its collectives
    Seconds boundary;             ///< one transfer from the stage before, one way, gather on arrival included
    Incoming arriving;            ///< its bytes
    cost::CollectiveTime send;    ///< of `boundary`: between stages
    cost::CollectiveTime gather;  ///< of `boundary`: among the receivers
    Seconds offload;              ///< copies to and from the host that nothing hides
    Seconds host;                 ///< devices wait for the host to start kernels
    Seconds host_needs;           ///< to start the kernels of the forward pass
    Seconds host_needs_back;      ///< ... and of backward and recompute
    Seconds overhead;             ///< stragglers
    [[nodiscard]] Estimate total() const {
        return forward.total() + backward.total() + recompute.total() + Estimate::exactly(offload + host + overhead);
    }
};

/// A transfer into a stage from the one before it, one way.
struct Boundary {
    Seconds time;
    cost::CollectiveTime send;
    cost::CollectiveTime gather;
};

/// Ranks of a stage and of the one before it: a pair of neighbours where those lie as close as the first two do, else
/// the whole axis, which crosses every level that any of its neighbours cross. Stage 0 receives from the last (chunks).
cluster::Group neighbours(const CostedGraph& costed, plan::Atoms axis, std::size_t index);

/// `between`: the neighbours.
Boundary boundary_of(const CostedGraph& costed, const plan::Plan& plan, const Incoming& arriving,
                     const cluster::Group& between);

/// `index`: of the stage; what it receives from the stage before crosses the levels that lie between those two.
StagePass stage_pass(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage, std::size_t index);

/// What state transfers add to a step beyond what compute hides.
struct ExposedStates {
    Seconds gradients;   ///< exposed
    Seconds parameters;  ///< exposed
    Seconds gradients_busy;
    Seconds parameters_busy;
    Seconds interference;       ///< compute lost while these hide behind it
    cost::StepTimes by_source;  ///< derivatives of gradients + parameters + interference
};

/// Seconds of state transfers that run beside the same pass: they compete for it and add up.
struct StateLanes {
    Seconds gathered_once;   ///< parameters, beside the first forward pass
    Seconds gathered;        ///< ... beside every forward pass
    Seconds gathered_again;  ///< ... beside every backward pass
    Seconds reduced_once;    ///< gradients, beside the last backward pass
    Seconds reduced;         ///< ... beside every one
    [[nodiscard]] Seconds parameters(std::int64_t microbatches) const {
        return gathered_once + static_cast<double>(microbatches) * (gathered + gathered_again);
    }
    [[nodiscard]] Seconds gradients(std::int64_t microbatches) const {
        return reduced_once + static_cast<double>(microbatches) * reduced;
    }
    StateLanes& operator+=(const StateLanes& other);
};
/// The lane that a transfer runs in.
Seconds StateLanes::*lane_of(const StateTransfer& transfer);

/// With overlap, a transfer of n buckets beside a window of compute w shows max(t/n, t - w (1 - 1/n)): the last bucket
/// has nothing left to hide behind. Without, all of it shows.
Seconds exposed(Seconds transfer, Seconds window, std::int64_t buckets, bool overlapped);

/// What decides how much of its state transfers a stage shows.
struct StateSteps {
    const cluster::Cluster& cluster;
    const plan::Plan& plan;
    std::int64_t microbatches = 1;
    std::int64_t buckets = 1;
};

/// What shows of a transfer, and its derivatives by the transfer and by the window.
struct Shown {
    Seconds time;
    double by_transfer = 1;
    double by_window = 0;
    Shown(Seconds transfer, Seconds window, std::int64_t buckets, bool overlapped);
};

/// What shows of the lanes of one stage. Gathers for backward and reductions share the backward window; gathers come
/// first.
struct ShownLanes {
    Shown once, forward, again;
    Seconds left;  ///< of the backward window, for reductions
    Shown every, last;
    Seconds gradients;
    Seconds parameters;
    Seconds interference;  ///< compute lost while the rest hides behind it
    /// Windows: what kernels of a forward pass, and of a backward pass with what it repeats, leave to hide behind.
    ShownLanes(const StateLanes& lanes, Seconds forward_window, Seconds backward_window, const plan::Plan& plan,
               std::int64_t microbatches, std::int64_t buckets);
};

ExposedStates exposed_states(const std::vector<StateTransfer>& transfers, const StagePass& pass,
                             const StateSteps& steps);

}  // namespace dodona::step
