// What one micro-batch costs, once for all meshes that it costs the same on.
//
// An axis that only lays the batch or cuts the pipeline, and over which nothing moves within a micro-batch, is quiet:
// given the samples of one rank, no shard, no kernel and no collective of a pass depends on its size. Meshes that
// differ in quiet axes alone share one table. What depends on the whole mesh (states, boundaries between stages) is in
// layout_table.hpp. Not for jobs on unlike devices.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/limit.hpp"
#include "step/segment_cost.hpp"
#include "step/stage_time.hpp"
#include "step/stages.hpp"

namespace dodona::search {

struct PassTable {
    /// Directions of one segment, before overlap.
    struct Segment {
        step::PassSeconds forward;
        step::PassSeconds backward;
        step::PassSeconds selective;
        bool block = false;
    };

    step::CostedGraph costed;  ///< on the first mesh that asked; without its shards
    std::vector<Segment> segments;
    std::int64_t blocks = 0;
    bool alike = false;  ///< all blocks cost the same: step::cut_stages deals them out evenly

    explicit PassTable(step::CostedGraph graph);
    /// Whether so many virtual stages hold as many blocks each, whatever the micro-batch.
    [[nodiscard]] bool even(std::int64_t pieces) const { return pieces == 1 || (alike && blocks % pieces == 0); }
};

/// The mesh of a plan, and as it is without the cut that a sharding group makes: what moves within a pass does not know
/// of that, so that passes are of the whole one and states of the cut one.
struct Meshes {
    plan::Mesh cut;
    plan::Mesh whole;

    explicit Meshes(plan::Plan& plan);
    [[nodiscard]] step::WeightKind refined(step::WeightKind kind) const;
};

/// What is known of meshes before anything is costed.
struct FeasibilityBound {
    std::optional<plan::Limit> broken;  ///< why no plan can lay the network like that
    /// Weights of the whole network on one device, were it all one stage; without those that are tied to others.
    std::map<step::WeightKind, plan::WeightSize> weights;

    explicit FeasibilityBound(const plan::ShardedGraph& sharded);
    /// A lower bound of what the fullest device holds with states as the plan shards them, however the
    /// network is cut: the mean of their weights, gradients and optimizer states, and the runtime.
    [[nodiscard]] Bytes least_memory(const plan::Plan& plan, const Meshes& meshes, Bytes context) const;
};

/// Consecutive stages that are alike.
struct StageRun {
    step::Stage stage;        ///< any of them
    std::size_t content = 0;  ///< by LayoutTable
    std::size_t first = 0;    ///< the stage that holds most micro-batches
    std::size_t size = 1;
};

/// The shape of a mesh, axis by axis: sizes and places of the atoms that are not quiet, presence of those that are.
using MeshKey = std::vector<std::int64_t>;
MeshKey mesh_key(const plan::Plan& plan, const plan::Mesh& mesh, plan::Atoms quiet);

/// Atoms that may be quiet: they lay the batch, or cut the pipeline.
plan::Atoms quiet_candidates(const plan::Plan& plan, const plan::Mesh& mesh);

/// Tables of meshes that are alike but for atoms that may be quiet. Filled as it is asked.
class PassTables {
public:
    PassTables(const graph::Graph& graph, const cluster::Cluster& cluster) : graph_(graph), cluster_(cluster) {}

    const FeasibilityBound& sketch(const plan::Plan& plan, const plan::Mesh& mesh);
    const PassTable& at(const plan::Plan& plan, const plan::Mesh& mesh);
    /// The network cut for a pipeline; empty if it has too few pieces. Of even deals there is one for all tables.
    const std::vector<StageRun>& runs(const PassTable& passes, std::int64_t stages, std::int64_t chunks);
    /// Forgets all tables unless another mesh could ask for them again.
    void next_mesh();

private:
    struct Key {
        MeshKey mesh;
        std::int64_t microbatch = 1;
        bool accumulates = false;
        auto operator<=>(const Key&) const = default;
    };
    /// Shards of the mesh that was sketched last: its first table needs them again.
    struct Shards {
        MeshKey mesh;
        std::int64_t microbatch = 1;
        plan::ShardedGraph graph;
    };

    struct CutKey {
        std::int64_t stages = 1;
        std::int64_t chunks = 1;
        const PassTable* passes = nullptr;  ///< none: an even deal
        auto operator<=>(const CutKey&) const = default;
    };

    [[nodiscard]] MeshKey key_of(const plan::Plan& plan, const plan::Mesh& mesh) const;
    [[nodiscard]] plan::ShardedGraph shards(const plan::Plan& plan, const plan::Mesh& mesh) const {
        return plan::shard(graph_, mesh, plan.strategy, plan.microbatch);
    }

    const graph::Graph& graph_;
    const cluster::Cluster& cluster_;
    std::optional<plan::Atoms> busy_;  ///< among the candidates
    bool shared_ = true;
    std::optional<Shards> last_;
    std::map<MeshKey, FeasibilityBound> feasibility_;
    std::map<Key, std::unique_ptr<PassTable>> tables_;
    std::map<CutKey, std::vector<StageRun>> cuts_;
};

}  // namespace dodona::search
