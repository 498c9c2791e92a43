// The prediction of one plan: time and memory with all their parts, limits, bottlenecks, provenance.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/estimate.hpp"
#include "base/ranges.hpp"
#include "cluster/cluster.hpp"
#include "cost/collective_time.hpp"
#include "plan/limit.hpp"
#include "plan/plan.hpp"
#include "step/bottleneck_kinds.hpp"
#include "step/infeasibility.hpp"
#include "step/source_line.hpp"
#include "step/uncertainty.hpp"

namespace dodona::step {

/// Parts of a step on the critical stage; exposed parts add up to the step.
enum class TimePart {
    forward,
    backward,
    recompute,
    optimizer,
    layer,
    halo,
    pipeline,
    gradients,
    parameters,
    offload,
    bubble,
    input,
    host,
    overhead,
};
inline constexpr std::array kTimePartTable{
    Enumerator(TimePart::forward, "forward", "forward kernels"),
    Enumerator(TimePart::backward, "backward", "backward kernels"),
    Enumerator(TimePart::recompute, "recompute", "forward kernels repeated in backward"),
    Enumerator(TimePart::optimizer, "optimizer", "weight update"),
    Enumerator(TimePart::layer, "layer",
               "collectives of layers and conversions between shardings (TP, CP, EP, statistics)"),
    Enumerator(TimePart::halo, "halo", "halo exchanges of spatial splits"),
    Enumerator(TimePart::pipeline, "pipeline", "pipeline send/recv"),
    Enumerator(TimePart::gradients, "gradients", "gradient reduction"),
    Enumerator(TimePart::parameters, "parameters", "parameter gathers of sharded weights"),
    Enumerator(TimePart::offload, "offload", "copies to and from the host"),
    Enumerator(TimePart::bubble, "bubble", "waiting for other stages"),
    Enumerator(TimePart::input, "input", "reading samples from storage, decoding them"),
    Enumerator(TimePart::host, "host", "devices wait for the host to start kernels"),
    Enumerator(TimePart::overhead, "overhead",
               "added by the framework: stragglers, interference of overlapped communication, a fixed time")};
constexpr const auto& enumerators(TimePart /*type*/) { return kTimePartTable; }
inline constexpr std::size_t kTimeParts = kTimePartTable.size();
constexpr std::string_view name(TimePart part) { return name_of(part); }

enum class MemoryPart {
    weights,
    gradients,
    optimizer,
    activations,
    recompute,
    embedding_and_head,
    workspace,
    buffers,
    cache,
    communicators,
    context,
};
inline constexpr std::array kMemoryPartTable{
    Enumerator(MemoryPart::weights, "weights", ""),
    Enumerator(MemoryPart::gradients, "gradients", ""),
    Enumerator(MemoryPart::optimizer, "optimizer", "its states, and master copies of the weights"),
    Enumerator(MemoryPart::activations, "activations", "saved for backward, all micro-batches in flight"),
    Enumerator(MemoryPart::recompute, "recompute", "working set of the block being recomputed"),
    Enumerator(MemoryPart::embedding_and_head, "embedding_and_head",
               "everything kept by token layers outside the repeated blocks"),
    Enumerator(MemoryPart::workspace, "workspace",
               "the largest transient tensors of one layer, and workspaces of libraries"),
    Enumerator(MemoryPart::buffers, "buffers", "tensors that collectives read and write"),
    Enumerator(MemoryPart::cache, "cache", "reserved by the allocator but unused at the peak"),
    Enumerator(MemoryPart::communicators, "communicators", "buffers of communicators, not from the allocator"),
    Enumerator(MemoryPart::context, "context", "of the runtime")};
constexpr const auto& enumerators(MemoryPart /*type*/) { return kMemoryPartTable; }
inline constexpr std::size_t kMemoryParts = kMemoryPartTable.size();
constexpr std::string_view name(MemoryPart part) { return name_of(part); }

template <class T, std::size_t N, class Part>
struct PartArray {
    std::array<T, N> values{};
    T& operator[](Part part) { return values[static_cast<std::size_t>(part)]; }
    const T& operator[](Part part) const { return values[static_cast<std::size_t>(part)]; }
    [[nodiscard]] T total() const {
        return sum_of<T>(values, [](const T& value) { return value; });
    }
};
using TimeParts = PartArray<Seconds, kTimeParts, TimePart>;
using MemoryParts = PartArray<Bytes, kMemoryParts, MemoryPart>;

/// Memory of one process as three tools report it; the figures differ by gigabytes.
struct MemoryTotals {
    Bytes allocated;  ///< tensors: torch.cuda.max_memory_allocated
    Bytes reserved;   ///< with the allocator's unused blocks: torch.cuda.max_memory_reserved
    Bytes process;    ///< with communicators and the runtime's context: nvidia-smi; this must fit
    bool operator==(const MemoryTotals&) const = default;
};
MemoryTotals totals(const MemoryParts& parts);

struct StagePrediction {
    std::string layers;   ///< its segments: "embedding, layers[1..12]"
    std::string device;   ///< "a100", or "a100 and v100" where its ranks differ
    MemoryTotals memory;  ///< peak of its fullest device
    Seconds time;         ///< busy time in one step: compute and exposed communication, without bubble
};

/// Devices of one kind.
struct DeviceUse {
    std::string device;
    std::int64_t ranks = 0;
};

/// Equal replicas of a job on several kinds of devices.
struct ReplicaPrediction {
    std::vector<std::string> devices;  ///< by stage; equal neighbours once
    std::int64_t count = 1;
    std::int64_t data_ranks = 1;    ///< of all of these replicas
    std::int64_t microbatches = 1;  ///< of each, in one step
    Seconds time;                   ///< from the first forward to the last backward pass
};

using plan::Limit;

/// A bottleneck after Kahira et al., HPDC'21, Table 6.
struct Bottleneck {
    BottleneckKind kind = BottleneckKind::gradient_exchange;
    double share = 0;  ///< the triggering ratio (share of the step, or phi, or imbalance): over the kind's threshold
    std::string text;  ///< one sentence for people: the ratio and what would help
};

/// What a collective moves.
enum class CommunicationSubject {
    activations,
    activation_gradients,
    activations_again,  ///< gathered once more in backward, for weight gradients
    statistics,
    keys_and_values,
    keys_and_values_with_gradients,
    weight_gradients,
    gradient_rows,  ///< of an embedding table: those that a step touches
    weights,
    matrices,          ///< gathered whole by an optimizer
    copied_gradients,  ///< of weights that two stages hold, as the schedule wants
    tied_gradient,     ///< of a weight that two stages hold
    stage_boundary,    ///< activations and their gradients, from stage to stage
    boundary_gathers,  ///< of tensors that were split for sending from stage to stage
};

/// Equal collectives of a step.
struct CommunicationLine {
    cluster::Collective collective = cluster::Collective::all_reduce;
    CommunicationSubject subject = CommunicationSubject::activations;
    cluster::Algorithm algorithm = cluster::Algorithm::ring;
    std::vector<std::string> axes;
    std::int64_t ranks = 1;
    double per_step = 0;    ///< number in one step on the critical stage
    Bytes size;             ///< full buffer of one
    Bytes sent;             ///< by one rank in the whole step
    Seconds time;           ///< busy, in the whole step
    double contention = 1;  ///< phi
    /// One of them, as cost::collective_trace takes it apart; none: between stages that are no group of the mesh.
    std::optional<cost::CollectiveRequest> request;
    std::optional<cluster::Algorithm> forced;
};

/// What a plan with offload needs of the hosts.
struct HostUse {
    Bytes memory;  ///< of a node if all of its devices offload as much as the one that offloads most
    Bytes limit;   ///< memory of a node
    Bytes in;      ///< to one device of the critical stage, in one step
    Bytes out;     ///< from it
};

struct Epoch {
    double iterations = 0;
    Seconds compute;        ///< kernels, update included; the last partial batch counts in part
    Seconds communication;  ///< busy time of all collectives and host copies; every iteration counts in full
    Seconds total;
};

/// "all-reduce of weight gradients over data".
std::string text(const CommunicationLine& line);

/// The prediction of one plan. If `runs` is false the pipeline cannot be cut or scheduled as planned; only plan,
/// why_not, limits and counts are then set, no times and no memory.
struct Prediction {
    plan::Plan plan;
    bool runs = true;
    bool fits = false;
    std::optional<Infeasibility> why_not;  ///< none if it fits
    Estimate step;
    Uncertainty uncertainty;  ///< sources of the interval
    double samples_per_second = 0;
    std::optional<double> tokens_per_second;
    double mfu = 0;                 ///< model arithmetic over peak
    double hfu = 0;                 ///< executed arithmetic (recomputation included) over peak
    std::int64_t microbatches = 1;  ///< of a data rank; the mean where `replicas` differ
    std::int64_t data_ranks = 1;
    TimeParts time;               ///< exposed, adds up to step.value
    TimeParts busy;               ///< exposed and hidden; bubble zero
    MemoryParts memory;           ///< of the stage that fills its device most; adds up to totals.process
    MemoryTotals totals;          ///< of the same stage
    Bytes memory_limit;           ///< of that device, or the limit asked for if that is less
    Bytes most_memory;            ///< the maximum over all devices
    std::optional<HostUse> host;  ///< set with offload
    std::vector<StagePrediction> stages;
    std::vector<std::int64_t> blocks;         ///< on each virtual stage, in the order of forward passes
    std::vector<DeviceUse> devices;           ///< in the order of their first rank
    std::vector<ReplicaPrediction> replicas;  ///< set where devices differ
    std::size_t critical_stage = 0;
    std::size_t fullest_stage = 0;
    std::vector<Limit> limits;
    std::vector<Bottleneck> bottlenecks;
    std::vector<CommunicationLine> communication;
    std::vector<SourceLine> provenance;
    std::optional<Epoch> epoch;  ///< set where the size of the data set is known
};

}  // namespace dodona::step
