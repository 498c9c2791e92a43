// A plan: all decisions on how a network is trained on a cluster.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/precision.hpp"
#include "cluster/cluster.hpp"
#include "plan/framework.hpp"
#include "plan/memory_profile.hpp"
#include "plan/offload.hpp"
#include "plan/optimizer.hpp"
#include "plan/strategy.hpp"
#include "schedule/schedule.hpp"

namespace dodona::plan {

struct MeshAxis {
    std::string name;
    std::int64_t size = 1;
    std::strong_ordering operator<=>(const MeshAxis&) const = default;
};

/// An axis that reuses ranks of other axes instead of adding devices: the innermost `size` ranks of their product.
struct Fold {
    std::string name;
    std::vector<std::string> of;
    std::int64_t size = 0;
    std::optional<std::string> apart_from = std::nullopt;  ///< an earlier fold whose ranks are left out
};

/// Domains of so many devices that the ranks of all folds span.
std::int64_t domains_of_folds(const std::vector<Fold>& folds, std::int64_t domain);

using schedule::kScheduleTable;
using schedule::name;
using schedule::Places;
using schedule::schedule_from;
using schedule::schedule_of;
using schedule::ScheduleKind;
/// Whether a rank may have several virtual stages.
constexpr bool has_virtual_stages(ScheduleKind kind) { return schedule_of(kind).traits.virtual_stages.most > 1; }
/// Whether gradients of weights are computed apart from those of inputs.
constexpr bool splits_backward(ScheduleKind kind) { return schedule_of(kind).traits.splits_backward; }
/// Whether forward passes of one micro-batch run together with backward passes of another.
constexpr bool overlaps_pairs(ScheduleKind kind) { return schedule_of(kind).traits.overlaps_pairs; }

enum class RecomputeKind { none, selective, full, every, layers };
inline constexpr std::array kRecomputeTable{
    Enumerator(RecomputeKind::none, "none", "everything that backward reads is kept"),
    Enumerator(RecomputeKind::selective, "selective", "the core of attention runs again in backward"),
    Enumerator(RecomputeKind::full, "full", "a block keeps its input only and runs again in backward"),
    Enumerator(
        RecomputeKind::every, "every",
        "every so many blocks keep one input: of n blocks ceil(n/k) inputs are kept, and k blocks run again at a "
        "time"),
    Enumerator(RecomputeKind::layers, "layers",
               "modules of the software, or layers by name or operator, keep nothing, results included, and run again "
               "in backward")};
constexpr const auto& enumerators(RecomputeKind /*type*/) { return kRecomputeTable; }
constexpr std::string_view name(RecomputeKind kind) { return name_of(kind); }
constexpr std::optional<RecomputeKind> recompute_from(std::string_view name) { return value_of<RecomputeKind>(name); }

struct Overlap {
    bool gradients = false;   ///< gradient reduction behind the last backward pass
    bool parameters = false;  ///< parameter gathers behind compute
    bool tensor = false;      ///< TP and CP communication behind the compute of its own layer
    bool pipeline = false;    ///< pipeline send/recv behind compute
    bool expert = false;      ///< EP communication behind the compute of its own layer
    bool offload = false;     ///< copies to and from the host behind compute
};

inline constexpr std::array<FlagName<Overlap>, 6> kOverlapNames{{
    {"gradients", &Overlap::gradients, "gradient reduction behind the last backward pass"},
    {"parameters", &Overlap::parameters, "gathers of parameters behind compute"},
    {"tensor", &Overlap::tensor, "TP and CP communication behind the compute of its own layer"},
    {"pipeline", &Overlap::pipeline, "pipeline send/recv behind compute"},
    {"expert", &Overlap::expert, "EP communication behind the compute of its own layer"},
    {"offload", &Overlap::offload, "copies to and from the host behind compute"},
}};
/// Names of the flags that are set, in order.
std::vector<std::string> words(const Overlap& overlap);

/// The blocks of a virtual stage that recomputation `full` repeats. Sources: NVIDIA/Megatron-LM:
/// megatron/core/transformer/transformer_block.py, recompute_method block; pytorch/torchtitan v0.2.2:
/// torchtitan/distributed/activation_checkpoint.py, selective_ac_option.
struct RepeatedBlocks {
    std::int64_t first = 0;   ///< these of each virtual stage only; 0: all
    std::int64_t one_in = 1;  ///< of so many blocks the last one only
    [[nodiscard]] bool all() const { return first == 0 && one_in == 1; }
    /// Number of these among `count` blocks that follow `before` others of their virtual stage.
    [[nodiscard]] std::int64_t among(std::int64_t before, std::int64_t count) const;
    bool operator==(const RepeatedBlocks&) const = default;
};

struct Plan {
    Strategy strategy;
    std::vector<MeshAxis> mesh;  ///< innermost first; their product is the number of devices
    std::vector<Fold> folds;
    std::int64_t batch = 1;       ///< global batch: samples per optimizer step
    std::int64_t microbatch = 1;  ///< samples per data rank and forward pass
    ScheduleKind schedule = ScheduleKind::one_forward_one_backward;
    std::int64_t virtual_stages = 1;   ///< virtual stages per pipeline rank, as the schedule has them
    std::vector<std::int64_t> stages;  ///< blocks per virtual stage; empty: balanced
    RecomputeKind recompute = RecomputeKind::none;
    std::int64_t recompute_every = 1;  ///< RecomputeKind::every: blocks per checkpoint
    RepeatedBlocks repeated;           ///< RecomputeKind::full: of which blocks; the others keep everything
    /// RecomputeKind::layers: layers that match one of these keep nothing, not even results, and run again in backward.
    std::vector<Match> recompute_layers;
    std::vector<std::string> recompute_modules;  ///< the same for modules of the software, by name (MemoryProfile)
    OptimizerKind optimizer = OptimizerKind::adam;
    ShardLevel shard = ShardLevel::none;
    std::int64_t shard_group = 0;  ///< ranks that share one copy of the states; 0: all that can; fewer: hybrid sharding
    bool keep_parameters = false;  ///< ZeRO-3: gathered weights are kept from forward to backward
    /// ZeRO-3: ranks that share one more copy of the weights, from which backward gathers; 0: it gathers from all that
    /// share the states (step/state_sharding.hpp).
    std::int64_t gather_group = 0;
    Overlap overlap;
    Offload offload;
    Precision precision = Precision::bf16;
    std::optional<Precision> gradient_precision;  ///< of the gradient buffer and its reduction; default fp32
    std::optional<cluster::Algorithm> algorithm;  ///< forced for all collectives
    bool lengths_vary = false;                    ///< from step to step tensors are as long as its samples
    Framework framework;                          ///< overheads of software; neutral: none
    MemoryProfile memory;                         ///< memory of software; neutral: none

