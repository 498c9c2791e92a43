#include "step/segment_cost.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <set>

#include "base/check.hpp"
#include "base/ranges.hpp"
#include "graph/shared_by_instances.hpp"
#include "plan/operands.hpp"
#include "plan/recompute.hpp"
#include "step/kernel_cost.hpp"
#include "step/layer_times.hpp"

namespace dodona::step {

using graph::Element;
using graph::Graph;
using graph::Kernel;
using graph::Layer;
using graph::Vertex;
using plan::Phase;
using plan::Purpose;

PassCost& PassCost::operator+=(const PassCost& other) {
    compute += other.compute;
    layer += other.layer;
    exchanged += other.exchanged;
    halo += other.halo;
    weight_gradients += other.weight_gradients;
    executed += other.executed;
    launches += other.launches;
    by_source += other.by_source;
    return *this;
}

PassCost operator*(double ratio, PassCost cost) {
    return {ratio * cost.compute,          ratio * cost.layer,    ratio * cost.exchanged, ratio * cost.halo,
            ratio * cost.weight_gradients, ratio * cost.executed, ratio * cost.launches,  ratio * cost.by_source};
}

WeightKind kind_of(const plan::WeightShard& weight) {
    return {.laid = weight.laid,
            .partial = weight.partial,
            .replicas = weight.replicas,
            .frozen = weight.frozen,
            .forward_only = weight.forward_only,
            .sparse = weight.touched > 0,
            .storage = weight.storage};
}

Bytes SegmentCost::checkpoint() const {
    Bytes bytes;
    for (const Entering& tensor : entering) {
        bytes += tensor.shared_by_instances || tensor.forward_only ? Bytes{} : tensor.bytes;
    }
    return bytes;
}

namespace {

cost::CollectiveTime timed(const CostedGraph& costed, const cost::CollectiveRequest& request,
                           std::optional<cluster::Algorithm> forced) {
    cost::CollectiveTime time = cost::collective_time(*costed.cluster, request, forced);
    time.time = costed.software.collective * time.time;
    return time;
}

}  // namespace

Bytes size_of(const CostedGraph& costed, const plan::Transfer& transfer, Element element) {
    const bool is_dispatched = transfer.to_experts && element == Element::activation;
    return (is_dispatched ? costed.software.dispatch_width : 1) * transfer.elements *
           element_bytes(element, costed.precision);
}

std::optional<cluster::Algorithm> dispatch_algorithm(const CostedGraph& costed, const plan::Transfer& transfer) {
    const bool by_nodes = costed.software.node_dispatch && transfer.routing.experts > 0;
    return by_nodes ? std::optional(cluster::Algorithm::hierarchical) : std::nullopt;
}

cost::CollectiveTime time_of(const CostedGraph& costed, const plan::Transfer& transfer, Bytes size,
                             std::optional<cluster::Algorithm> forced) {
    forced = forced ? forced : dispatch_algorithm(costed, transfer);
    return timed(costed,
                 {.collective = transfer.collective,
                  .group = costed.mesh.group(transfer.atoms),
                  .size = size,
                  .ranks = costed.mesh.devices(),
                  .messages = transfer.messages,
                  .routing = transfer.routing},
                 forced);
}

cost::CollectiveTime time_of(const CostedGraph& costed, cluster::Collective collective, const cluster::Group& group,
                             Bytes size, std::optional<cluster::Algorithm> forced) {
    return timed(costed, {.collective = collective, .group = group, .size = size, .ranks = costed.mesh.devices()},
                 forced);
}

cost::CollectiveTime time_of(const CostedGraph& costed, cluster::Collective collective, plan::Atoms atoms, Bytes size,
                             std::optional<cluster::Algorithm> forced) {
    return time_of(costed, collective, costed.mesh.group(atoms), size, forced);
}

namespace {

/// Computes the costs of the segments of one costed graph.
class Costing {
public:
    /// Domain: `costed` has one device.
    Costing(CostedGraph& costed, const plan::ShardedGraph& sharded, const plan::Plan& plan, LayerTimes& times)
        : costed_(costed),
          sharded_(sharded),
          device_(*costed.devices.front().device),
          forced_(plan.algorithm),
          named_(plan::named_layers(*costed.graph, plan)),
          memories_(*costed.graph, sharded, costed.mesh, plan, {}),
          adds_gradients_(plan.batch > sharded.data_ways * plan.microbatch),
          kernels_(device_, plan, adds_gradients_),
          times_(times) {
        if (!named_.empty()) {
            memories_of_named_.emplace(*costed.graph, sharded, costed.mesh, plan, named_);
        }
    }

