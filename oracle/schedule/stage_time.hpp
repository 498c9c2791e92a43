// The time of one stage: one micro-batch's passes, and what its states cost in a step.
#pragma once

#include "schedule/prediction.hpp"
#include "schedule/stages.hpp"
#include "schedule/state_sharding.hpp"

namespace dodona::schedule {

/// One micro-batch through one instance of a unit, as recomputation and overlap of a plan leave it.
struct UnitPass {
    PassCost forward;
    PassCost backward;
    PassCost recompute;
};

UnitPass unit_pass(const UnitCost& unit, const plan::Plan& plan);

/// How long a device waits in a pass for a host that needs `host` to start all its kernels: what a smooth maximum
/// (host^q + device^q)^(1/q) is longer than the device. The host runs ahead while the device is busy, but where both
/// take as long each waits for the other in turn. On
/// the 662 layouts of 2 to 8 A100 of VIA-Research/vTrain q = 4 misses by 7.6 %, q = 8 by 8.2 %.
inline constexpr double kHostSharpness = 4;
Seconds host_wait(Seconds host, Seconds device);

/// The share of a pass that such a host decides, as a derivative of what host and device take together by the logarithm
/// of the host's time: (host / both)^q.
double host_share(Seconds host, Seconds device);

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

ExposedStates exposed_states(const std::vector<StateTransfer>& transfers, const StagePass& pass,
                             const StateSteps& steps);

}  // namespace dodona::schedule