    /// Moves axes of the mesh that the strategy folds over others to `folds`.
    void fold_axes();

    /// The strategy as one that prescribes the plan's ZeRO level, where it has any.
    [[nodiscard]] Strategy sharded_strategy() const;
    /// The level by which gradients and weights travel and lie in parts during the passes: ZeRO-1 where the software
    /// exchanges once a step under a pipeline.
    [[nodiscard]] ShardLevel exchanged_shard() const;
    /// Whether its software was fitted to no run of its kind. `domain`: Cluster::fast_domain.
    [[nodiscard]] bool is_beyond_fit(std::int64_t domain) const {
        return framework.is_beyond_fit(shard, domains_of_folds(folds, domain));
    }
    [[nodiscard]] bool offloads_gradients() const;  ///< with weights, or where the software keeps them with states
    /// A rule that frees gradients, where no two devices hold the same gradients.
    [[nodiscard]] bool frees_gradients() const;
    /// Whether the host's processors update the states (FrameworkParameter::host_update).
    [[nodiscard]] bool updates_on_host() const;
    [[nodiscard]] bool repeats_blocks() const;  ///< recomputes whole blocks
    [[nodiscard]] bool keeps_some_blocks() const { return recompute == RecomputeKind::full && !repeated.all(); }
    [[nodiscard]] bool repeats_parts() const;  ///< recomputes tensors or layers of blocks
    /// What the allocator has reserved and cannot use, over tensors that come and go in a step. `repeated`: of the blocks
    /// of a stage, those that are recomputed.
    [[nodiscard]] double fragmentation(double repeated = 1) const;
    [[nodiscard]] std::int64_t devices() const;
    [[nodiscard]] std::int64_t pipeline_stages() const;  ///< 1 without a pipeline
    /// Where the parts of the network are on the stages of the pipeline.
    [[nodiscard]] Places places() const;
    [[nodiscard]] std::int64_t axis_size(std::string_view axis) const;  ///< 1 if the mesh has no such axis
};

}  // namespace dodona::plan