    void run() {
        const Graph& graph = *costed_.graph;
        costed_.segments.resize(graph.segments.size());
        for (std::size_t u = 0; u < graph.segments.size(); ++u) {
            costed_.segments[u].block = graph.segments[u].is_block();
            for (const Vertex v : graph.segments[u].layers) {
                add_layer(v, costed_.segments[u]);
            }
        }
        costed_.whole_executed = times_.whole_executed();
        apply_measured_samples();
    }

private:
    void add_layer(Vertex v, SegmentCost& segment) {
        const Layer& layer = costed_.graph->layer(v);
        const plan::ShardedLayer& sharded = sharded_.layers[v];
        const auto count = static_cast<double>(layer.count);
        const bool in_block = costed_.graph->segments[layer.segment].is_block();
        segment.goes_backward = segment.goes_backward || layer.goes_backward();
        const bool named = !named_.empty() && named_[v];
        const LayerCost& cost = times_.of(v, sharded.local, {.adds_gradients = adds_gradients_});
        evidence_.take(cost.evidence);
        segment.forward += count * cost.forward;
        segment.further += layer.forward_only ? count * cost.forward : PassCost{};
        segment.selective += count * cost.selective;
        if (named) {
            segment.named +=
                count * times_.of(v, sharded.local, {.adds_gradients = adds_gradients_, .repeated = true}).selective;
        }
        const std::vector<Kernel> dequantised = dequantisation(sharded, in_block);
        if (dequantised.empty()) {
            segment.backward += count * cost.backward;
        } else {
            const PassCost pass = kernels_.alone(dequantised, in_block);
            segment.forward += count * pass;
            segment.further += layer.forward_only ? count * pass : PassCost{};
            segment.backward += count * (layer.input_gradient ? cost.backward + pass : cost.backward);
            segment.named += named ? count * pass : PassCost{};
        }
        add_transfers(v, sharded, named, segment);
        add_streams(v, sharded, named, in_block, segment);
        memories_.add(v, count, segment.memory);
        if (memories_of_named_) {
            memories_of_named_->add(v, count, segment.memory_of_named);
        }
        add_entering(v, segment);
        add_weights(sharded, count, segment);
    }

    /// The pass that writes quantised weights in the precision of the products: it reads what is stored and writes each
    /// weight once, and the product reads them again. Source: bitsandbytes, autograd/_functions.py, MatMul4Bit: forward and
    /// backward each dequantise the whole matrix before the product.
    [[nodiscard]] std::vector<Kernel> dequantisation(const plan::ShardedLayer& sharded, bool in_block) const {
        Bytes moved;
        const Bytes product = training_bytes(costed_.precision).weight;
        const bool narrow = is_narrow(costed_.precision) && in_block;
        for (const plan::WeightShard& weight : sharded.weights) {
            if (graph::is_dequantised(weight.storage, narrow)) {
                moved += weight.elements * (graph::stored_weight(weight.storage, product) + product);
            }
        }
        return moved > Bytes{} ? std::vector<Kernel>{graph::stream(0, 0, moved)} : std::vector<Kernel>{};
    }

    [[nodiscard]] double launches_of(const plan::Transfer& transfer) const {
        const auto ranks = static_cast<double>(costed_.mesh.ways(transfer.atoms));
        return 1 + ranks * costed_.software.rank_launches;
    }

