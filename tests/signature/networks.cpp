#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "../derivation/drawn_plan.hpp"
#include "base/text_hash.hpp"
#include "plan/mesh.hpp"
#include "plan/recompute.hpp"
#include "prediction.hpp"
#include "search/space.hpp"
#include "step/evaluate.hpp"
#include "step/pipeline_costs.hpp"
#include "step/uncertainty.hpp"
#include "step/validate.hpp"
#include "tests/worlds/memory_rules.hpp"

namespace dodona::signature {

namespace {

namespace networks {

using cluster::Level;
using cluster::LevelKind;
using drawn::Draw;
using plan::FrameworkParameter;
using namespace dodona::literals;

constexpr unsigned kSeeds = 1200;  ///< one in six makes a plan that runs

drawn::Network drawn_network(Draw& draw) {
    const std::vector<std::pair<std::string, std::string>> small{{"layers", draw.of<std::string>({"3", "4", "6", "8"})},
                                                                 {"hidden", "256"},
                                                                 {"heads", "8"},
                                                                 {"vocabulary", "1024"},
                                                                 {"sequence", "128"}};
    const auto with = [&](std::vector<std::pair<std::string, std::string>> more) {
        more.insert(more.end(), small.begin(), small.end());
        return more;
    };
    const auto llama = with({{"kv_heads", "4"}, {"ffn", "512"}});
    switch (draw.of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19})) {
        case 0: return {"gpt", small};
        case 1: return {"llama-tied", llama};
        case 2: return {"llama+lora", llama};
        case 3: return {"llama+qlora", llama};
        case 4: return {"llama+dpo", llama};
        case 5: return {"llama+grpo", llama};
        case 6: return {"llama+qlora+dpo", llama};
        case 7: return {"mixtral", with({{"kv_heads", "4"}, {"head_dim", "32"}, {"ffn", "512"}, {"imbalance", "1.3"}})};
        case 8:
            return {
                "qwen3-moe",
                with({{"kv_heads", "4"}, {"head_dim", "32"}, {"moe_ffn", "128"}, {"experts", "16"}, {"top_k", "2"}})};
        case 9: return {"bert-large", small};
        case 10: return {"gnmt", {{"hidden", "256"}, {"layers", "4"}, {"vocabulary", "2000"}}};
        case 11: return {"transformer-xl-base", {{"layers", "4"}, {"hidden", "256"}, {"heads", "8"}}};
        case 12: return {"t5-large", {}};
        case 13: return {"vit-large", {{"layers", "6"}, {"hidden", "256"}, {"heads", "8"}}};
        case 14: return {"unet2d-medical", {}};
        case 15: return {"cosmoflow-128", {}};
        case 16: return {"resnext101-32x4d", {}};
        case 17: return {"dlrm-mlperf", {}};
        case 18: return {"ssd300-resnet50", {}};
        default: return {"alexnet-owt", {}};
    }
}

cluster::Device drawn_device(Draw& draw, const std::string& name) {
    cluster::Device device{.name = name,
                           .source = "drawn",
                           .memory = draw.of({0.4, 1.0, 3.0, 40.0, 80.0}) * 1_GiB,
                           .memory_bandwidth = draw.of({900.0, 2000.0}) * 1_GB_per_s,
                           .multiprocessors = draw.of({80, 108}),
                           .matrix = {{Precision::fp32, 20_TFLOP_per_s},
                                      {Precision::bf16, draw.of({125.0, 312.0}) * 1_TFLOP_per_s},
                                      {Precision::fp8, 624_TFLOP_per_s}},
                           .vector = 20_TFLOP_per_s,
                           .tiles = {{128, 128}, {64, 64}},
                           .launch = draw.of({0.0, 3.0}) * 1_us,
                           .context = 100_MiB};
    device.typical = draw.one_in(2);
    return device;
}

Level drawn_level(Draw& draw, bool inner) {
    Level level{.name = inner ? "node" : "system",
                .size = draw.of<std::int64_t>({2, 4, 8}),
                .links = draw.of<std::int64_t>({1, 2, 4}),
                .bandwidth = draw.between(5, 50) * 1_GB_per_s,
                .latency = draw.of({2.0, 10.0}) * 1_us};
    level.kind = inner ? draw.of({LevelKind::switched, LevelKind::all_to_all, LevelKind::ring, LevelKind::bus})
                       : draw.of({LevelKind::switched, LevelKind::fat_tree, LevelKind::rail, LevelKind::torus,
                                  LevelKind::dragonfly});
    level.efficiency = draw.of({1.0, 0.8});
    if (level.kind == LevelKind::fat_tree) {
        level.taper = 2;
    } else if (level.kind == LevelKind::torus && level.size > 2) {
        level.sizes = {level.size / 2, 2};
    }
    level.routing = draw.of({cluster::Routing::minimal, cluster::Routing::valiant, cluster::Routing::adaptive});
    if (level.kind == LevelKind::switched && draw.one_in(3)) {
        level.in_network = cluster::InNetwork{.bandwidth = 60_GB_per_s, .latency = 3_us};
    }
    return level;
}

cluster::Cluster drawn_cluster(Draw& draw, const graph::Graph& network) {
    cluster::Cluster cluster;
    cluster.name = "drawn";
    cluster.source = "drawn";
    cluster.device = drawn_device(draw, "device");
    cluster.levels = {drawn_level(draw, true), drawn_level(draw, false)};
    if (draw.one_in(4)) {
        cluster.levels.push_back(drawn_level(draw, false));
    }
    if (draw.one_in(3)) {
        cluster.mixed = {{.first = draw.of<std::int64_t>({0, 2}),
                          .ranks = draw.of<std::int64_t>({1, 2}),
                          .device = drawn_device(draw, "other")}};
    }
    cluster.host = cluster::Host{.memory = draw.of({3.0, 200.0}) * 1_GiB,
                                 .bandwidth = 20_GB_per_s,
                                 .memory_bandwidth = 50_GB_per_s,
                                 .source = "drawn"};
    if (draw.one_in(2)) {
        cluster.storage = cluster::Storage{
            .bandwidth = draw.of({0.01, 1.0}) * 1_GB_per_s, .prefetch = draw.one_in(2), .source = "drawn"};
    }
    if (draw.one_in(6)) {
        cluster.interference = cluster::Interference{.lost = 0.3, .source = "drawn"};
    }
    if (draw.one_in(6)) {
        cluster.contention = 2;
    }
    if (draw.one_in(6)) {
        cluster.staging = cluster::Staging{.latency = 20_us,
                                           .bandwidth = 6_GB_per_s,
                                           .applies_to = {cluster::Collective::send, cluster::Collective::halo},
                                           .source = "drawn"};
    }
    if (draw.one_in(8)) {
        cluster.measured_samples = {
            {.model = network.name, .forward_backward = 3000_us, .update = 1000_us, .source = "drawn"}};
    }
    cluster.memory_reserve = draw.of({0.0, 0.1});
    return cluster;
}

plan::Framework drawn_framework(Draw& draw) {
    plan::Framework framework;
    framework.name = "drawn";
    framework.source = "drawn";
    framework.spread = draw.of({0.0, 0.05});
    framework.between_sources = draw.of({0.0, 0.1});
    const auto seed = static_cast<unsigned>(draw.below(1U << 30U));
    for (std::size_t i = 0; i < framework.numbers.size(); ++i) {
        const plan::FrameworkParameterKind& kind = plan::kFrameworkParameters[i];
        Draw own(seed ^ static_cast<unsigned>(text_hash(kind.word)));  // a new parameter changes no other's
        double value = own.of({kind.neutral, kind.neutral, 0.8, 1.2});
        if (kind.is_time) {
            value = own.of({0.0, 2e-6, 1e-5});
        } else if (kind.parameter == FrameworkParameter::im2col_samples) {
            value = own.of({0.0, 0.0, 2.0});
        }
        value = std::clamp(value, kind.least, std::min(kind.most, kind.neutral == 0 ? kind.most : 2.0));
        framework.numbers[i] = {value, 0.8 * value, 1.3 * value, std::nullopt, "drawn"};
    }
    framework.number(FrameworkParameter::stragglers).value = draw.of({0.0, 0.02});
    return framework;
}

plan::MemoryProfile drawn_memory(Draw& draw) {
    plan::MemoryProfile memory = drawn::draw_memory(draw);
    const std::vector<std::vector<plan::MemoryRule>> losses{
        {}, memory_rules::kSeparateLoss, memory_rules::kSeparateLoss, {memory_rules::kLossInPlace}};
    memory.prepend(losses[static_cast<std::size_t>(draw.of({0.0, 1.0, 2.0, 3.0}))]);
    for (const plan::MemoryRule& rule : {memory_rules::kPlaceholders, memory_rules::kQuantisedInputs,
                                         memory_rules::kGateResults, memory_rules::kQuantisedGates}) {
        if (draw.one_in(2)) {
            memory.rules.push_back(rule);
        }
    }
    if (draw.of({0.0, 1.5}) > 0) {
        memory.rules.push_back(memory_rules::kSharedInputs);
    }
    memory.workspace = draw.of({0.0, 16.0}) * 1_MiB;
    return memory;
}

plan::Plan drawn_plan(Draw& draw, const graph::Graph& network, const cluster::Cluster& cluster,
                      const plan::Strategy& strategy) {
    drawn::World world{.network = network.name, .graph = {}, .cluster = cluster, .space = {}};
    world.space.precision = draw.of({Precision::fp32, Precision::bf16, Precision::bf16, Precision::fp8});
    world.space.optimizer =
        draw.of({plan::OptimizerKind::adam, plan::OptimizerKind::lamb, plan::OptimizerKind::adafactor,
                 plan::OptimizerKind::adam_bf16, plan::OptimizerKind::rowwise_adagrad, plan::OptimizerKind::sgd});
    plan::Plan plan = drawn::draw_plan(draw, world, strategy);
    plan.framework = drawn_framework(draw);
    plan.memory = drawn_memory(draw);
    if (draw.one_in(6)) {
        plan.recompute = plan::RecomputeKind::layers;
        for (const char* pattern : {"*norm*", "*attention", "*relu*", "*pool*"}) {
            plan::Match match;
            match.names = {pattern};
            plan::Plan alone;
            alone.recompute_layers = {match};
            if (plan::unmatched_layers(network, alone).empty()) {
                plan.recompute_layers.push_back(match);
            }
        }
    }
    if (plan.pipeline_stages() > 1) {
        plan.schedule = draw.one_in(3) ? plan::ScheduleKind::one_forward_one_backward
                                       : static_cast<plan::ScheduleKind>(draw.below(schedule::schedules().size()));
        const auto [least, most] = plan::schedule_of(plan.schedule).traits.virtual_stages;
        plan.virtual_stages = std::max<std::int64_t>(least, std::min<std::int64_t>(most, 2));
    }
    if (draw.one_in(4)) {
        plan.gradient_precision = draw.of({Precision::bf16, Precision::fp32});
    }
    const std::int64_t positions = plan.pipeline_stages() * plan.virtual_stages;
    if (positions > 1 && network.block_count() >= positions && draw.one_in(5)) {
        plan.stages.assign(static_cast<std::size_t>(positions), 1);
        plan.stages.back() += network.block_count() - positions;
    }
    plan.algorithm.reset();
    return plan;
}

/// What each task of a pipeline takes.
void add_tasks(Records& records, const step::PipelineCosts& costs) {
    const auto us = [](Seconds time) { return 1e6 * time.in(unit::second); };
    for (std::size_t i = 0; i < costs.positions.size(); ++i) {
        const step::PositionCost& cost = costs.positions[i];
        const auto add = [&](const char* what, double value) {
            records.add(fmt::format("task {}: position {}", what, i), value);
        };
        add("forward", us(cost.forward));
        add("recompute", us(cost.recompute));
        add("backward", us(cost.backward));
        add("weight gradients", us(cost.weight_gradients));
        add("receive", us(cost.receive));
        add("links", us(cost.forward_links));
        add("links of recomputation", us(cost.recompute_links));
        add("links of backward", us(cost.backward_links));
        add("hidden", us(cost.hidden));
        add("memory kept", cost.kept.in(unit::byte));
        add("memory kept for weights", cost.kept_for_weights.in(unit::byte));
    }
    for (std::size_t i = 0; i < costs.tails.size(); ++i) {
        const step::StageTail& tail = costs.tails[i];
        records.add(fmt::format("end of a step: gradients of stage {}", i), us(tail.gradients));
        records.add(fmt::format("end of a step: optimizer of stage {}", i), us(tail.optimizer));
        records.add(fmt::format("end of a step: parameters of stage {}", i), us(tail.parameters));
        records.add(fmt::format("end of a step: overhead of stage {}", i), us(tail.overhead));
    }
    for (std::size_t i = 0; i < costs.memory.size(); ++i) {
        const step::StageMemory& memory = costs.memory[i];
        records.add(fmt::format("memory of stages: always {}", i), memory.always.in(unit::byte));
        records.add(fmt::format("memory of stages: working {}", i), memory.recompute_peak.in(unit::byte));
        records.add(fmt::format("memory of stages: unusable {}", i), memory.unusable);
        records.add(fmt::format("memory of stages: allocated {}", i), memory.predicted.allocated.in(unit::byte));
        records.add(fmt::format("memory of stages: limit {}", i), memory.limit.in(unit::byte));
    }
    records.add("time outside of passes", us(costs.outside));
    records.add("input: reading", us(costs.input.reading));
    records.add("input: decoding", us(costs.input.decoding));
    records.add("input: feeding", us(costs.input.feeding));
    records.add("input: fixed", us(costs.input.fixed));
}

graph::Graph built(const files::Library& library, const drawn::Network& asked) {
    std::vector<files::Setting> settings;
    for (const auto& [name, value] : asked.settings) {
        settings.push_back({name, value, {}});
    }
    graph::Graph network = graph::build(library.model(asked.model, settings));
    network.source = "drawn";
    network.dataset.samples = 1000;
    network.dataset.sample_bytes = 100'000_B;
    return network;
}

}  // namespace networks

}  // namespace

