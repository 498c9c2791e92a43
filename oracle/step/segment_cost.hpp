// What one instance of a segment costs on one device for one micro-batch: the tables that every plan is composed from.
//
// A segment is what a pipeline may not cut. Costs depend on mesh, strategy, micro-batch and precision only; recomputation,
// sharding of states, schedule and overlap are composed later, so one table serves many plans.
#pragma once

#include <cstdint>
#include <vector>

#include "base/estimate.hpp"
#include "base/precision.hpp"
#include "cluster/cluster.hpp"
#include "cost/collective_time.hpp"
#include "cost/device_time.hpp"
#include "cost/error_source.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "plan/shard.hpp"
#include "step/placement.hpp"
#include "step/segment_memory.hpp"
#include "step/source_line.hpp"

namespace dodona::step {

/// A collective of a layer with its time.
struct TimedTransfer {
    plan::LayerTransfer what;
    double count = 1;  ///< per segment instance
    Bytes size;
    cost::CollectiveTime time;
    bool repeats = false;  ///< runs again in backward, its layer being recomputed by name
};

/// What decides where a weight is kept and how its gradient is reduced.
struct WeightKind {
    plan::Atoms laid = 0;
    plan::Atoms partial = 0;
    std::int64_t replicas = 1;
    bool frozen = false;
    bool sparse = false;  ///< a micro-batch touches some of its rows only
    auto operator<=>(const WeightKind&) const = default;
};

WeightKind kind_of(const plan::WeightShard& weight);

/// Weights of one segment of one kind.
struct WeightClass {
    WeightKind kind;
    bool tied = false;
    std::size_t owner_segment = 0;  ///< where the weight that it is tied to lives; its own segment otherwise
    plan::WeightSize size;          ///< local
};

/// One direction of a segment: kernels and the collectives between them.
struct PassCost {
    Estimate compute;
    Estimate layer;      ///< conversions, regathers, statistics
    Estimate exchanged;  ///< of `layer`: all-to-alls, as between tokens and experts
    Estimate halo;
    Flop executed;              ///< arithmetic of matrix kernels
    double launches = 0;        ///< kernels and collectives that the host starts
    cost::PassTimes by_source;  ///< derivatives of the total by what they rest on, as far as that may be wrong
    [[nodiscard]] Estimate total() const { return compute + layer + halo; }
    PassCost& operator+=(const PassCost& other);
    friend PassCost operator+(PassCost a, const PassCost& b) { return a += b; }
    friend PassCost operator*(double ratio, PassCost cost);
};

/// A tensor that a segment reads from an earlier one, in its producer's layout.
struct Entering {
    std::size_t producer = 0;  ///< segment
    Bytes bytes;
    bool sample = false;      ///< read from storage: kept, never sent
    plan::Atoms sharded = 0;  ///< atoms in its layout
};

struct SegmentCost {
    PassCost forward;
    PassCost backward;
    PassCost selective;    ///< what recomputation in parts repeats: selective, or of named layers
    SegmentMemory memory;  ///< what it keeps and needs for a moment
    std::vector<Entering>
        entering;           ///< tensors from earlier segments: what full recomputation keeps and a pipeline sends
    Bytes largest_message;  ///< buffer of the largest collective
    std::vector<WeightClass> weights;
    std::vector<TimedTransfer> transfers;
    bool block = false;
    [[nodiscard]] Bytes checkpoint() const;
};

/// A device that a graph is costed on, and where its times come from.
struct DeviceTimes {
    const cluster::Device* device = nullptr;
    bool measured = false;    ///< compute from measured samples, not from kernels
    Seconds measured_update;  ///< of the whole network, where measured
    SourceLine source;        ///< of the compute times
};

/// On one device, or on several that work in step: then each pass of a segment takes as long as on the slowest.
struct CostedGraph {
    const graph::Graph* graph = nullptr;
    const cluster::Cluster* cluster = nullptr;
    plan::Mesh mesh;
    plan::ShardedGraph sharded;
    std::vector<SegmentCost> segments;
    Precision precision = Precision::bf16;
    plan::Framework framework;
    bool token_network = false;  ///< reads indices: layers outside blocks are embeddings and heads
    graph::Counts counts;
    Flop whole_executed;               ///< matrix arithmetic of one sample, forward and backward, unsplit
    std::vector<DeviceTimes> devices;  ///< of the whole composed, or of a variant
    Placement placement;               ///< of stages and replicas (but for ZeRO, which the plan says)
    std::vector<CostedGraph>
        variants;  ///< of a mixed composed, for each set of devices that work in step; not `sharded`

    /// The same on some of the devices.
    [[nodiscard]] const CostedGraph& on(DeviceSet set) const;
    [[nodiscard]] Bytes memory_limit() const;  ///< of the smallest device
    [[nodiscard]] Bytes context() const;
    /// One optimizer step that moves so many bytes in device memory, of a `share` of the network's weights.
    [[nodiscard]] Estimate update_time(Bytes traffic, double share) const;
    /// "a100 and v100": of some of the devices of a whole composed; all its own.
    [[nodiscard]] std::string device_names(DeviceSet some = ~DeviceSet{0}) const;

    DeviceSet set = 1;
};

/// Shards and times the graph as `plan` lays it. Only mesh, folds, strategy, micro-batch, precision, forced algorithm,
/// framework, memory profile and the layers that it recomputes by name count. Work grows with distinct layers and
/// distinct devices.
CostedGraph cost_graph(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                       const Location& where);

/// The same of a graph that is sharded already: `mesh` and `sharded` are the plan's.
CostedGraph cost_graph(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                       plan::Mesh mesh, plan::ShardedGraph sharded);

/// Atoms over which anything but states travels within a micro-batch.
plan::Atoms busy_atoms(const plan::ShardedGraph& sharded);

/// One graph costed on several devices, each in a costed graph of its own, whose ranks work in step.
CostedGraph joined(const std::vector<CostedGraph>& singles, DeviceSet set);

/// A collective of this composed among a group of ranks, or over some atoms of the mesh.
cost::CollectiveTime time_of(const CostedGraph& costed, cluster::Collective collective, const cluster::Group& group,
                             Bytes size, std::optional<cluster::Algorithm> forced, int messages = 1);
cost::CollectiveTime time_of(const CostedGraph& costed, cluster::Collective collective, plan::Atoms atoms, Bytes size,
                             std::optional<cluster::Algorithm> forced, int messages = 1);

}  // namespace dodona::step
