// The cost of one micro-batch, computed once for all meshes on which it is the same.
//
// An axis is communication-free if it only lays the batch or cuts the pipeline and no collective of a micro-batch runs
// over it. For given samples per rank, no shard, kernel or collective of a pass depends on the size of such an axis, so
// meshes that differ only in communication-free axes share one table. What depends on the whole mesh (states, transfers
// between stages) is in mesh_tables.hpp. Domain: jobs on devices of one kind.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "plan/limit.hpp"
#include "plan/mesh_shards.hpp"
#include "search/known_shards.hpp"
#include "search/mesh_key.hpp"
#include "step/layer_times.hpp"
#include "step/pipeline.hpp"
#include "step/segment_cost.hpp"
#include "step/stage_time.hpp"
#include "step/stages.hpp"

namespace dodona::search {

struct PassTable {
    /// Passes of one segment, before overlap.
    struct Segment {
        step::PassSeconds forward;
        step::PassSeconds backward;
        step::PassSeconds selective;
        step::PassSeconds named;
        step::PassSeconds whole;  ///< repeated by full recomputation
    };

    step::CostedGraph costed;  ///< on the first mesh of those that share the table; without its shards
    std::vector<Segment> segments;
    std::int64_t blocks = 0;
    bool alike = false;  ///< all blocks cost the same: step::cut_stages gives every stage as many
    bool same = false;   ///< ... to the last bit

    explicit PassTable(step::CostedGraph graph);
    /// Whether all virtual stages hold equally many blocks, whatever the micro-batch.
    [[nodiscard]] bool even(std::int64_t virtual_stages) const {
        return virtual_stages == 1 || (alike && blocks % virtual_stages == 0);
    }
};

/// The mesh of a plan with and without the atoms that its sharding group adds. Passes do not depend on the group and
/// use `whole`; states use `cut`.
struct Meshes {
    plan::Mesh cut;
    plan::Mesh whole;

    explicit Meshes(plan::Plan& plan);
    [[nodiscard]] step::WeightKind refined(step::WeightKind kind) const;
};

/// What is known of a mesh before anything is costed.
struct FeasibilityBound {
    std::optional<plan::Limit> broken;  ///< why the network cannot be sharded like that
    /// Weights of the whole network on one device, as if all layers were on one stage; tied weights once.
    std::map<step::WeightKind, plan::WeightSize> weights;

    explicit FeasibilityBound(const plan::ShardedGraph& sharded);
    /// Lower bound of the memory of the fullest device, whatever the pipeline cut: the mean over stages of weights,
    /// gradients and optimizer states as the plan shards them, and the runtime's context.
    [[nodiscard]] Bytes least_memory(const plan::Plan& plan, const Meshes& meshes, Bytes context) const;
};

/// Consecutive stages that are alike.
struct StageRun {
    step::Stage stage;        ///< any of them
    std::size_t content = 0;  ///< index of MeshTables
    std::size_t first = 0;    ///< first stage: where it holds positions of a loop, it holds most micro-batches
    std::size_t size = 1;
};

/// Atoms that may be communication-free: those that lay the batch or cut the pipeline.
plan::Atoms communication_free_candidates(const plan::Plan& plan, const plan::Mesh& mesh);

/// Tables of meshes that differ only in candidates for communication-free atoms. Filled on demand.
class PassTables {
public:
    /// `shards`: kept for other searches; null: there are none.
    PassTables(const graph::Graph& graph, const cluster::Cluster& cluster, step::ScheduleTimings& orders,
               step::LayerTimes& times, KnownShards* shards)
        : graph_(graph), cluster_(cluster), orders_(orders), times_(times), shards_(shards) {}

    const FeasibilityBound& feasibility(const plan::Plan& plan, const plan::Mesh& mesh);
    const PassTable& at(const plan::Plan& plan, const plan::Mesh& mesh);
    /// The stages of a pipeline, equal neighbours as one run. Cuts into equally many blocks are shared by all tables.
    const std::vector<StageRun>& runs(const PassTable& passes, const plan::Plan& plan);
    step::ScheduleTimings& orders() { return orders_; }
    /// step::pipeline_total, known from an equal pipeline of these meshes: passes do not depend on sharding groups.
    Seconds total(const step::Pipeline<Seconds>& pipeline);
    /// Drops all tables if no later mesh can share them.
    void next_mesh();

private:
    struct Key {
        MeshKey mesh;
        std::int64_t microbatch = 1;
        bool accumulates = false;
        std::strong_ordering operator<=>(const Key&) const = default;
    };
    /// Shards of the mesh that was asked for last: its other micro-batches are asked for next.
    struct LastMesh {
        MeshKey key;
        plan::MeshShards shards;
    };

    struct CutKey {
        std::int64_t stages = 1;
        std::int64_t virtual_stages = 1;
        schedule::Placement placement = schedule::Placement::loop;
        std::vector<std::int64_t> given;    ///< Plan::stages
        const PassTable* passes = nullptr;  ///< null: equally many blocks on every virtual stage, or as given
        std::strong_ordering operator<=>(const CutKey&) const = default;
    };

    [[nodiscard]] MeshKey key_of(const plan::Plan& plan, const plan::Mesh& mesh) const;
    plan::SharedShards shards(const plan::Plan& plan, const plan::Mesh& mesh);

    const graph::Graph& graph_;
    const cluster::Cluster& cluster_;
    step::ScheduleTimings& orders_;
    step::LayerTimes& times_;
    KnownShards* shards_;
    std::optional<plan::Atoms> busy_;  ///< candidates that some collective of a pass runs over
    bool shared_ = true;
    std::optional<LastMesh> last_;
    std::map<MeshKey, FeasibilityBound> feasibility_;
    std::map<Key, std::unique_ptr<PassTable>> tables_;
    std::map<CutKey, std::vector<StageRun>> cuts_;
    std::map<std::vector<double>, Seconds> totals_;  ///< of pipelines with virtual stages
};

}  // namespace dodona::search