    /// Layers that are alike have equal transfers.
    const cost::CollectiveTime& time_of(const plan::Transfer& transfer, Bytes size) {
        const auto same = [&](const Timed& known) {
            return known.size == size && known.transfer.collective == transfer.collective &&
                   known.transfer.atoms == transfer.atoms && known.transfer.messages == transfer.messages &&
                   known.transfer.routing == transfer.routing;
        };
        const auto found = std::find_if(timed_.begin(), timed_.end(), same);
        if (found != timed_.end()) {
            return found->time;
        }
        return timed_.emplace_back(Timed{transfer, size, step::time_of(costed_, transfer, size, forced_)}).time;
    }

    /// Collectives of a layer in a pass. Those in forward of a layer that is recomputed by name run again in backward.
    void add_collectives(const PassCost& collectives, Vertex v, Phase phase, bool named, SegmentCost& segment) const {
        (phase == Phase::forward ? segment.forward : segment.backward) += collectives;
        segment.named += named && phase == Phase::forward ? collectives : PassCost{};
        segment.further += costed_.graph->layer(v).forward_only ? collectives : PassCost{};
    }

    [[nodiscard]] PassCost cost_of(const TimedTransfer& timed) const {
        const plan::Transfer& transfer = timed.what.transfer;
        const Estimate time = timed.count * timed.time.time;
        PassCost cost;
        (timed.what.purpose == Purpose::halo ? cost.halo : cost.layer) = time;
        cost.exchanged = transfer.collective == cluster::Collective::all_to_all ? time : Estimate{};
        cost.launches = timed.count * launches_of(transfer);
        cost.by_source[cost::source_of(*costed_.cluster, timed.time)] = time;
        return cost;
    }

    void add_transfers(Vertex v, const plan::ShardedLayer& sharded, bool named, SegmentCost& segment) {
        const Layer& layer = costed_.graph->layer(v);
        const auto count = static_cast<double>(layer.count);
        for (const plan::LayerTransfer& transfer : sharded.transfers) {
            TimedTransfer timed{.what = transfer,
                                .count = count * transfer.times,
                                .size = size_of(costed_, transfer.transfer, transfer.element),
                                .time = {},
                                .forward_only = layer.forward_only};
            timed.time = time_of(transfer.transfer, timed.size);
            segment.largest_message = max(segment.largest_message, timed.size);
            if (transfer.purpose != Purpose::stream) {
                timed.repeats = named && transfer.phase == Phase::forward;
                add_collectives(cost_of(timed), v, transfer.phase, named, segment);
            }
            segment.transfers.push_back(timed);
        }
    }

    /// Ring attention: blocks go round a ring of p ranks while the previous block is computed, so each of the p - 1
    /// hops exposes only what exceeds the compute of one block. Streams of a layer share the links and add up.
    void add_streams(Vertex v, const plan::ShardedLayer& sharded, bool named, bool in_block, SegmentCost& segment) {
        const auto count = static_cast<double>(costed_.graph->layer(v).count);
        for (const Phase phase : {Phase::forward, Phase::backward}) {
            Estimate hop;
            cost::PassTimes sources;
            double hops = 0;
            for (const plan::LayerTransfer& transfer : sharded.transfers) {
                if (transfer.purpose == Purpose::stream && transfer.phase == phase) {
                    const Bytes size = size_of(costed_, transfer.transfer, transfer.element);
                    const cost::CollectiveTime& time = time_of(transfer.transfer, size);
                    hop += time.time;
                    sources[cost::source_of(*costed_.cluster, time)] += time.time;
                    hops = transfer.times;
                }
            }
            if (hops == 0) {
                continue;
            }
            const graph::Work kernels = plan::work_of(costed_.graph->layer(v), sharded.local);
            const PassCost work =
                kernels_.alone(phase == Phase::forward ? kernels.forward : kernels.backward_input, in_block);
            const Seconds shown = max(Seconds{}, hop.value - (1 / (hops + 1)) * work.compute.value);
            PassCost stream;
            stream.layer = count * hops * hop.rescaled_to(shown);
            if (shown > Seconds{}) {
                stream.by_source += count * hops * sources;
                stream.by_source += -(count * hops / (hops + 1)) * work.by_source;
            }
            add_collectives(stream, v, phase, named, segment);
        }
    }

