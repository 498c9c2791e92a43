#include "tables/step_time.hpp"

#include <algorithm>
#include <cmath>

#include "base/ranges.hpp"
#include "cost/collective_time.hpp"
#include "cost/device_time.hpp"
#include "tables/zipf.hpp"

namespace dodona::tables {

namespace {

constexpr const char* kDeviceTier = "device";
constexpr const char* kHostTier = "host";

/// Whether scattered additions of the device were measured.
bool has_scatter_curve(const cluster::Device& device) {
    return std::any_of(device.curves.begin(), device.curves.end(), [](const cluster::KernelCurve& curve) {
        return curve.kind == graph::KernelKind::gather && !curve.exact &&
               curve.direction == graph::Direction::backward_weight;
    });
}

/// The rate of rows of the device's own memory, as gathers of such rows reach it: forward, and backward too where that
/// was measured.
BytesPerSecond gather_rate(const StepQuestion& question, const std::vector<Table>& tables) {
    if (question.row_rate) {
        return *question.row_rate;
    }
    const double features = tables.front().features;
    const double rows = std::max(1.0, static_cast<double>(question.batch) * tables.front().lookups);
    const graph::Kernel kernel{.kind = graph::KernelKind::gather,
                               .m = rows,
                               .n = features,
                               .k = tables.front().rows,
                               .flops = Flop{},
                               .fixed_bytes = rows * features * question.format.element,
                               .pooled = true};
    const cluster::Device& device = question.cluster.device;
    const Seconds time = cost::kernel_time(device, kernel, question.precision).time.value;
    if (!has_scatter_curve(device)) {
        return kernel.fixed_bytes / time;
    }
    graph::Kernel scatter = kernel;
    scatter.direction = graph::Direction::backward_weight;
    scatter.fixed_bytes = backward_traffic(tables.front(), {}, question.format, static_cast<double>(question.batch));
    const Seconds back = cost::kernel_time(device, scatter, question.precision).time.value;
    return (kernel.fixed_bytes + scatter.fixed_bytes) / (time + back);
}

/// The memories of a node beside its devices', fastest first: those of the machine's file, else its host's.
std::vector<cluster::MemoryTier> node_tiers(const cluster::Cluster& cluster) {
    if (!cluster.tiers.empty() || !cluster.host) {
        return cluster.tiers;
    }
    const auto devices = static_cast<double>(cluster.node_size());
    return {{.name = kHostTier,
             .memory = cluster.host->memory,
             .bandwidth = devices * cluster.host->bandwidth,
             .pools = false,
             .source = cluster.host->source}};
}

std::vector<Tier> tiers_of(const StepQuestion& question, const std::vector<Table>& tables) {
    const cluster::Cluster& cluster = question.cluster;
    const auto devices = static_cast<double>(cluster.node_size());
    const double of_device = std::max(0.0, 1 - question.reserve - question.cache);
    std::vector<Tier> tiers{
        {.name = kDeviceTier, .room = of_device * cluster.device.memory, .rate = gather_rate(question, tables)}};
    for (const cluster::MemoryTier& tier : node_tiers(cluster)) {
        const BytesPerSecond share = tier.bandwidth / devices;
        const BytesPerSecond link = cluster.host ? cluster.host->bandwidth : share;
        tiers.push_back({.name = tier.name,
                         .room = tier.memory / devices,
                         .rate = tier.pools ? share : min(share, link),
                         .pools = tier.pools,
                         .link = link});
    }
    if (question.only) {
        std::erase_if(tiers, [&](const Tier& tier) { return tier.name != *question.only; });
    }
    return tiers;
}

/// Copies in the device's memory, as a share of all that does not fit there.
void share_cache(const StepQuestion& question, StepPrediction& answer) {
    const Bytes cache = question.cache * static_cast<double>(question.devices) * question.cluster.device.memory;
    Bytes elsewhere = answer.held;
    const Tier& first = answer.question.tiers.front();
    if (first.name == kDeviceTier) {
        elsewhere += -(static_cast<double>(question.devices) * first.room);
    }
    for (Tier& tier : answer.question.tiers) {
        if (tier.name != kDeviceTier && !tier.pools && elsewhere > Bytes{}) {
            tier.cached = std::min(1.0, cache / elsewhere);
        }
    }
}

/// Kernels of all layers without tables, of one device's samples.
Seconds dense_time(const StepQuestion& question, double samples) {
    Seconds sum;
    for (graph::Vertex v = 0; v < question.graph.layers.size(); ++v) {
        const graph::Layer& layer = question.graph.layer(v);
        const bool has_table = std::any_of(layer.nest.weights.begin(), layer.nest.weights.end(),
                                           [](const graph::Weight& weight) { return weight.touched > 0; });
        if (layer.kind == graph::kNetworkInput || has_table || !layer.nest.work) {
            continue;
        }
        graph::LocalExtents local;
        append(local.loops, layer.nest.loops, [](const graph::Loop& loop) { return static_cast<double>(loop.extent); });
        local.loops.front() = samples;
        const graph::Work work = graph::directed(layer.nest.work(local));
        Seconds time;
        const auto add = [&](const std::vector<graph::Kernel>& kernels, bool runs) {
            for (const graph::Kernel& kernel : kernels) {
                time += runs ? kernel.times *
                                   cost::kernel_time(question.cluster.device, kernel, question.precision).time.value
                             : Seconds{};
            }
        };
        add(work.forward, true);
        add(work.backward_input, layer.input_gradient);
        add(work.backward_weight, layer.trains());
        sum += static_cast<double>(question.graph.instances(v)) * time;
    }
    return sum;
}

double dense_parameters(const graph::Graph& graph) {
    double sum = 0;
    for (graph::Vertex v = 0; v < graph.layers.size(); ++v) {
        for (const graph::Weight& weight : graph.layer(v).nest.weights) {
            sum += weight.touched > 0 || !weight.tied_to.empty()
                       ? 0
                       : static_cast<double>(graph.instances(v)) * weight.elements();
        }
    }
    return sum;
}

Seconds collective(const StepQuestion& question, cluster::Collective kind, Bytes size) {
    if (question.devices < 2 || size <= Bytes{}) {
        return {};
    }
    const cost::CollectiveRequest request{
        .collective = kind, .group = {{{1, question.devices}}}, .size = size, .ranks = question.devices};
    return cost::collective_time(question.cluster, request).time.value;
}

/// Sums that the busiest device sends.
Bytes most_pooled(const Placement& placement) { return *max_element(placement.device_pooled); }

Seconds exchange_time(const StepQuestion& question, const Placement& placement) {
    return 2 * collective(question, cluster::Collective::all_to_all, most_pooled(placement));
}

Seconds all_reduce_time(const StepQuestion& question, Bytes gradients) {
    return collective(question, cluster::Collective::all_reduce, gradients);
}

/// Rows of a table that a device looks up at least `often` times a step.
double frequent_rows(const StepQuestion& question, const Table& table, double often) {
    const double lookups = static_cast<double>(question.batch) / static_cast<double>(question.devices) * table.lookups;
    const double of_first = lookups / generalised_harmonic(table.rows, question.zipf) / often;
    if (question.zipf == 0) {
        return of_first >= 1 ? table.rows : 0;
    }
    return std::min(table.rows, std::floor(std::pow(of_first, 1 / question.zipf)));
}

/// Rows on all devices, where that is faster than to exchange all sums.
void replicate(const StepQuestion& question, StepPrediction& answer) {
    const std::vector<Table>& tables = answer.question.tables;
    const StepPrediction without = answer;
    const auto exchanged = [&](const StepPrediction& of) {
        return exchange_time(question, of.placement) + all_reduce_time(question, of.reduced);
    };
    for (int halvings = -kMaxHalvings; halvings <= kMaxHalvings; ++halvings) {
        StepPrediction tried = without;
        std::vector<double> sent;
        for (const Table& table : tables) {
            const double rows = frequent_rows(question, table, std::exp2(-halvings));
            tried.replicated += rows;
            tried.reduced += rows * table.features * question.format.pooled;
            sent.push_back(1 - std::pow(hit_rate(rows, table.rows, question.zipf), table.lookups));
        }
        std::fill(tried.placement.device_pooled.begin(), tried.placement.device_pooled.end(), Bytes{});
        for (const Placed& part : tried.placement.shards) {
            const std::size_t t = part.shard.table;
            tried.placement.device_pooled[static_cast<std::size_t>(part.device)] +=
                sent[t] * pooled(tables[t], part.shard, question.format, answer.question.samples);
        }
        if (exchanged(tried) < exchanged(answer)) {
            answer = std::move(tried);
        }
    }
}

/// Bandwidth out of one child; none for kinds that are not compared.
std::optional<BytesPerSecond> out_of_child(const cluster::Level& level) {
    const BytesPerSecond links = static_cast<double>(level.links) * level.bandwidth;
    switch (level.kind) {
        case cluster::LevelKind::switched:
        case cluster::LevelKind::ring: return links;
        case cluster::LevelKind::all_to_all: return static_cast<double>(level.size - 1) * links;
        default: return std::nullopt;
    }
}

}  // namespace

std::vector<OtherFabric> other_fabrics(const StepQuestion& question, const StepPrediction& prediction) {
    const cluster::Level& own = question.cluster.levels.front();
    const auto out = out_of_child(own);
    if (!out || own.size < 3) {
        return {};
    }
    std::vector<OtherFabric> fabrics;
    for (const auto& [kind, links] : {std::pair{cluster::LevelKind::all_to_all, std::int64_t{1}},
                                      std::pair{cluster::LevelKind::switched, std::int64_t{1}},
                                      std::pair{cluster::LevelKind::ring, std::int64_t{2}}}) {
        cluster::Cluster cluster = question.cluster;
        if (kind != own.kind) {
            cluster::Level& level = cluster.levels.front();
            const double shares =
                kind == cluster::LevelKind::all_to_all ? static_cast<double>(own.size - 1) : static_cast<double>(links);
            level.kind = kind;
            level.links = links;
            level.bandwidth = *out / shares;
            level.in_network.reset();
        }
        const StepQuestion other{.graph = question.graph, .cluster = cluster, .devices = question.devices};
        fabrics.push_back(
            {kind, exchange_time(other, prediction.placement), all_reduce_time(other, prediction.reduced)});
    }
    return fabrics;
}

Seconds StepPrediction::step() const {
    return sum_of<Seconds>(times, [](const Seconds part) { return part; });
}

Part StepPrediction::longest() const { return static_cast<Part>(max_element(times) - times.begin()); }

std::vector<std::string> tier_names(const cluster::Cluster& cluster) {
    std::vector<std::string> names{kDeviceTier};
    append(names, node_tiers(cluster), &cluster::MemoryTier::name);
    return names;
}

StepPrediction predict(const StepQuestion& question) {
    StepPrediction answer;
    const std::vector<Table> tables = tables_of(question.graph);
    const auto batch = static_cast<double>(question.batch);
    for (std::size_t t = 0; t < tables.size(); ++t) {
        const double elements = tables[t].rows * tables[t].features;
        answer.parameters += elements;
        answer.weights += elements * question.format.element;
        answer.held += held(tables[t], {}, question.format);
        answer.lookups += forward_traffic(tables[t], {}, question.format, batch);
    }
    answer.dense_parameters = dense_parameters(question.graph);
    answer.reduced = answer.dense_parameters * 4_B;
    answer.question = {.tables = tables,
                       .format = question.format,
                       .tiers = tiers_of(question, tables),
                       .devices = question.devices,
                       .samples = batch,
                       .cache_rate = gather_rate(question, tables),
                       .zipf = question.zipf,
                       .may_split = question.may_split};
    share_cache(question, answer);
    answer.placement = place(answer.question);
    if (!answer.placement.unplaced.empty()) {
        return answer;
    }
    if (question.replicate) {
        replicate(question, answer);
    }
    const auto set = [&](Part part, Seconds time) { answer.times[static_cast<std::size_t>(part)] = time; };
    set(Part::lookups, answer.placement.longest);
    set(Part::exchange, exchange_time(question, answer.placement));
    set(Part::dense, dense_time(question, batch / static_cast<double>(question.devices)));
    set(Part::all_reduce, all_reduce_time(question, answer.reduced));
    return answer;
}

}  // namespace dodona::tables
