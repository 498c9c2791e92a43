// The costs of one instance of each segment on one device for one micro-batch, from which plans are composed.
//
// A segment is a part of the network that a pipeline does not cut. Its costs depend only on mesh, strategy, micro-batch
// and precision. Recomputation, sharding of states, schedule and overlap are composed later, so one costed graph serves
// many plans.
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
    bool repeats = false;       ///< runs again in backward where layers are recomputed by name
    bool forward_only = false;  ///< of a pass that is not trained
};

/// Weights with equal kinds are kept on the same ranks and reduced alike.
struct WeightKind {
    plan::Atoms laid = 0;
    plan::Atoms partial = 0;
    std::int64_t replicas = 1;
    bool frozen = false;
    bool forward_only = false;  ///< no backward pass reads it
    bool sparse = false;        ///< a micro-batch touches only some of its rows
    graph::WeightStorage storage = graph::WeightStorage::full;
    auto operator<=>(const WeightKind&) const = default;
};

WeightKind kind_of(const plan::WeightShard& weight);

/// Weights of one segment of one kind.
struct WeightClass {
    WeightKind kind;
    bool tied = false;
    std::size_t owner_segment = 0;  ///< segment of the weight that it is tied to, else its own
    plan::WeightSize size;          ///< local
    std::vector<plan::Matrices> matrices;
};

/// One pass (forward, backward or recomputation) of a segment: kernels and the collectives between them.
struct PassCost {
    Estimate compute;
    Estimate layer;      ///< conversions, regathers, statistics
    Estimate exchanged;  ///< of `layer`: all-to-alls (expert parallelism)
    Estimate halo;
    Seconds weight_gradients;   ///< of `compute`: kernels of dW, which no other pass waits for
    Flop executed;              ///< arithmetic of matrix kernels
    double launches = 0;        ///< kernels and collectives that the host starts
    cost::PassTimes by_source;  ///< derivatives of the total by its error sources
    [[nodiscard]] Estimate total() const { return compute + layer + halo; }
    PassCost& operator+=(const PassCost& other);
    friend PassCost operator+(PassCost a, const PassCost& b) { return a += b; }
    friend PassCost operator*(double ratio, PassCost cost);
};

/// A tensor that a segment reads from an earlier one, in the producer's sharding.
struct Entering {
    std::size_t producer = 0;  ///< segment
    Bytes bytes;
    bool sample = false;        ///< a network input: kept, never sent
    bool forward_only = false;  ///< of a pass that is not trained: not kept, and no gradient is sent back
    plan::Atoms sharded = 0;    ///< atoms in its sharding
    graph::Vertex tensor = 0;
    bool shared_by_instances = false;  ///< all instances of a repeated block read it: there once a stage
};

struct SegmentCost {
    PassCost forward;
    PassCost backward;
    PassCost further;               ///< of `forward`: passes that are not trained
    PassCost selective;             ///< repeated by selective recomputation
    PassCost named;                 ///< repeated by recomputation of named layers
    SegmentMemory memory;           ///< activations and transient memory
    SegmentMemory memory_of_named;  ///< the same under recomputation of named layers, where the plan names any
    std::vector<Entering>
        entering;           ///< tensors from earlier segments, which full recomputation keeps and a pipeline sends
    Bytes largest_message;  ///< buffer of the largest collective
    std::vector<WeightClass> weights;
    std::vector<TimedTransfer> transfers;
    bool block = false;
    bool goes_backward = false;  ///< a layer of it has a backward pass
    [[nodiscard]] Bytes checkpoint() const;
    /// Whether full recomputation drops and repeats what is in it.
    [[nodiscard]] bool recomputes() const { return block && goes_backward; }
    [[nodiscard]] const SegmentMemory& memory_under(plan::RecomputeKind recompute) const {
        return recompute == plan::RecomputeKind::layers ? memory_of_named : memory;
    }
};

class LayerTimes;

/// A device that a graph is costed on, and where its times come from.
struct DeviceTimes {
    const cluster::Device* device = nullptr;
    bool measured = false;    ///< compute from measured samples, not from kernels
    Seconds measured_update;  ///< of the whole network, where measured
    SourceLine source;        ///< of the compute times
};

/// What a costed graph needs of the plan's framework: a framework is a kilobyte of text, and graphs are copied.
struct SoftwareFactors {
    double collective = 1;       ///< plan::FrameworkParameter::collective
    double optimizer = 1;        ///< plan::FrameworkParameter::optimizer
    double matmul = 1;           ///< plan::FrameworkParameter::matmul
    double rank_launches = 0;    ///< plan::FrameworkParameter::rank_launches
    double dispatch_width = 1;   ///< plan::FrameworkParameter::dispatch_width
    bool node_dispatch = false;  ///< plan::FrameworkParameter::node_dispatch