    /// Tensors that this segment reads from earlier ones.
    void add_entering(Vertex v, SegmentCost& segment) {
        const std::size_t here = costed_.graph->layer(v).segment;
        for (const Vertex producer : costed_.graph->layer(v).producers) {
            const Layer& source = costed_.graph->layer(producer);
            const bool sample = source.nest.inputs.empty();
            if ((source.segment == here && !sample) || !entered_.insert({producer, here}).second) {
                continue;
            }
            segment.entering.push_back({.producer = source.segment,
                                        .bytes = memories_.result(producer),
                                        .sample = sample,
                                        .forward_only = source.forward_only,
                                        .sharded = sharded_.layers[producer].output.sharded(),
                                        .tensor = producer,
                                        .shared_by_instances = costed_.graph->segments[here].is_block() &&
                                                               is_shared_by_instances(*costed_.graph, producer)});
        }
    }

    static void add_matrices(plan::Matrices matrices, double count, std::vector<plan::Matrices>& all) {
        matrices.count *= count;
        auto* found = found_in(all, [&](const plan::Matrices& other) { return other.same_shape(matrices); });
        if (found != nullptr) {
            found->count += matrices.count;
        } else if (matrices.count > 0) {
            all.push_back(matrices);
        }
    }

    void add_weights(const plan::ShardedLayer& sharded, double count, SegmentCost& segment) {
        for (const plan::WeightShard& weight : sharded.weights) {
            const std::size_t owner = costed_.graph->layer(weight.owner).segment;
            const WeightKind kind = kind_of(weight);
            const auto same = [&](const WeightClass& c) {
                return c.kind == kind && c.tied == weight.tied && c.owner_segment == owner;
            };
            auto found = std::find_if(segment.weights.begin(), segment.weights.end(), same);
            if (found == segment.weights.end()) {
                segment.weights.push_back({kind, weight.tied, owner, {}, {}});
                found = std::prev(segment.weights.end());
            }
            found->size += count * weight.size();
            add_matrices(weight.matrices, count, found->matrices);
        }
    }

    /// Uses measured seconds per sample of the whole network on this machine (on the cluster file's `device`) instead
    /// of kernel times. A shard takes its share of the arithmetic, so unsplit work counts in full.
    void apply_measured_samples() {
        DeviceTimes& times = costed_.devices.front();
        const auto& all = costed_.cluster->measured_samples;
        const auto* found = found_in(all, &cluster::MeasuredSamples::model, costed_.graph->name);
        if (found == nullptr || !(device_ == costed_.cluster->device)) {
            evidence_.take(kernels_.evidence());
            times.source = {.of = SourceLine::Of::kernels,
                            .best = evidence_.best,
                            .worst = evidence_.worst,
                            .name = device_.name,
                            .source = device_.source};
            return;
        }
        const Flop whole = costed_.whole_executed;
        for (SegmentCost& segment : costed_.segments) {
            for (PassCost* side :
                 {&segment.forward, &segment.further, &segment.backward, &segment.selective, &segment.named}) {
                const Seconds measured = (side->executed / whole) * found->forward_backward;
                if (side->compute.value > Seconds{}) {
                    side->weight_gradients = (measured / side->compute.value) * side->weight_gradients;
                }
                side->compute = Estimate::exactly(measured);
                side->launches = 0;  // measured times include the host
                cost::PassTimes collectives;
                for (const auto source : {cost::ErrorSource::inside_node, cost::ErrorSource::between_nodes}) {
                    collectives[source] = side->by_source[source];
                }
                side->by_source = collectives;
            }
        }
        times.measured = true;
        times.measured_update = found->update;
        times.source = {.of = SourceLine::Of::measured_samples, .name = device_.name, .source = found->source};
    }

