// Small drawn worlds: a network, a machine and what is asked.
#pragma once

#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../seeds.hpp"
#include "cluster/cluster.hpp"
#include "files/library.hpp"
#include "graph/graph.hpp"
#include "plan/recompute.hpp"
#include "search/search.hpp"
#include "search/space.hpp"
#include "tests/worlds/memory_rules.hpp"

namespace dodona::drawn {

using namespace dodona::literals;

inline files::Library library() {
    const char* root = std::getenv("DODONA_SOURCE");
    return files::Library(root == nullptr ? "." : root);
}

class Draw {
public:
    explicit Draw(unsigned seed) : random_(seed) {}

    template <class T>
    T of(std::initializer_list<T> values) {
        return *(values.begin() + static_cast<std::ptrdiff_t>(below(values.size())));
    }
    bool one_in(std::size_t n) { return below(n) == 0; }
    double between(double low, double high) { return low + (high - low) * static_cast<double>(below(1000)) / 1000.0; }

    // Not std::uniform_int_distribution: it may draw otherwise in another library.
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_()) % n; }

private:
    std::mt19937 random_;
};

struct Network {
    const char* model;
    std::vector<std::pair<std::string, std::string>> settings;
};

inline Network draw_network(Draw& draw) {
    const std::string layers = draw.of<std::string>({"2", "3", "4", "6", "8"});
    const std::string heads = draw.of<std::string>({"2", "4", "6", "8"});
    std::vector<std::pair<std::string, std::string>> small{
        {"layers", layers}, {"hidden", "192"}, {"heads", heads}, {"vocabulary", "512"}, {"sequence", "64"}};
    const int which = draw.of({0, 0, 1, 2, 2, 3, 4, 5, 6});
    if (which == 1 || which == 2) {
        small.insert(small.end(), {{"kv_heads", "2"}, {"head_dim", "32"}, {"ffn", "384"}});
    }
    switch (which) {
        case 0: return {"gpt", small};
        case 1: return {"llama", small};
        case 2: return {"mixtral", small};
        case 3: return {"resnet18", {}};
        case 4: return {"alexnet", {}};
        case 5: return {"vgg-a", {}};
        default: return {"dlrm-bench", {}};
    }
}

inline cluster::Cluster draw_cluster(Draw& draw, std::int64_t devices) {
    cluster::Cluster cluster;
    cluster.name = "drawn";
    cluster.device = {.name = "device",
                      .memory = draw.of({0.05, 0.2, 0.6, 1.5, 4.0, 16.0}) * 1_GiB,
                      .memory_bandwidth = 900_GB_per_s,
                      .multiprocessors = 80,
                      .matrix = {{Precision::fp32, 15_TFLOP_per_s}, {Precision::bf16, 100_TFLOP_per_s}},
                      .vector = 15_TFLOP_per_s,
                      .tiles = {{64, 64}},
                      .launch = 5_us,
                      .context = draw.of({0.0, 0.01}) * 1_GiB};
    const std::int64_t node = draw.of<std::int64_t>({2, 3, 4, 8});
    cluster.levels = {{.name = "node", .size = node, .bandwidth = 50_GB_per_s, .latency = 10_us},
                      {.name = "system",
                       .size = devices,
                       .links = draw.of({1, 2}),
                       .bandwidth = draw.between(1, 40) * 1_GB_per_s,
                       .latency = 20_us}};
    cluster.host = cluster::Host{.memory = draw.of({0.3, 30.0}) * 1_GiB,
                                 .bandwidth = 10_GB_per_s,
                                 .memory_bandwidth = 40_GB_per_s,
                                 .source = "drawn"};
    cluster.memory_reserve = draw.of({0.0, 0.05});
    return cluster;
}

inline plan::Framework draw_framework(Draw& draw) {
    plan::Framework framework;
    framework.name = "drawn";
    framework.source = "drawn";
    const auto set = [&](plan::FrameworkParameter parameter, double value) {
        framework.number(parameter).value = value;
        framework.number(parameter).lo = value;
        framework.number(parameter).hi = value;
        framework.number(parameter).source = "drawn";
    };
    if (draw.one_in(2)) {
        set(plan::FrameworkParameter::launch, 1e-5);
        set(plan::FrameworkParameter::stragglers, 0.01);
        set(plan::FrameworkParameter::interference, 0.2);
        set(plan::FrameworkParameter::overlap_states, draw.between(0.3, 1));
        set(plan::FrameworkParameter::overlap_layers, draw.between(0.3, 1));
        set(plan::FrameworkParameter::step, 1e-3);
        set(plan::FrameworkParameter::input, 1e-5);
    }
    if (draw.one_in(3)) {
        set(plan::FrameworkParameter::host_update, draw.between(0.5, 4));
    }
    return framework;
}

inline plan::MemoryProfile draw_memory(Draw& draw) {
    plan::MemoryProfile memory;
    if (draw.one_in(2)) {
        memory.fragmentation = 0.07;
        memory.communicator = 1_MiB;
        memory.reduction_bucket = 4_MiB;
        const auto drawn = [&](const plan::MemoryRule& rule, std::int64_t one_in) {
            if (draw.one_in(one_in)) {
                memory.rules.push_back(rule);
            }
        };
        drawn(memory_rules::kGradientCopies, 2);
        drawn(memory_rules::kUpdateCopies, 2);
        drawn(memory_rules::kOffloadedGradients, 3);
    }
    return memory;
}