    explicit SoftwareFactors(const plan::Framework& framework)
        : collective(framework[plan::FrameworkParameter::collective]),
          optimizer(framework[plan::FrameworkParameter::optimizer]),
          matmul(framework[plan::FrameworkParameter::matmul]),
          rank_launches(framework[plan::FrameworkParameter::rank_launches]),
          dispatch_width(framework[plan::FrameworkParameter::dispatch_width]),
          node_dispatch(framework[plan::FrameworkParameter::node_dispatch] > 0) {}
};

/// A graph costed on one device, or on several whose ranks work in lockstep; each pass of a segment then takes the time
/// of the slowest device.
struct CostedGraph {
    const graph::Graph* graph = nullptr;
    const cluster::Cluster* cluster = nullptr;
    plan::Mesh mesh;
    plan::SharedShards sharded;  ///< null where only costs are used
    std::vector<SegmentCost> segments;
    Precision precision = Precision::bf16;
    SoftwareFactors software;
    bool one_pass = false;       ///< a step has one micro-batch
    bool token_network = false;  ///< the network reads token ids: layers outside blocks are embeddings and heads
    graph::Counts counts;
    Flop whole_executed;               ///< arithmetic of one sample's matrix products, forward and backward, unsplit
    std::vector<DeviceTimes> devices;  ///< of the whole job, or of a variant
    Placement placement;               ///< of stages and replicas, without regard to ZeRO
    /// With several kinds of devices: one graph for each set of devices that works in lockstep, without `sharded`.
    std::vector<CostedGraph> variants;

    /// The graph costed on a set of the devices.
    [[nodiscard]] const CostedGraph& on(DeviceSet set) const;
    [[nodiscard]] Bytes memory_limit() const;  ///< of the smallest device
    [[nodiscard]] Bytes context() const;
    /// Time of one optimizer step with `traffic` bytes of device memory, on a `share` of the network's weights.
    [[nodiscard]] Estimate update_time(Bytes traffic, double share) const;
    /// "a100 and v100": names of a set of the job's devices; by default all of this graph.
    [[nodiscard]] std::string device_names(DeviceSet some = ~DeviceSet{0}) const;

    DeviceSet set = 1;
};

/// Shards and costs the graph under `plan`. Of the plan only mesh, folds, strategy, micro-batch, precision, forced
/// algorithm, framework, memory profile and the layers that it names to recompute are used. Run time grows with distinct
/// layers and distinct devices.
CostedGraph cost_graph(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                       const Location& where);

/// The same for a graph that is sharded already; `mesh` and `sharded` are those of the plan.
CostedGraph cost_graph(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                       plan::Mesh mesh, plan::SharedShards sharded);

/// The same with times that other graphs of one device share; `times` are of this graph, plan and the cluster's first
/// device.
CostedGraph cost_graph(const cluster::Cluster& cluster, const plan::Plan& plan, plan::Mesh mesh,
                       plan::SharedShards sharded, LayerTimes& times);

/// Atoms over which collectives of a micro-batch run; those of states do not count.
plan::Atoms communicating_atoms(const plan::ShardedGraph& sharded);

/// Joins costed graphs of one graph on several devices whose ranks work in lockstep.
CostedGraph joined(const std::vector<CostedGraph>& singles, DeviceSet set);

/// Full buffer of a transfer of a layer. What goes to experts may have fewer bits than the tensor.
Bytes size_of(const CostedGraph& costed, const plan::Transfer& transfer, graph::Element element);

/// The algorithm that software sends what goes to experts by; none: as the machine does.
std::optional<cluster::Algorithm> dispatch_algorithm(const CostedGraph& costed, const plan::Transfer& transfer);

/// Time of a collective of this job: a transfer of a layer, or in a group of ranks, or over some atoms of the mesh.
cost::CollectiveTime time_of(const CostedGraph& costed, const plan::Transfer& transfer, Bytes size,
                             std::optional<cluster::Algorithm> forced);
cost::CollectiveTime time_of(const CostedGraph& costed, cluster::Collective collective, const cluster::Group& group,
                             Bytes size, std::optional<cluster::Algorithm> forced);
cost::CollectiveTime time_of(const CostedGraph& costed, cluster::Collective collective, plan::Atoms atoms, Bytes size,
                             std::optional<cluster::Algorithm> forced);

}  // namespace dodona::step
