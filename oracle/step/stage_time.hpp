// The time of one stage: the passes of one micro-batch, and the exchange of states in a step.
#pragma once

#include "cost/dual_time.hpp"
#include "step/prediction.hpp"
#include "step/stages.hpp"
#include "step/state_lanes.hpp"

namespace dodona::step {

/// The passes of one micro-batch through one instance of a segment, under the plan's recomputation and overlap.
struct SegmentPass {
    PassCost forward;
    PassCost backward;
    PassCost recompute;
};

SegmentPass segment_pass(const SegmentCost& segment, const plan::Plan& plan);

/// Forward work that is recomputed in backward, before overlap.
PassCost recomputed(const SegmentCost& segment, plan::RecomputeKind recompute);

/// Whether a collective of a segment's forward pass is part of what is recomputed.
bool runs_again(const TimedTransfer& transfer, const SegmentCost& segment, const plan::Plan& plan);

/// Number of instances of a segment that run again in backward, where the plan recomputes.
std::int64_t repeated(const CostedGraph& costed, const plan::Plan& plan, const VirtualStage& part, std::size_t segment);
std::int64_t repeated(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage, std::size_t segment);

/// A PassCost without intervals, for the search.
struct PassSeconds {
    Seconds compute;
    Seconds layer;
    Seconds exchanged;
    Seconds halo;
    Seconds weight_gradients;  ///< of `compute`
    double launches = 0;
    [[nodiscard]] Seconds total() const { return compute + layer + halo; }
    PassSeconds& operator+=(const PassSeconds& other);
    friend PassSeconds operator*(double ratio, const PassSeconds& pass);
};
PassSeconds seconds_of(const PassCost& cost);

/// Overlap of collectives within a pass: the time that may hide, the compute to hide behind, and the time hidden.
struct HiddenLayers {
    Seconds may;
    Seconds window;
    [[nodiscard]] Seconds hidden() const { return min(may, window); }
};
HiddenLayers hidden_layers(const PassSeconds& pass, const plan::Plan& plan);

/// Collectives of a pass that hide behind the opposite pass of another micro-batch where both run as a pair, and the
/// compute that such a pass offers in turn.
struct Hideable {
    cost::DualTime exchanged;  ///< all-to-alls, unless they hide within a pass already (Overlap::expert)
    cost::DualTime window;
};
Hideable hideable(const PassCost& pass, const plan::Plan& plan);

/// By how much two passes are shorter as a pair.
cost::DualTime hidden_in_pair(const Hideable& a, const Hideable& b, const plan::Plan& plan);

/// The pass without hidden time, and with the interference that hiding causes.
PassSeconds overlapped(PassSeconds pass, const plan::Plan& plan);

/// Host-bound time of a pass whose kernels the host needs `host` to start: the smooth maximum (host^q + device^q)^(1/q)
/// less the device time. The host runs ahead while the device is busy; where both take equally long, each waits for the
/// other now and then. q = 4 misses the 662 layouts of 2 to 8 A100 of VIA-Research/vTrain by 7.6 %, q = 8 by 8.2 %.
inline constexpr double kHostSharpness = 4;
Seconds host_wait(Seconds host, Seconds device);

/// Share of the host in such a pass: d log(time) / d log(host) = (host / both)^q.
double host_share(Seconds host, Seconds device);

/// Waiting times of a pass of one micro-batch.
struct PassWaits {
    Seconds host;             ///< host-bound time of the forward pass
    Seconds host_back;        ///< ... of backward and recompute
    Seconds host_needs;       ///< host time to start the kernels of the forward pass
    Seconds host_needs_back;  ///< ... and of backward and recompute
    Seconds overhead;         ///< stragglers
};
PassWaits pass_waits(const PassSeconds& forward, const PassSeconds& backward, const PassSeconds& recompute,
                     const plan::Framework& framework, std::int64_t devices);

/// Kernels and collectives of a pass of one micro-batch.
struct PassTotals {
    Seconds forward;
    Seconds back;  ///< recomputation included
};

/// Copies of a pass to and from the host, and what of them shows.
struct HostCopies {
    Seconds busy;
    double alone = 1;  ///< share with nothing left to hide behind
    bool hides = false;
    Seconds time;  ///< exposed
};

/// Copies to and from the host that a pass of one micro-batch does not hide.
struct PassCopies {
    HostCopies forward;
    HostCopies back;
    [[nodiscard]] PassTotals totals() const { return {forward.time, back.time}; }
};

/// The same with all that a stage waits for: the host, stragglers, copies to and from the host.
PassTotals with_waits(const PassTotals& alone, const PassWaits& waits, const PassTotals& copies);

/// A receive of a stage from the previous one, or of the gradient sent back.
struct Boundary {
    Incoming arriving;
    Seconds time;  ///< gather on arrival included
    cost::CollectiveTime send;
    cost::CollectiveTime gather;  ///< among the receivers
};

/// The passes of one micro-batch through all virtual stages of a stage.
struct StagePass {
    PassCost forward;
    PassCost backward;
    PassCost recompute;  ///< recomputed forward work with its collectives
    Boundary boundary;   ///< one receive from the previous stage: mean of the virtual stages
    PassWaits waits;
    PassCopies copies;
    [[nodiscard]] PassTotals alone() const {
        return {forward.total().value, (backward.total() + recompute.total()).value};
    }
    [[nodiscard]] PassTotals totals() const { return with_waits(alone(), waits, copies.totals()); }
    [[nodiscard]] Seconds total() const { return totals().forward + totals().back; }
};

/// The passes of a stage with all that they wait for, by source of error.
struct SourcedPasses {
    cost::DualTime forward;
    cost::DualTime back;
};
SourcedPasses sourced_passes(const StagePass& pass);
/// ... but for copies.
SourcedPasses passes_without_copies(const StagePass& pass);

/// The group of a send between a stage and the previous one: a pair of neighbours where these are as close as the first
/// two, else the whole axis, which crosses every level that any neighbours cross. Stage 0 receives from the last stage
/// (virtual stages).
cluster::Group neighbours(const CostedGraph& costed, plan::Atoms axis, std::size_t index);

/// `between`: the neighbours.
Boundary boundary_of(const CostedGraph& costed, const plan::Plan& plan, const Incoming& arriving,
                     const cluster::Group& between);

/// `index`: of the stage in its pipeline.
StagePass stage_pass(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage, std::size_t index);

/// Exposed time of state transfers in a step.
struct ExposedStates {
    Seconds gradients;
    Seconds parameters;
    Seconds gradients_busy;
    Seconds parameters_busy;
    Seconds interference;       ///< compute lost to hidden transfers
    cost::StepTimes by_source;  ///< derivatives of gradients + parameters + interference
};

/// What the exposed time of a stage's state transfers depends on.
struct StateSteps {
    const cluster::Cluster& cluster;
    const plan::Plan& plan;
    std::int64_t microbatches = 1;
    AloneShares alone;
};

ExposedStates exposed_states(const std::vector<StateTransfer>& transfers, const StagePass& pass,
                             const StateSteps& steps);

}  // namespace dodona::step