inline search::Space draw_space(Draw& draw, const graph::Graph& graph, std::int64_t devices) {
    search::Space space;
    space.devices = devices;
    space.batch = draw.of<std::int64_t>({4, 8, 12, 16, 24});
    space.precision = draw.of({Precision::fp32, Precision::bf16});
    for (const std::string& name : library().strategies()) {
        plan::Strategy strategy = library().strategy(name);
        if (search::considered(strategy, graph) && !draw.one_in(3)) {
            space.strategies.push_back(std::move(strategy));
        }
    }
    space.optimizer = draw.of({plan::OptimizerKind::adam, plan::OptimizerKind::momentum, plan::OptimizerKind::sgd});
    space.overlap = {.gradients = draw.one_in(2),
                     .parameters = draw.one_in(2),
                     .tensor = draw.one_in(4),
                     .pipeline = draw.one_in(3),
                     .expert = draw.one_in(4),
                     .offload = draw.one_in(2)};
    space.offload = {.optimizer = draw.one_in(8), .activations = draw.one_in(8), .weights = draw.one_in(8)};
    space.software.front() = {draw_framework(draw), draw_memory(draw), std::nullopt};
    space.vary = {
        .placement = draw.one_in(3), .group = draw.one_in(3), .overlap = draw.one_in(10), .offload = draw.one_in(10)};
    space.vary.schedule = draw.one_in(3);
    space.vary.unusual = draw.one_in(2);
    space.reserve = draw.of({0.0, 0.05, 0.3});
    if (draw.one_in(4)) {
        space.max_memory = 100_MiB;
    }
    if (!space.strategies.empty() && draw.one_in(2)) {
        space.software.push_back({draw_framework(draw), draw_memory(draw), std::nullopt});
        space.software.back().framework.name = "other";
        if (draw.one_in(2)) {
            space.software.back().strategies = {space.strategies.front().name};
        }
    }
    for (search::Software& software : space.software) {
        if (draw.one_in(3)) {
            software.framework.levels = {plan::ShardLevel::gradients, plan::ShardLevel::parameters};
        }
        software.framework.exchanges_once = draw.one_in(3);
        if (software.memory.fragmentation > 0) {
            software.memory.recompute_modules = {
                {.name = "norm", .layers = {{.kinds = {"layer_norm", "rms_norm"}}}, .with = {}},
                {.name = "act", .layers = {{.kinds = {"gelu", "gated", "relu"}}}, .with = {}}};
            software.memory.recomputed_together = {"norm act", "act"};
            software.recompute_modules = plan::modules_together(graph, software.memory);
        }
    }
    return space;
}

struct World {
    std::string network;
    graph::Graph graph;
    cluster::Cluster cluster;
    search::Space space;
};

inline World draw_world(unsigned seed) {
    Draw draw(seed);
    const Network network = draw_network(draw);
    std::vector<files::Setting> settings;
    for (const auto& [name, value] : network.settings) {
        settings.push_back({name, value, {}});
    }
    graph::Graph graph = graph::build(library().model(network.model, settings));
    const auto devices = draw.of<std::int64_t>({2, 3, 4, 6, 8});
    cluster::Cluster cluster = draw_cluster(draw, devices);
    search::Space space = draw_space(draw, graph, devices);
    return {network.model, std::move(graph), std::move(cluster), std::move(space)};
}

/// A mixture whose first blocks are others, in a pipeline of many micro-batches: cuts depend on the micro-batch.
inline World draw_uneven_world(unsigned seed) {
    World world = draw_world(seed);
    Draw draw(seed);
    world.network = "deepseek-v3";
    const std::vector<files::Setting> settings{{"layers", draw.of<std::string>({"5", "7", "8", "10"}), {}},
                                               {"dense_layers", draw.of<std::string>({"1", "3"}), {}},
                                               {"hidden", "192", {}},
                                               {"heads", "4", {}},
                                               {"q_lora", "64", {}},
                                               {"kv_lora", "32", {}},
                                               {"nope", "32", {}},
                                               {"rope", "16", {}},
                                               {"value", "32", {}},
                                               {"ffn", "512", {}},
                                               {"moe_ffn", "128", {}},
                                               {"shared_ffn", "128", {}},
                                               {"experts", "8", {}},
                                               {"top_k", "2", {}},
                                               {"groups", "1", {}},
                                               {"top_groups", "1", {}},
                                               {"vocabulary", "512", {}},
                                               {"sequence", "64", {}}};
    world.graph = graph::build(library().model(world.network, settings));
    const auto devices = draw.of<std::int64_t>({4, 8});
    world.cluster = draw_cluster(draw, devices);
    world.cluster.device.memory = draw.of({30, 60, 100, 160, 250}) * 1_MiB;
    world.space = draw_space(draw, world.graph, devices);
    world.space.strategies = {library().strategy("megatron-moe"), library().strategy("pipeline")};
    world.space.batch = draw.of<std::int64_t>({48, 96, 240});
    world.space.offload = {};
    world.space.max_memory.reset();
    world.space.vary = {.schedule = draw.one_in(4)};
    return world;
}

}  // namespace dodona::drawn
