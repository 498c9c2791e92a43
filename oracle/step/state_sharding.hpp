// Weights, gradients and optimizer states: their sharding, communication and memory.
//
// A weight is replicated over the axes that are not in its sharding; ZeRO shards states, gradients or parameters over
// some of those.
//
//   none        all-reduce of gradients, once a step
//   states      ZeRO-1: reduce-scatter of gradients and all-gather of weights, once a step (a full gradient is held);
//               all-reduce of gradients where the framework's whole_reduction says so
//   gradients   ZeRO-2: reduce-scatter of gradients every micro-batch (no full gradient held), all-gather once a step
//   parameters  ZeRO-3: all-gather in forward, again in backward unless kept, reduce-scatter, every micro-batch
//
// With a gather group of n ranks (Plan::gather_group) backward gathers from n ranks instead, which keep one more copy of
// the weights, 1/n on each; forward still gathers from all that share the states, and so renews that copy.
//
// Axes over which a gradient is partial but states are not sharded (hybrid sharding, sequence over the tensor axis) are
// all-reduced once a step. A frozen weight has no gradient and no states; only ZeRO-3 communicates it, as it is stored
// (AnswerDotAI/fsdp_qlora gathers quantised weights), and in forward only where no backward pass reads it. A sparse
// gradient (rows of a table) is reduced whole, or, where that is faster and its states are not sharded, by an
// all-gather of the rows that each rank has touched with their 8-byte indices. Ranks that hold copies of a gradient and
// would share a link reduce it jointly. Where a schedule has two copies of the parameters (schedule::Traits), the stages that
// hold them exchange what they have reduced; the time is that between the first stage and the last for all of them. Not
// modelled: states that the copies share. Source: Rajbhandari et al., arXiv:1910.02054, section 5; Zhao et al.,
// arXiv:2304.11277; Wang et al., ZeRO++, arXiv:2306.10209, section 3.2; torch.nn.Embedding(sparse=True); Horovod gathers sparse gradients likewise (Sergeev and Del Balso,
// arXiv:1802.05799).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "step/prediction.hpp"
#include "step/segment_cost.hpp"
#include "step/stages.hpp"

namespace dodona::step {

/// One collective on weights or gradients of a stage.
struct StateTransfer {
    enum class What { gradients, rows, parameters, tied_gradients, copied_gradients, matrices } what = What::gradients;
    cluster::Collective collective = cluster::Collective::all_reduce;
    plan::Atoms atoms = 0;
    std::int64_t ranks = 0;  ///< of the group; 0: all ranks of the atoms
    Bytes size;
    double per_step = 1;
    bool per_pass = false;  ///< runs in every micro-batch and overlaps with its compute
    plan::Phase beside = plan::Phase::backward;
    cost::CollectiveTime time;  ///< of one
};

struct StateBytes {
    Bytes weights, gradients, optimizer;
    friend StateBytes operator+(const StateBytes& a, const StateBytes& b) {
        return {a.weights + b.weights, a.gradients + b.gradients, a.optimizer + b.optimizer};
    }
};

/// One of equal buckets.
constexpr double one_of(std::int64_t buckets) { return 1.0 / static_cast<double>(buckets); }

/// Shares of a stage's exchanges with nothing left to hide behind: at least one of equal buckets, and what the first
/// segment holds, often an embedding. Its gradients are there when backward has ended, and forward begins with its weights.
/// Frameworks keep the weights of the last segment from forward to backward.
struct AloneShares {
    double reduced = 1;
    double gathered = 1;
    double gathered_again = 1;
};

/// Memory of the states of a stage, and the traffic of their update.
struct StateSums {
    StateBytes blocks;         ///< of all layers but ...
    StateBytes token;          ///< ... token layers outside the blocks
    StateBytes largest;        ///< maximum over segment instances, of each
    Bytes updated;             ///< weights that a step changes
    Bytes update_copies;       ///< copies of gradients that the update makes (MemoryTensors)
    Bytes update_temporaries;  ///< ... and other tensors while it runs
    Bytes update_traffic;      ///< memory that the optimizer reads and writes in one step
    Estimate matrices;         ///< arithmetic and gathers of the update of whole matrices (matrix_updates.hpp)
    Bytes matrix_workspace;    ///< while it updates the largest
    Bytes update_gradients;    ///< gradients that the update of the device's share of the states reads
    Bytes update_weights;      ///< ... and weights that it writes
    Bytes gathered;            ///< gathered parameters (ZeRO-3): the most of two neighbours, or all that are kept
    double elements = 0;       ///< local parameters before sharding
    double trained = 0;        ///< of these, those that are not frozen
    std::int64_t buckets = 1;  ///< segment instances with weights: the granularity of overlap
    AloneShares alone;         ///< of their exchange
};

struct StageStates : StateSums {
    std::vector<StateTransfer> transfers;
    std::vector<StateTransfer> matrix_gathers;  ///< part of the update
};

/// Memory of one weight's states as the plan shards them. `changed`: share of the rows that a step touches, if the
/// gradient is kept sparse.
StateBytes state_bytes(const plan::Mesh& mesh, const plan::Plan& plan, const WeightKind& kind,
                       const plan::WeightSize& size, std::optional<double> changed = {});

/// States of a stage and their transfers, without tied_transfers.
StageStates stage_states(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage,
                         std::int64_t microbatches);

/// Returns the first stage that holds a segment.
using Holder = std::function<std::size_t(std::size_t segment)>;

/// The all-reduce of a tied weight's gradient between the stages that hold it, if there are two.
std::vector<StateTransfer> tied_transfers(const CostedGraph& costed, const plan::Plan& plan, const Holder& holder,
                                          std::size_t stage);
std::vector<StateTransfer> tied_transfers(const CostedGraph& costed, const plan::Plan& plan,
                                          const std::vector<Stage>& stages, std::size_t stage);

}  // namespace dodona::step
