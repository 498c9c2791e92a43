#include "generation/engine.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <variant>

#include "base/ranges.hpp"
#include "cost/device_time.hpp"
#include "graph/weight_storage.hpp"
#include "step/layer_times.hpp"
#include "step/segment_cost.hpp"

namespace dodona::generation {

namespace {

using graph::Graph;
using graph::Layer;
using graph::Vertex;

plan::Plan plan_of(const EngineSettings& settings, std::int64_t samples) {
    plan::Plan plan;
    plan.strategy = settings.strategy;
    plan.mesh = {{"tensor", settings.tensor}};
    plan.batch = plan.microbatch = samples;
    plan.precision = settings.precision;
    return plan;
}

/// Experts that no token goes to are not read: of `tokens`, (1 - d)^tokens of them.
Estimate unread(const step::CostedGraph& costed, const plan::Plan& plan, double tokens) {
    step::LayerTimes times(*costed.graph, *costed.devices.front().device, plan);
    Estimate time;
    for (Vertex v = 0; v < costed.graph->layers.size(); ++v) {
        const graph::Nest& nest = costed.graph->layer(v).nest;
        const auto* expert = found_in(nest.loops, [](const graph::Loop& loop) { return loop.density < 1; });
        if (expert != nullptr && !nest.weights.empty()) {
            const double share = std::pow(1 - expert->density, tokens);
            time += share * static_cast<double>(costed.graph->instances(v)) *
                    times.of(v, costed.sharded->layers[v].local, {}).forward.total();
        }
    }
    return time;
}

/// A pass over so many samples of `tokens` each.
Estimate forward(const Graph& graph, const cluster::Cluster& cluster, const EngineSettings& settings,
                 std::int64_t samples, double tokens) {
    const plan::Plan plan = plan_of(settings, samples);
    const step::CostedGraph costed = step::cost_graph(graph, cluster, plan, {});
    Estimate time;
    for (std::size_t s = 0; s < costed.segments.size(); ++s) {
        time += static_cast<double>(graph.segments[s].count) * costed.segments[s].forward.total();
    }
    const Estimate less = unread(costed, plan, static_cast<double>(samples) * tokens);
    return {time.value - less.value, time.lo - less.lo, time.hi - less.hi};
}

/// Whether it keeps the network from running. Norms of key/value heads that are fewer than the devices are repeated with them.
bool breaks(const plan::Limit& limit) {
    const auto* loop = std::get_if<plan::LoopLimit>(&limit.cause);
    const bool repeated =
        loop != nullptr && loop->loop == "feature" && loop->pieces > 0 && limit.ways % loop->pieces == 0;
    return limit.broken() && !repeated;
}

/// Whether a loop of that name indexes a dimension of the operand.
bool has_loop(const graph::Nest& nest, const graph::Operand& operand, std::string_view name) {
    const int loop = nest.loop(name);
    return loop != graph::kNoLoop && operand.has(loop);
}

/// The layer and those before it, as long as each reads one tensor of the network's own.
std::vector<Vertex> chain_before(const Graph& graph, Vertex v) {
    std::vector<Vertex> chain{v};
    while (graph.layer(chain.back()).producers.size() == 1 &&
           graph.layer(graph.layer(chain.back()).producers.front()).kind != graph::kNetworkInput) {
        chain.push_back(graph.layer(chain.back()).producers.front());
    }
    return chain;
}

/// Elements of a tensor on one device. Heads that are repeated are so where a product makes them; what follows element by
/// element is split further.
double local_elements(const step::CostedGraph& costed, Vertex v) {
    double elements = 0;
    for (const Vertex before : chain_before(*costed.graph, v)) {
        if (costed.graph->layer(before).nest.result.elements() != costed.graph->layer(v).nest.result.elements()) {
            break;
        }
        elements = std::max(elements, costed.sharded->layers[before].output_elements);
    }
    return elements;
}

/// The narrowest tensor from which both follow.
std::optional<Vertex> narrowest_common(const Graph& graph, Vertex keys, Vertex values) {
    const std::vector<Vertex> of_values = chain_before(graph, values);
    std::optional<Vertex> found;
    for (const Vertex v : chain_before(graph, keys)) {
        const bool common = std::find(of_values.begin(), of_values.end(), v) != of_values.end();
        if (common && (!found || graph.layer(v).nest.result.elements() < graph.layer(*found).nest.result.elements())) {
            found = v;
        }
    }
    return found;
}

/// Elements that an attention of one position a sample keeps of it on one device; 0: the layer is none.
double kept_elements(const step::CostedGraph& costed, Vertex v) {
    const Graph& graph = *costed.graph;
    const Layer& layer = graph.layer(v);
    const graph::Nest& nest = layer.nest;
    const auto local = [&](Vertex of) { return local_elements(costed, of); };
    if (nest.loop("head") == graph::kNoLoop || layer.producers.size() != nest.inputs.size()) {
        return 0;
    }
    if (nest.inputs.size() == 1) {  // queries, keys and values in one tensor, as many values as results a head
        const double cached = nest.loop("sequence") == graph::kNoLoop ? 0 : local(layer.producers.front()) - local(v);
        return std::max(0.0, cached);
    }
    std::set<Vertex> kept;
    std::vector<Vertex> indexed;
    for (std::size_t i = 1; i < nest.inputs.size(); ++i) {
        if (has_loop(nest, nest.inputs[i], "key")) {
            indexed.push_back(layer.producers[i]);
        }
    }
    constexpr std::size_t kWithSharedPart = 3;
    kept.insert(indexed.begin(), indexed.end());
    if (indexed.size() >= kWithSharedPart) {
        const auto latent = narrowest_common(graph, indexed[0], indexed[1]);
        if (latent && local(*latent) < local(indexed[0]) + local(indexed[1])) {
            kept.erase(indexed[0]);
            kept.erase(indexed[1]);
            kept.insert(*latent);
        }
    }
    return sum_of<double>(kept, [&](const Vertex one) { return local(one); });
}

/// w of pairs = w L - w^2 / 2, which a causal mask leaves of L positions. One position has half a pair.
double window_of(const Layer& token, const Layer& longest, double positions) {
    const auto arithmetic = [](const Layer& layer) { return layer.nest.work(layer.nest.whole()).model_forward; };
    const Flop one = arithmetic(token);
    const double pairs = one > Flop{} ? arithmetic(longest) / one / 2 : positions * positions / 2;
    return positions - std::sqrt(std::max(0.0, positions * positions - 2 * pairs));
}

std::vector<CachePart> cache_of(const step::CostedGraph& token, const EngineNetworks& networks, Bytes element) {
    constexpr double kEqual = 1e-6;
    std::vector<CachePart> parts;
    for (Vertex v = 0; v < token.graph->layers.size(); ++v) {
        const double elements = kept_elements(token, v);
        if (elements <= 0) {
            continue;
        }
        const double window = window_of(token.graph->layer(v), networks.longest.layer(v), networks.longest_tokens);
        const Bytes position = static_cast<double>(token.graph->instances(v)) * elements * element;
        auto* same =
            found_in(parts, [&](const CachePart& part) { return std::abs(part.window - window) <= kEqual * window; });
        if (same != nullptr) {
            same->position += position;
        } else {
            parts.push_back({position, window});
        }
    }
    return parts;
}

Bytes weights_of(const step::CostedGraph& costed) {
    Bytes bytes;
    for (Vertex v = 0; v < costed.graph->layers.size(); ++v) {
        for (const plan::WeightShard& weight : costed.sharded->layers[v].weights) {
            const Bytes each = graph::stored_weight(weight.storage, training_bytes(costed.precision).weight);
            bytes += weight.tied ? Bytes{} : static_cast<double>(costed.graph->instances(v)) * weight.elements * each;
        }
    }
    return bytes;
}

}  // namespace

std::optional<Engine> Engine::of(const EngineNetworks& networks, const cluster::Cluster& cluster,
                                 const EngineSettings& settings) {
    const step::CostedGraph token = step::cost_graph(networks.token, cluster, plan_of(settings, 1), {});
    if (std::any_of(token.sharded->limits.begin(), token.sharded->limits.end(), breaks)) {
        return std::nullopt;
    }
    constexpr Bytes kPass = 1_GiB;
    const auto together = static_cast<std::int64_t>(std::ceil(kPrefillTokens / networks.prompt_tokens));
    const Estimate prompts = forward(networks.prompt, cluster, settings, together, networks.prompt_tokens);
    EngineCosts costs{.tensor = settings.tensor,
                      .weights = weights_of(token),
                      .cache = cache_of(token, networks, training_bytes(settings.precision).weight),
                      .prefill = (1 / static_cast<double>(together)) * prompts,
                      .passes = {},
                      .byte = (1_B / kPass) * cost::stream_time(cluster.device, kPass).time};
    for (std::int64_t sequences = 1; sequences < 2 * settings.sequences; sequences *= 2) {
        costs.passes.push_back(
            {static_cast<double>(sequences), forward(networks.token, cluster, settings, sequences, 1)});
    }
    return Engine(std::move(costs));
}

Bytes Engine::cache(double tokens) const {
    return sum_of<Bytes>(costs_.cache,
                         [&](const CachePart& part) { return std::min(tokens, part.window) * part.position; });
}

Estimate Engine::decode(double sequences, double tokens) const {
    const std::vector<DecodePass>& passes = costs_.passes;
    const auto above =
        std::find_if(passes.begin(), passes.end(), [&](const DecodePass& pass) { return pass.sequences >= sequences; });
    Estimate time;
    if (above == passes.end()) {
        time = (sequences / passes.back().sequences) * passes.back().time;
    } else if (above == passes.begin()) {
        time = above->time;
    } else {
        const DecodePass& below = *std::prev(above);
        const double share = (sequences - below.sequences) / (above->sequences - below.sequences);
        time = (1 - share) * below.time + share * above->time;
    }
    return time + (sequences * (cache(tokens) / 1_B)) * costs_.byte;
}

}  // namespace dodona::generation
