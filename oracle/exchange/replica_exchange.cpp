#include "exchange/replica_exchange.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/precision.hpp"
#include "exchange/compression_time.hpp"
#include "exchange/endpoints.hpp"
#include "step/compose_plan.hpp"

namespace dodona::exchange {

namespace {

using step::StateTransfer;

bool is_exchanged(const StateTransfer& transfer) {
    return transfer.what == StateTransfer::What::gradients && transfer.collective == cluster::Collective::all_reduce;
}

/// The largest all-reduce of gradients of a stage; null: there is none.
const StateTransfer* largest_exchange(const step::StageWork& stage) {
    const StateTransfer* largest = nullptr;
    for (const StateTransfer& transfer : stage.states.transfers) {
        if (is_exchanged(transfer) && (largest == nullptr || largest->size < transfer.size)) {
            largest = &transfer;
        }
    }
    return largest;
}

[[noreturn]] void fail_without_exchange(const plan::Plan& plan, const Location& where) {
    if (plan.shard != plan::ShardLevel::none) {
        fail(where, "the plan shards states over all data ranks, so no replica holds all of them to exchange",
             "--zero none, or sharding inside a replica only: --strategy hybrid-shard --mesh shard=8,replicate=N");
    }
    fail(where, "the plan has one replica, which has nobody to exchange gradients with",
         "an axis of data ranks: --strategy data, or --mesh ...,data=N");
}

/// A tied weight is exchanged with its owner, if that is on the stage.
double exchanged_elements(const step::StageWork& stage, const step::SegmentCost& segment, plan::Atoms atoms) {
    double elements = 0;
    for (const step::WeightClass& weight : segment.weights) {
        const bool again = weight.tied && stage.stage.count(weight.owner_segment) > 0;
        elements += !weight.kind.frozen && !again && (weight.kind.partial & atoms) != 0 ? weight.size.elements : 0;
    }
    return elements;
}

/// The layers of a stage in the order of the forward pass, with their parts of `gradients`.
std::vector<LayerWork> layers_of(const step::StageWork& stage, const plan::Plan& plan, const StateTransfer& exchanged) {
    std::vector<LayerWork> layers;
    double elements = 0;
    for (const step::VirtualStage& part : stage.stage.virtual_stages) {
        for (std::size_t u = 0; u < part.counts.size(); ++u) {
            const step::SegmentCost& segment = stage.on->segments[u];
            const step::SegmentPass pass = step::segment_pass(segment, plan);
            const double again = part.counts[u] > 0 ? static_cast<double>(step::repeated(*stage.on, plan, part, u)) /
                                                          static_cast<double>(part.counts[u])
                                                    : 0;
            const LayerWork layer{.forward = pass.forward.total().value,
                                  .backward = pass.backward.total().value + again * pass.recompute.total().value,
                                  .bytes = {},
                                  .elements = exchanged_elements(stage, segment, exchanged.atoms)};
            layers.insert(layers.end(), static_cast<std::size_t>(part.counts[u]), layer);
            elements += static_cast<double>(part.counts[u]) * layer.elements;
        }
    }
    for (LayerWork& layer : layers) {
        layer.bytes = elements > 0 ? layer.elements / elements * exchanged.size : Bytes{};
    }
    return layers;
}

/// Share of the time of all reductions of gradients that the exchanged ones have.
double exchanged_share(const step::StageWork& stage) {
    Seconds exchanged;
    Seconds all;
    for (const StateTransfer& transfer : stage.states.transfers) {
        const Seconds time = transfer.per_step * transfer.time.time.value;
        const bool of_gradients = transfer.what != StateTransfer::What::parameters;
        all += of_gradients ? time : Seconds{};
        exchanged += is_exchanged(transfer) ? time : Seconds{};
    }
    return all > Seconds{} ? exchanged / all : 0;
}

struct Costed {
    ExchangeCost cost;
    std::optional<std::int64_t> endpoints;
};

/// With as many endpoints as the exchange says, else with those that make the step shortest; of equal ones the fewest.
Costed cost_with_endpoints(const Exchange& exchange, const Network& network, const ReplicaWork& work,
                           std::int64_t cores) {
    const Endpoints& asked = *exchange.endpoints;
    const std::int64_t fewest = asked.cores.value_or(1);
    if (fewest >= cores) {
        fail(asked.where,
             fmt::format("{}: {} of a device of {} as endpoints leave none to compute", exchange.name,
                         fewest == 1 ? "1 core" : fmt::format("{} cores", fewest), cores),
             "fewer cores for endpoints, or a device of more: `multiprocessors` in its file");
    }
    const std::int64_t most = asked.cores.value_or(std::min(asked.most, cores - 1));
    std::optional<Costed> best;
    for (std::int64_t endpoints = fewest; endpoints <= most; ++endpoints) {
        const CoreSplit split{cores, endpoints};
        const ExchangeCost cost =
            exchange_cost(exchange, network_with(split, asked.rate, network), work_beside(split, work));
        if (!best || cost.step < best->cost.step) {
            best = Costed{cost, endpoints};
        }
    }
    return *best;
}

}  // namespace

std::optional<Replicas> find_replicas(const graph::Graph& graph, const cluster::Cluster& cluster,
                                      const step::Prediction& prediction, const Location& where) {
    const plan::Plan& plan = prediction.plan;
    const step::CostedGraph costed = step::cost_graph(graph, cluster, plan, where);
    const std::int64_t microbatches =
        std::max<std::int64_t>(1, plan.batch / (costed.sharded->data_ways * plan.microbatch));
    step::ScheduleTimings orders;
    const step::ComposedStep composed =
        step::compose_plan(costed, plan, step::replica_groups(costed, plan), microbatches, orders);
    const step::StageWork& stage = composed.replicas[composed.critical].slowest_tail();
    const StateTransfer* exchanged = largest_exchange(stage);
    if (exchanged == nullptr) {
        return std::nullopt;
    }
    Replicas replicas{.group = costed.mesh.group(exchanged->atoms), .ranks = plan.devices(), .step = prediction.step};
    const double share = exchanged_share(stage);
    replicas.own_exposed = share * prediction.time[step::TimePart::gradients];
    replicas.own_busy = share * prediction.busy[step::TimePart::gradients];
    replicas.work.layers = layers_of(stage, plan, *exchanged);
    replicas.work.compute = prediction.step.value - replicas.own_exposed;
    replicas.work.gradients.bytes = exchanged->size;
    for (const LayerWork& layer : replicas.work.layers) {
        replicas.work.gradients.elements += layer.elements;
    }
    replicas.algorithm = plan.algorithm;
    replicas.slower = plan.framework[plan::FrameworkParameter::collective];
    const Network network = network_of(cluster, replicas.group, replicas.ranks, plan.algorithm, replicas.slower);
    replicas.work.shown = shown_by(network, replicas.work, replicas.own_exposed);
    return replicas;
}

Replicas replicas_of(const graph::Graph& graph, const cluster::Cluster& cluster, const step::Prediction& prediction,
                     const Location& where) {
    std::optional<Replicas> replicas = find_replicas(graph, cluster, prediction, where);
    if (!replicas) {
        fail_without_exchange(prediction.plan, where);
    }
    return *std::move(replicas);
}

ReplicaExchange replica_exchange(const Exchange& exchange, const cluster::Cluster& cluster, const Replicas& replicas,
                                 std::int64_t batch) {
    const Network network = network_of(cluster, replicas.group, replicas.ranks,
                                       exchange.algorithm ? exchange.algorithm : replicas.algorithm, replicas.slower);
    const Costed costed = exchange.endpoints
                              ? cost_with_endpoints(exchange, network, replicas.work, cluster.device.multiprocessors)
                              : Costed{exchange_cost(exchange, network, replicas.work), {}};
    ReplicaExchange made{.exchange = exchange, .workers = network.workers, .cost = costed.cost};
    made.endpoints = costed.endpoints;
    made.step = replicas.step.rescaled_to(made.cost.step);
    made.compression_measured = exchange.compression.kind != CompressionKind::none &&
                                measured_compression(exchange.compression, cluster.device) != nullptr;
    made.samples_per_second = static_cast<double>(batch) / made.cost.step.in(unit::second);
    return made;
}

}  // namespace dodona::exchange