    CostedGraph& costed_;
    const plan::ShardedGraph& sharded_;
    const cluster::Device& device_;
    std::optional<cluster::Algorithm> forced_;
    std::vector<bool> named_;  ///< by vertex: to recompute by name; empty: none is
    SegmentMemories memories_;
    std::optional<SegmentMemories> memories_of_named_;
    bool adds_gradients_;
    KernelCost kernels_;
    LayerTimes& times_;
    EvidenceRange evidence_;
    std::set<std::pair<Vertex, std::size_t>> entered_;
    struct Timed {
        plan::Transfer transfer;  ///< elements aside
        Bytes size;
        cost::CollectiveTime time;
    };
    std::deque<Timed> timed_;
};

void cost_variants(CostedGraph& costed, const plan::Plan& plan) {
    const plan::Atoms stages = plan.strategy.pipeline ? costed.mesh.axis(*plan.strategy.pipeline) : plan::Atoms{0};
    const plan::Atoms data = data_atoms(costed.mesh, plan.strategy) & ~communicating_atoms(*costed.sharded) & ~stages;
    costed.placement = place(*costed.cluster, costed.mesh, stages, data);
    CostedGraph bare = costed;
    bare.sharded = {};
    for (std::size_t k = 0; k < costed.placement.kinds.size(); ++k) {
        CostedGraph one = bare;
        one.set = DeviceSet{1} << k;
        one.devices = {
            {.device = costed.placement.kinds[k].device, .measured = false, .measured_update = {}, .source = {}}};
        LayerTimes times(*costed.graph, *costed.placement.kinds[k].device, plan);
        Costing(one, *costed.sharded, plan, times).run();
        costed.variants.push_back(std::move(one));
    }
    const std::vector<CostedGraph> singles = costed.variants;
    std::set<DeviceSet> known;
    for (const Placement& placement : {costed.placement, in_step(costed.placement)}) {
        for (const ReplicaKind& replica : placement.replicas) {
            known.insert(replica.devices.begin(), replica.devices.end());
        }
    }
    for (const DeviceSet set : known) {
        if (!std::has_single_bit(set)) {
            costed.variants.push_back(joined(singles, set));
        }
    }
    CostedGraph all = joined(singles, ~DeviceSet{0} >> (kMaxDeviceKinds - singles.size()));
    costed.segments = std::move(all.segments);
    costed.devices = std::move(all.devices);
    costed.whole_executed = all.whole_executed;
    costed.set = all.set;
}

}  // namespace

plan::Atoms communicating_atoms(const plan::ShardedGraph& sharded) {
    plan::Atoms busy = 0;
    for (const plan::ShardedLayer& layer : sharded.layers) {
        for (const plan::LayerTransfer& transfer : layer.transfers) {
            busy |= transfer.transfer.atoms;
        }
    }
    return busy;
}

CostedGraph cost_graph(const Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                       const Location& where) {
    plan::Mesh mesh(plan, where);
    auto sharded = std::make_shared<const plan::ShardedGraph>(plan::shard(graph, mesh, plan.strategy, plan.microbatch));
    return cost_graph(graph, cluster, plan, std::move(mesh), std::move(sharded));
}

CostedGraph cost_graph(const Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan, plan::Mesh mesh,
                       plan::SharedShards sharded) {
    LayerTimes times(graph, *cluster.device_kinds(mesh.devices()).front().device, plan);
    return cost_graph(cluster, plan, std::move(mesh), std::move(sharded), times);
}

CostedGraph cost_graph(const cluster::Cluster& cluster, const plan::Plan& plan, plan::Mesh mesh,
                       plan::SharedShards sharded, LayerTimes& times) {
    const Graph* graph = sharded->graph;
    CostedGraph costed{.graph = graph,
                       .cluster = &cluster,
                       .mesh = std::move(mesh),
                       .sharded = std::move(sharded),
                       .segments = {},
                       .precision = plan.precision,
                       .software = SoftwareFactors(plan.framework),
                       .token_network = times.is_of_tokens(),
                       .counts = times.counts(),
                       .whole_executed = {},
                       .devices = {},
                       .placement = {},
                       .variants = {}};
    costed.one_pass = plan.batch <= costed.sharded->data_ways * plan.microbatch;
    const std::vector<cluster::DeviceKind> kinds = cluster.device_kinds(costed.mesh.devices());
    if (kinds.size() > 1) {
        cost_variants(costed, plan);
        return costed;
    }
    costed.devices = {{.device = kinds.front().device, .measured = false, .measured_update = {}, .source = {}}};
    costed.placement.kinds = kinds;
    Costing(costed, *costed.sharded, plan, times).run();
    return costed;
}

}  // namespace dodona::step