void add_networks(Records& records) {
    using namespace networks;
    const files::Library library = drawn::library().remembering();
    const std::vector<std::string> strategies = library.strategies();
    std::optional<step::Prediction> before;
    for (unsigned seed = 40'000; seed < 40'000 + kSeeds; ++seed) {
        Draw draw(seed);
        const drawn::Network asked = drawn_network(draw);
        const graph::Graph network = built(library, asked);
        const cluster::Cluster cluster = drawn_cluster(draw, network);
        const plan::Strategy strategy = library.strategy(strategies[draw.below(strategies.size())]);
        const plan::Plan plan = drawn_plan(draw, network, cluster, strategy);
        // Most have a pipeline: they have most to say.
        const bool wanted = search::considered(strategy, network) && (plan.pipeline_stages() > 1 || draw.one_in(3)) &&
                            step::plan_faults(network, cluster, plan, {}).all().empty();
        if (!wanted) {
            continue;
        }
        const step::CostedGraph costed = step::cost_graph(network, cluster, plan, {});
        const std::optional<Bytes> most = draw.one_in(4) ? std::optional(512_MiB) : std::nullopt;
        const step::Prediction p = step::evaluate(costed, plan, step::Detail::full, most);
        if (p.why_not && std::holds_alternative<plan::Limit>(*p.why_not) && !draw.one_in(8)) {
            continue;
        }
        records.ask(fmt::format("drawn {}{}", asked.model, cluster.mixed.empty() ? "" : " on mixed devices"),
                    fmt::format("{}, {} {} on {}", seed, strategy.name, name(plan.schedule), cluster.devices()));
        add(records, p);
        if (before && before->runs && p.runs) {
            records.add("interval of a difference",
                        step::difference(p.uncertainty, before->uncertainty, plan.framework));
        }
        if (p.runs && cluster.mixed.empty()) {
            add_tasks(records, step::cost_plan(network, cluster, plan).costs);
        }
        before = p;
    }
}

}  // namespace dodona::signature
