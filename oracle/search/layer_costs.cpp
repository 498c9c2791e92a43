#include "search/layer_costs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plan/operands.hpp"
#include "step/replica.hpp"
#include "step/segment_memory.hpp"
#include "step/stage_time.hpp"
#include "step/state_sharding.hpp"

namespace dodona::search {

using graph::Vertex;
using plan::RecomputeKind;
using step::CostedGraph;
using step::StateTransfer;

namespace {

/// A stand-in for a tensor that the layer reads: a layer without inputs, weights and work.
graph::Layer stand_in(const graph::Layer& producer) {
    graph::Layer layer = producer;
    layer.kind = graph::kNetworkInput;
    layer.role.clear();
    layer.count = 1;
    layer.segment = 0;
    layer.producers.clear();
    layer.consumers.clear();
    layer.nest_number = 0;
    graph::Nest& nest = layer.nest;
    nest.inputs.clear();
    nest.weights.clear();
    nest.statistics.clear();
    nest.recurrences.clear();
    nest.saved.clear();
    nest.follows = false;
    nest.work = [](const graph::LocalExtents&) { return graph::Work{}; };
    nest.selective_work = nullptr;
    return layer;
}

Seconds shows(const step::ExposedStates& states) { return states.gradients + states.parameters + states.interference; }

constexpr Seconds kEndless = 1'000_s;

/// One of each kind of transfer that a level of sharding makes, so long that no window hides it: what they show less
/// beside a pass is what hides behind that pass.
std::vector<StateTransfer> endless(const plan::Plan& plan) {
    std::vector<StateTransfer> transfers;
    const auto add = [&](StateTransfer::What what, plan::ShardLevel every_pass, plan::Phase beside) {
        StateTransfer transfer{.what = what,
                               .per_step = 1,
                               .per_pass = plan.exchanged_shard() >= every_pass,
                               .beside = beside,
                               .time = {}};
        transfer.time.time = Estimate::exactly(kEndless);
        transfers.push_back(transfer);
    };
    add(StateTransfer::What::gradients, plan::ShardLevel::gradients, plan::Phase::backward);
    if (plan.exchanged_shard() != plan::ShardLevel::none) {
        add(StateTransfer::What::parameters, plan::ShardLevel::parameters, plan::Phase::forward);
    }
    if (plan.exchanged_shard() == plan::ShardLevel::parameters && !plan.keep_parameters) {
        add(StateTransfer::What::parameters, plan::ShardLevel::parameters, plan::Phase::backward);
    }
    return transfers;
}

bool in_parts(const plan::Plan& plan) { return plan.recompute == RecomputeKind::selective; }

}  // namespace

StepWeights step_weights(const Setting& setting, std::int64_t devices) {
    const auto stages = static_cast<double>(setting.stages());
    const auto positions = static_cast<std::size_t>(setting.stages() * setting.base.virtual_stages);
    const std::vector<step::Position<Seconds>> equal(
        positions, {.forward = {}, .back = unit::second / static_cast<double>(positions)});
    step::ScheduleTimings orders;
    const double passes =
        step::pipeline_total(step::pipeline_of(equal, setting.base, setting.passes), orders).in(unit::second);
    const double stragglers = setting.base.framework[plan::FrameworkParameter::stragglers];
    double held = 0;
    for (const schedule::Holding& holding :
         orders.in_flight(setting.base.schedule, setting.base.places(), 0, setting.passes)) {
        held = std::max(
            held, static_cast<double>(std::accumulate(holding.whole.begin(), holding.whole.end(), std::int64_t{0})));
    }
    return {.passes = passes * (1 + stragglers * std::log2(static_cast<double>(devices))),
            .activations = held / stages / static_cast<double>(setting.base.virtual_stages),
            .states = 1 / stages};
}

LayerCosts::LayerCosts(const graph::Graph& graph, const cluster::Cluster& cluster, const Setting& setting)
    : graph_(graph),
      cluster_(cluster),
      setting_(setting),
      weights_(step_weights(setting, setting.base.devices())),
      parameters_(graph::count(graph).parameters) {
    std::int64_t buckets = 0;
    for (const graph::Segment& segment : graph.segments) {
        const bool has_weights = std::any_of(segment.layers.begin(), segment.layers.end(),
                                             [&](Vertex v) { return !graph.layer(v).nest.weights.empty(); });
        buckets += has_weights ? segment.count : 0;
    }
    buckets_ = std::max<std::int64_t>(1, buckets / setting.stages());
}

LayerCosts::Alone LayerCosts::alone(Vertex v) const {
    Alone alone;
    std::vector<std::pair<Vertex, Vertex>> known;
    for (const Vertex producer : graph_.layer(v).producers) {
        auto found = std::find_if(known.begin(), known.end(), [&](const auto& pair) { return pair.first == producer; });
        if (found == known.end()) {
            const Vertex input = alone.graph.add(stand_in(graph_.layer(producer)));
            found = known.insert(known.end(), {producer, input});
        }
        alone.inputs.push_back(found->second);
    }
    graph::Layer layer = graph_.layer(v);
    layer.producers = alone.inputs;
    layer.consumers.clear();
    const std::string block = graph_.segments[layer.segment].block;
    layer.count = 1;
    layer.segment = 0;
    // Without a pipeline the owner of a shared weight is on the same stage; a tie to itself expresses that.
    for (graph::Weight& weight : layer.nest.weights) {
        weight.tied_to = !weight.tied_to.empty() && setting_.stages() == 1 ? layer.name : "";
    }
    alone.layer = alone.graph.add(std::move(layer));
    std::vector<Vertex> all(alone.graph.layers.size());
    std::iota(all.begin(), all.end(), Vertex{0});
    alone.graph.segments = {{.name = "alone", .block = block, .count = 1, .layers = std::move(all)}};
    return alone;
}

plan::Plan LayerCosts::plan_for(const graph::Layer& layer, const std::vector<plan::Lay>& lays) const {
    plan::Plan plan = setting_.base;
    plan::Rule rule;
    rule.match.names = {layer.name};
    rule.lay = lays;
    plan.strategy.rules = {rule};
    std::int64_t ranks = 1;
    plan.strategy.axes.clear();
    for (const plan::Lay& lay : lays) {
        for (const std::string& axis : lay.axes) {
            plan.strategy.axes.push_back(axis);
            ranks *= lay.dimension == "batch" ? plan.axis_size(axis) : 1;
        }
    }
    plan.microbatch = setting_.samples() / ranks;
    return plan;
}

std::optional<LayerCost> LayerCosts::of(Vertex v, const std::vector<plan::Lay>& lays) const {
    const Alone alone = this->alone(v);
    const graph::Layer& layer = alone.graph.layer(alone.layer);
    const plan::Plan plan = plan_for(layer, lays);
    CostedGraph costed = step::cost_graph(alone.graph, cluster_, plan, {});
    if (plan::tightest_broken(costed.sharded->limits) != nullptr) {
        return std::nullopt;
    }
    const auto instances = static_cast<double>(graph_.instances(v));
    const plan::ShardedLayer& sharded = costed.sharded->layers[alone.layer];
    LayerCost cost{.costs = step_costs(costed, plan, instances),
                   .peak = {},
                   .output = sharded.output,
                   .output_kept = {},
                   .readings = {},
                   .weights = {}};
    for (std::size_t i = 0; i < layer.nest.inputs.size(); ++i) {
        Reading reading{
            .wanted = plan::operand_sharding(layer.nest.inputs[i], sharded.loops), .gradient = {}, .kept = {}};
        reading.gradient = reading.wanted;
        reading.gradient.partial = plan::partial_input_gradient(layer.nest, i, sharded.loops);
        cost.readings.push_back(std::move(reading));
    }
    for (const graph::Weight& weight : layer.nest.weights) {
        cost.weights.push_back(plan::operand_sharding(weight.operand, sharded.loops));
    }
    add_kept(alone, costed, plan, cost, instances);
    return cost;
}

/// Frameworks reduce small gradients together in buckets: a layer's reductions are timed at the rate of a bucket of the
/// whole network.
Costs LayerCosts::step_costs(CostedGraph& costed, const plan::Plan& plan, double instances) const {
    step::SegmentCost& segment = costed.segments.front();
    const step::SegmentPass pass = step::segment_pass(segment, plan);
    const Seconds passes =
        weights_.passes * instances * (pass.forward.total() + pass.backward.total() + pass.recompute.total()).value;
    const double alone = step::one_of(buckets_);
    const step::StateSteps steps{cluster_, plan, setting_.passes, {alone, alone, alone}};
    const step::StagePass none;
    step::StagePass here;
    here.forward = weights_.states * instances * pass.forward;
    here.backward = weights_.states * instances * pass.backward;
    here.recompute = weights_.states * instances * pass.recompute;
    const std::vector<StateTransfer> long_ones = endless(plan);
    const Seconds hides = shows(exposed_states(long_ones, none, steps)) - shows(exposed_states(long_ones, here, steps));
    Costs costs{passes, passes - hides, {}};
    if (segment.weights.empty() || costed.counts.parameters <= 0) {
        return costs;
    }
    const double scale = std::max(1.0, parameters_ / costed.counts.parameters);
    for (step::WeightClass& weight : segment.weights) {
        weight.size = scale * weight.size;
        for (plan::Matrices& matrices : weight.matrices) {
            matrices.count *= scale;
        }
    }
    const step::Stage stage{{{{1}}}};
    const step::StageStates states = step::stage_states(costed, plan, stage, setting_.passes);
    const double share = weights_.states * instances / scale;
    step::StagePass ample;
    ample.forward.compute = Estimate::exactly(kEndless);
    ample.backward.compute = Estimate::exactly(kEndless);
    const Seconds update = step::update_time(costed, plan, states, 1).value;
    costs.hidden += share * (shows(exposed_states(states.transfers, ample, steps)) + update);
    costs.shown += share * (shows(exposed_states(states.transfers, none, steps)) + update);
    const step::StateBytes bytes = states.blocks + states.token;
    costs.memory += share * (bytes.weights + bytes.gradients + bytes.optimizer);
    return costs;
}

/// The tensors that the layer keeps for backward, and its transient memory. All in bytes.
void LayerCosts::add_kept(const Alone& alone, CostedGraph& costed, const plan::Plan& plan, LayerCost& cost,
                          double instances) const {
    plan::ShardedGraph graph = *costed.sharded;
    plan::ShardedLayer& sharded = graph.layers[alone.layer];
    const std::vector<plan::SavedTensor> all = std::move(sharded.saved);
    // Full recomputation keeps the inputs of blocks instead; they are counted where tensors are closed.
    const bool again = plan.recompute == RecomputeKind::full && costed.segments.front().block;
    const std::vector<bool> repeated(alone.graph.layers.size(), false);
    const auto memory_with = [&](std::vector<plan::SavedTensor> saved) {
        sharded.saved = std::move(saved);
        step::SegmentMemory memory;
        step::SegmentMemories(alone.graph, graph, costed.mesh, plan, repeated).add(alone.layer, 1, memory);
        return memory;
    };
    cost.peak = memory_with({}).transient;
    for (const plan::SavedTensor& saved : all) {
        const step::SegmentMemory memory = memory_with({saved});
        const Bytes kept = memory.saved - (in_parts(plan) ? memory.dropped : Bytes{});
        if (saved.slot > 0) {
            cost.costs.memory += again ? Bytes{} : weights_.activations * instances * kept;
        } else if (saved.tensor == alone.layer) {
            cost.output_kept = max(cost.output_kept, kept);
        } else {
            for (std::size_t i = 0; i < alone.inputs.size(); ++i) {
                if (alone.inputs[i] == saved.tensor && cost.readings[i].wanted == saved.sharding) {
                    cost.readings[i].kept = max(cost.readings[i].kept, kept);
                    break;
                }
            }
        }
    }
}

}  // namespace dodona::search
