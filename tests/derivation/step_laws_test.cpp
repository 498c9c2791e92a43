// Laws of a step's prediction, over drawn plans of every strategy: what has the dimension of a time follows all times of
// the machine and of the software, and nothing else does; parts and lines add up; shares of an interval are derivatives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "../seeds.hpp"
#include "drawn_plan.hpp"
#include "graph/graph.hpp"
#include "plan/mesh.hpp"
#include "step/evaluate.hpp"
#include "step/pipeline_costs.hpp"
#include "step/predict.hpp"
#include "step/segment_cost.hpp"
#include "step/validate.hpp"

namespace dodona::derivation {
namespace step_laws_test {

using drawn::Draw;
using drawn::World;
using plan::FrameworkParameter;
using step::CommunicationSubject;
using step::Prediction;
using step::TimePart;

const unsigned kPlans = drawn::full() ? 8 : 4;  ///< of each strategy

/// A drawn plan in a world whose samples are read from storage.
struct Case {
    World world;
    plan::Plan plan;
    std::string name;
};

Case drawn_case(const plan::Strategy& strategy, unsigned seed) {
    World world = drawn::draw_world(seed);
    Draw draw(seed);
    world.cluster.device.memory = 16_GiB;
    world.cluster.storage = cluster::Storage{
        .bandwidth = draw.between(0.001, 0.2) * 1_GB_per_s, .prefetch = draw.one_in(2), .source = "drawn"};
    world.graph.dataset.samples = draw.of({960.0, 1000.0, 1001.0});
    world.graph.dataset.sample_bytes = 4096_B;
    plan::Plan plan = drawn::draw_plan(draw, world, strategy);
    plan.framework.number(FrameworkParameter::message) = {2e-6, 1e-6, 3e-6, std::nullopt, "drawn"};
    plan.framework.number(FrameworkParameter::rank_launches).value = 0.5;
    plan.framework.number(FrameworkParameter::dispatch_width).value = 0.75;
    std::string name = fmt::format("{} of {}, world {}", strategy.name, world.network, seed);
    return {std::move(world), std::move(plan), std::move(name)};
}

const std::vector<Case>& drawn_cases() {
    static const std::vector<Case> all = [] {
        std::vector<Case> drawn;
        const files::Library library = drawn::library();
        const std::vector<std::string> names = library.strategies();
        for (std::size_t i = 0; i < names.size(); ++i) {
            for (unsigned k = 0; k < kPlans; ++k) {
                drawn.push_back(drawn_case(library.strategy(names[i]), static_cast<unsigned>(20'000 + 100 * i) + k));
            }
        }
        return drawn;
    }();
    return all;
}

struct Predicted {
    const Case& of;
    Prediction prediction;
};

/// All cases that run.
const std::vector<Predicted>& cases() {
    static const std::vector<Predicted> all = [] {
        std::vector<Predicted> found;
        for (const Case& one : drawn_cases()) {
            if (step::plan_faults(one.world.graph, one.world.cluster, one.plan, {}).all().empty()) {
                Prediction p = step::predict(one.world.graph, one.world.cluster, one.plan);
                if (p.runs) {
                    found.push_back({one, std::move(p)});
                }
            }
        }
        return found;
    }();
    return all;
}

/// A figure of a prediction, and the power of time in its dimension.
struct Figure {
    std::string name;
    double value = 0;
    int seconds = 0;
};

std::vector<Figure> figures(const Prediction& p) {
    std::vector<Figure> all;
    const auto time = [&](std::string name, Seconds value) {
        all.push_back({std::move(name), value.in(unit::second), 1});
    };
    const auto bytes = [&](std::string name, Bytes value) {
        all.push_back({std::move(name), value.in(unit::byte), 0});
    };
    const auto ratio = [&](std::string name, double value) { all.push_back({std::move(name), value, 0}); };
    time("step", p.step.value);
    time("lo", p.step.lo);
    time("hi", p.step.hi);
    all.push_back({"samples per second", p.samples_per_second, -1});
    all.push_back({"tokens per second", p.tokens_per_second.value_or(0), -1});
    ratio("mfu", p.mfu);
    ratio("hfu", p.hfu);
    ratio("critical stage", static_cast<double>(p.critical_stage));
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        time(fmt::format("part {}", i), p.time.values[i]);
        time(fmt::format("busy part {}", i), p.busy.values[i]);
    }
    for (std::size_t i = 0; i < step::kMemoryParts; ++i) {
        bytes(fmt::format("memory part {}", i), p.memory.values[i]);
    }
    for (const step::SourceError& source : p.uncertainty.sources) {
        ratio("share", source.share);
        ratio("below", source.below);
        ratio("above", source.above);
    }
    for (const step::StagePrediction& stage : p.stages) {
        time("stage " + stage.layers, stage.time);
        bytes("memory of stage " + stage.layers, stage.memory.process);
    }
    for (const step::Bottleneck& bottleneck : p.bottlenecks) {
        ratio(bottleneck.text, bottleneck.share);
    }
    if (p.host) {
        bytes("in", p.host->in);
        bytes("out", p.host->out);
        bytes("host memory", p.host->memory);
    }
    if (p.epoch) {
        ratio("iterations", p.epoch->iterations);
        time("epoch's compute", p.epoch->compute);
        time("epoch's communication", p.epoch->communication);
        time("epoch", p.epoch->total);
    }
    for (const step::CommunicationLine& line : p.communication) {
        ratio(text(line), line.per_step);
        bytes(text(line), line.size);
        bytes(text(line), line.sent);
        time(text(line), line.time);
        ratio(text(line), line.contention);
    }
    return all;
}

constexpr double kFactor = 2;

/// The machine on which everything takes twice as long.
cluster::Cluster twice_as_slow(cluster::Cluster cluster) {
    for (auto& [precision, peak] : cluster.device.matrix) {
        peak = peak / kFactor;
    }
    cluster.device.vector = cluster.device.vector / kFactor;
    cluster.device.memory_bandwidth = cluster.device.memory_bandwidth / kFactor;
    cluster.device.launch = kFactor * cluster.device.launch;
    for (cluster::Level& level : cluster.levels) {
        level.bandwidth = level.bandwidth / kFactor;
        level.latency = kFactor * level.latency;
    }
    cluster.host->bandwidth = cluster.host->bandwidth / kFactor;
    *cluster.host->memory_bandwidth = *cluster.host->memory_bandwidth / kFactor;
    cluster.storage->bandwidth = cluster.storage->bandwidth / kFactor;
    return cluster;
}

plan::Plan twice_as_slow(plan::Plan plan) {
    for (const plan::FrameworkParameterKind& kind : plan::kFrameworkParameters) {
        if (kind.is_time) {
            plan::FrameworkNumber& number = plan.framework.number(kind.parameter);
            number.value *= kFactor;
            number.lo *= kFactor;
            number.hi *= kFactor;
        }
    }
    return plan;
}

/// Whether two figures are equal but for rounding in sums as large as `scale`.
bool near(double a, double b, double scale = 0) {
    return std::abs(a - b) <= 1e-9 * std::max({std::abs(a), std::abs(b), scale});
}

TEST(StepLaws, WhereEverythingTakesTwiceAsLongTimesDoubleAndNothingElseChanges) {
    for (const auto& [one, p] : cases()) {
        const Prediction slow =
            step::predict(one.world.graph, twice_as_slow(one.world.cluster), twice_as_slow(one.plan));
        const std::vector<Figure> before = figures(p);
        const std::vector<Figure> after = figures(slow);
        ASSERT_EQ(before.size(), after.size()) << one.name;
        for (std::size_t i = 0; i < before.size(); ++i) {
            EXPECT_EQ(before[i].name, after[i].name) << one.name;
            EXPECT_TRUE(near(after[i].value, std::pow(kFactor, before[i].seconds) * before[i].value,
                             before[i].seconds == 1 ? p.step.value.in(unit::second) : 0))
                << before[i].name << " of " << one.name << ": " << before[i].value << ", then " << after[i].value;
        }
    }
    EXPECT_GT(cases().size(), 20 * kPlans);
}

Seconds time_of_lines(const Prediction& p, std::initializer_list<CommunicationSubject> subjects) {
    Seconds sum;
    for (const step::CommunicationLine& line : p.communication) {
        if (std::find(subjects.begin(), subjects.end(), line.subject) != subjects.end()) {
            sum += line.time;
        }
    }
    return sum;
}

TEST(StepLaws, LinesOfCommunicationAddUpToTheBusyParts) {
    for (const Predicted& each : cases()) {
        const Case& one = each.of;
        const Prediction& p = each.prediction;
        if (one.plan.pipeline_stages() > 1) {  // the stage whose passes take longest need not have the longest tail
            continue;
        }
        const double step = p.step.value.in(unit::second);
        const auto expect = [&](Seconds part, std::initializer_list<CommunicationSubject> subjects, const char* what) {
            const Seconds lines = time_of_lines(p, subjects);
            EXPECT_TRUE(near(part.in(unit::second), lines.in(unit::second), step))
                << what << " of " << one.name << ": " << part.in(unit::second) << ", lines " << lines.in(unit::second);
        };
        expect(p.busy[TimePart::gradients],
               {CommunicationSubject::weight_gradients, CommunicationSubject::gradient_rows,
                CommunicationSubject::copied_gradients, CommunicationSubject::tied_gradient},
               "gradients");
        expect(p.busy[TimePart::parameters], {CommunicationSubject::weights}, "weights");
        const Seconds streams = time_of_lines(
            p, {CommunicationSubject::keys_and_values, CommunicationSubject::keys_and_values_with_gradients});
        if (streams == Seconds{}) {  // of rings of attention only what compute does not hide counts as busy
            expect(p.busy[TimePart::layer] + p.busy[TimePart::halo],
                   {CommunicationSubject::activations, CommunicationSubject::activation_gradients,
                    CommunicationSubject::activations_again, CommunicationSubject::statistics},
                   "collectives of layers");
        }
    }
}

TEST(StepLaws, FiguresAreWhatTheirNamesSay) {
    int with_tokens = 0;
    for (const auto& [one, p] : cases()) {
        const double step = p.step.value.in(unit::second);
        const auto batch = static_cast<double>(one.plan.batch);
        EXPECT_EQ(p.microbatches * p.data_ranks * one.plan.microbatch, one.plan.batch) << one.name;
        EXPECT_TRUE(near(p.samples_per_second, batch / step)) << one.name;
        const bool decoder =
            one.world.network == "gpt" || one.world.network == "llama" || one.world.network == "mixtral";
        EXPECT_EQ(p.tokens_per_second.has_value(), decoder) << one.name;
        if (p.tokens_per_second) {
            EXPECT_TRUE(near(*p.tokens_per_second, 64 * batch / step)) << one.name;
            ++with_tokens;
        }
        const auto devices = static_cast<double>(one.plan.devices());
        const FlopPerSecond peak = devices * one.world.cluster.device.peak(one.plan.precision);
        EXPECT_TRUE(near(p.mfu, batch * graph::count(one.world.graph).training_per_sample / (peak * p.step.value)))
            << one.name;
        ASSERT_TRUE(p.epoch) << one.name;
        EXPECT_EQ(p.epoch->iterations, std::ceil(*one.world.graph.dataset.samples / batch)) << one.name;
        EXPECT_TRUE(near(p.time.total().in(unit::second), step)) << one.name;
        EXPECT_TRUE(near(p.memory.total().in(unit::byte), p.totals.process.in(unit::byte))) << one.name;
        for (std::size_t i = 0; i < step::kTimeParts; ++i) {
            const auto part = static_cast<TimePart>(i);
            // Waits have no busy time, and a transfer may hold up more stages than the one that it is counted for.
            if (part != TimePart::bubble && part != TimePart::host && part != TimePart::pipeline) {
                EXPECT_LE(p.time[part].in(unit::second), p.busy[part].in(unit::second) + 1e-9 * step)
                    << name(part) << " of " << one.name;
            }
        }
    }
    EXPECT_GT(with_tokens, 20);
}

/// A world whose data set is a whole number of batches takes as many steps as that: the parts of an epoch are those of a
/// step. Half a batch more computes half a batch and communicates once more.
TEST(StepLaws, HalfABatchMoreOfADataSetComputesHalfAndCommunicatesInFull) {
    for (const Predicted& each : cases()) {
        const Case& one = each.of;
        World world = one.world;
        const auto batch = static_cast<double>(one.plan.batch);
        const auto epoch = [&](double samples) {
            world.graph.dataset.samples = samples;
            return step::predict(world.graph, world.cluster, one.plan);
        };
        const Prediction whole = epoch(10 * batch);
        const Prediction more = epoch(10.5 * batch);
        EXPECT_EQ(whole.epoch->iterations, 10);
        EXPECT_EQ(more.epoch->iterations, 11);
        EXPECT_TRUE(near(whole.epoch->total.in(unit::second), 10 * whole.step.value.in(unit::second))) << one.name;
        EXPECT_TRUE(near(more.epoch->compute / whole.epoch->compute, 1.05)) << one.name;
        const Seconds busy = whole.busy[TimePart::layer] + whole.busy[TimePart::halo] + whole.busy[TimePart::pipeline] +
                             whole.busy[TimePart::gradients] + whole.busy[TimePart::parameters] +
                             whole.busy[TimePart::offload];
        EXPECT_TRUE(near((more.epoch->communication - whole.epoch->communication).in(unit::second),
                         busy.in(unit::second), whole.epoch->communication.in(unit::second)))
            << one.name;
        const TimePart computing[] = {TimePart::forward, TimePart::backward, TimePart::recompute, TimePart::optimizer,
                                      TimePart::host,    TimePart::overhead, TimePart::bubble};
        Seconds compute;
        for (const TimePart part : computing) {
            compute += whole.time[part];
        }
        EXPECT_TRUE(near((more.epoch->total - whole.epoch->total).in(unit::second),
                         (whole.step.value - 0.5 * compute).in(unit::second), whole.epoch->total.in(unit::second)))
            << one.name;
    }
}

// On one device nothing is done twice, and the passes of all layers together are the network's arithmetic.
TEST(StepLaws, OneDeviceExecutesTheArithmeticOfTheNetworkOnce) {
    const files::Library library = drawn::library();
    const cluster::Cluster cluster = drawn_cases().front().world.cluster;
    std::vector<graph::Graph> graphs{graph::build(library.model("gnmt", {}))};
    for (std::size_t i = 0; i < 20; ++i) {
        graphs.push_back(drawn_cases()[i].world.graph);
    }
    for (const graph::Graph& graph : graphs) {
        plan::Plan plan;
        plan.strategy = library.strategy("data");
        plan.microbatch = 2;
        plan.batch = 2;
        plan.precision = Precision::fp32;
        const step::CostedGraph costed = step::cost_graph(graph, cluster, plan, {});
        Flop executed;
        for (std::size_t u = 0; u < costed.segments.size(); ++u) {
            executed += static_cast<double>(graph.segments[u].count) *
                        (costed.segments[u].forward.executed + costed.segments[u].backward.executed);
        }
        EXPECT_GT(executed.in(unit::flop), 0) << graph.name;
        EXPECT_TRUE(near(executed.in(unit::flop), (2.0 * costed.whole_executed).in(unit::flop))) << graph.name;
    }
}

/// The step with one parameter of the software longer by a share.
double step_with(const Case& one, FrameworkParameter parameter, double factor) {
    plan::Plan plan = one.plan;
    plan.framework.number(parameter).value *= factor;
    return step::predict(one.world.graph, one.world.cluster, plan).step.value.in(unit::second);
}

/// Whether the derivatives of a plan are complete. Not modelled: what the update hides of copies to and from the host,
/// states that hide behind compute in passes whose own collectives hide there too, and cuts that move with a parameter.
bool has_all_derivatives(const plan::Plan& plan) {
    const bool layers_hide = plan.overlap.tensor || plan.overlap.expert;
    const bool states_hide = plan.overlap.gradients || plan.overlap.parameters;
    return !plan.offload.any() && !(layers_hide && states_hide) && plan.pipeline_stages() == 1;
}

// A parameter may be where two times are equal, as where a collective is just hidden: either side's derivative is right.
TEST(StepLaws, SharesAreDerivativesByTheParametersOfTheSoftware) {
    constexpr double kSmall = 1e-6;
    unsigned compared = 0;
    for (const auto& [one, p] : cases()) {
        if (!has_all_derivatives(one.plan)) {
            continue;
        }
        ++compared;
        const double step = p.step.value.in(unit::second);
        for (const plan::FrameworkParameterKind& kind : plan::kFrameworkParameters) {
            double share = 0;
            bool has_source = false;
            for (std::size_t k = 0; k < cost::kErrorSources.size(); ++k) {
                if (cost::kErrorSources[k].parameter == kind.parameter) {
                    share += p.uncertainty.sources[k].share;
                    has_source = true;
                }
            }
            // No software scales attention in fp32, whose error is that of the kernel alone (step/kernel_cost.cpp).
            const bool in_fp32 = kind.parameter == plan::FrameworkParameter::attention &&
                                 (one.plan.precision == Precision::fp32 || one.plan.precision == Precision::tf32);
            if (!has_source || in_fp32 || one.plan.framework[kind.parameter] == 0) {
                continue;
            }
            const double more = (step_with(one, kind.parameter, 1 + kSmall) / step - 1) / kSmall;
            const double less = (1 - step_with(one, kind.parameter, 1 - kSmall) / step) / kSmall;
            EXPECT_LE(share, std::max(more, less) + 1e-5) << kind.word << " of " << one.name;
            EXPECT_GE(share, std::min(more, less) - 1e-5) << kind.word << " of " << one.name;
        }
    }
    EXPECT_GT(compared, 3 * kPlans);
}

/// The plan with the layers of these operators recomputed.
plan::Plan with_recomputed(plan::Plan plan, const std::vector<std::string>& operators) {
    plan.recompute = plan::RecomputeKind::layers;
    plan.recompute_every = 1;
    plan.recompute_layers = {{.kinds = operators, .roles = {}, .names = {}, .first = {}}};
    return plan;
}

/// Operators of all layers that compute something.
std::vector<std::string> operators_of(const graph::Graph& graph) {
    std::vector<std::string> operators;
    for (const graph::Layer& layer : graph.layers) {
        if (!layer.nest.inputs.empty()) {
            operators.push_back(layer.kind);
        }
    }
    return operators;
}

plan::Plan with_two_recomputed(const Case& one, unsigned seed) {
    Draw draw(seed);
    const std::vector<std::string> all = operators_of(one.world.graph);
    return with_recomputed(one.plan, {all[draw.below(all.size())], all[draw.below(all.size())]});
}

// Nothing hides in the costs of segments: what a pass takes is the sum of its derivatives.
TEST(StepLaws, DerivativesOfAPassAddUpToItsTime) {
    int repeated_collectives = 0;
    int repeated_parts = 0;
    unsigned seed = 0;
    for (const Case& one : drawn_cases()) {
        for (const plan::Plan& plan : {one.plan, with_two_recomputed(one, ++seed)}) {
            if (!step::plan_faults(one.world.graph, one.world.cluster, plan, {}).all().empty()) {
                continue;
            }
            for (const step::SegmentCost& segment :
                 step::cost_graph(one.world.graph, one.world.cluster, plan, {}).segments) {
                for (const step::PassCost* pass :
                     {&segment.forward, &segment.backward, &segment.selective, &segment.named}) {
                    Seconds sum;
                    for (const Estimate& source : pass->by_source.values) {
                        sum += source.value;
                    }
                    EXPECT_TRUE(near(sum.in(unit::second), pass->total().value.in(unit::second)))
                        << one.name << ", recompute " << name(plan.recompute) << ": " << sum.in(unit::second)
                        << " s by source, " << pass->total().value.in(unit::second) << " s";
                }
                const bool named = plan.recompute == plan::RecomputeKind::layers;
                const step::PassCost& again = named ? segment.named : segment.selective;
                repeated_collectives += named && again.layer.value + again.halo.value > Seconds{} ? 1 : 0;
                repeated_parts += !named && again.compute.value > Seconds{} ? 1 : 0;
            }
        }
    }
    EXPECT_GT(repeated_collectives, 50);
    EXPECT_GT(repeated_parts, 50);
}

// Where all layers run again, all collectives of forward do, as they do where whole blocks are recomputed.
TEST(StepLaws, CollectivesOfRecomputedLayersAreThoseOfForward) {
    int compared = 0;
    int exchanging = 0;
    for (const Case& one : drawn_cases()) {
        const plan::Plan plan = with_recomputed(one.plan, operators_of(one.world.graph));
        if (!step::plan_faults(one.world.graph, one.world.cluster, plan, {}).all().empty()) {
            continue;
        }
        plan::Plan launching = plan;  // the host starts each collective of n ranks with n launches more
        launching.framework.number(FrameworkParameter::rank_launches).value += 1;
        const step::CostedGraph costed = step::cost_graph(one.world.graph, one.world.cluster, plan, {});
        const step::CostedGraph more = step::cost_graph(one.world.graph, one.world.cluster, launching, {});
        for (std::size_t u = 0; u < costed.segments.size(); ++u) {
            const graph::Segment& segment = one.world.graph.segments[u];
            if (!std::all_of(segment.layers.begin(), segment.layers.end(), [&](graph::Vertex v) {
                    const graph::Layer& layer = one.world.graph.layer(v);
                    return layer.goes_backward() && !layer.nest.inputs.empty();
                })) {
                continue;
            }
            const step::PassCost& forward = costed.segments[u].forward;
            const step::PassCost& again = costed.segments[u].named;
            EXPECT_EQ(again.layer.value, forward.layer.value) << one.name;
            EXPECT_EQ(again.halo.value, forward.halo.value) << one.name;
            EXPECT_EQ(again.exchanged.value, forward.exchanged.value) << one.name;
            EXPECT_EQ(again.by_source[cost::ErrorSource::inside_node].value,
                      forward.by_source[cost::ErrorSource::inside_node].value)
                << one.name;
            EXPECT_EQ(again.by_source[cost::ErrorSource::between_nodes].value,
                      forward.by_source[cost::ErrorSource::between_nodes].value)
                << one.name;
            EXPECT_TRUE(near(more.segments[u].named.launches - again.launches,
                             more.segments[u].forward.launches - forward.launches))
                << one.name;
            compared += forward.layer.value + forward.halo.value > Seconds{} ? 1 : 0;
            exchanging += forward.exchanged.value > Seconds{} ? 1 : 0;
        }
    }
    EXPECT_GT(compared, 50);
    EXPECT_GT(exchanging, 5);
}

/// Micro-batches that a stage of these schedules holds at most; none: the schedule has no simple rule.
std::optional<std::int64_t> most_held(const plan::Plan& plan, const Prediction& p, std::int64_t stage) {
    if (plan.pipeline_stages() == 1) {
        return 1;
    }
    switch (plan.schedule) {
        case plan::ScheduleKind::gpipe: return p.microbatches;
        case plan::ScheduleKind::one_forward_one_backward:
            return std::min(p.microbatches, plan.pipeline_stages() - stage);
        default: return std::nullopt;
    }
}

// What is always there, what recomputation works with and what micro-batches keep is all that the closed form allocates.
TEST(StepLaws, MemoryOfTasksAddsUpToThatOfTheClosedForm) {
    int compared = 0;
    for (const Predicted& each : cases()) {
        const Case& one = each.of;
        const step::CostedPlan costed = step::cost_plan(one.world.graph, one.world.cluster, one.plan);
        const Prediction& p = costed.prediction;
        ASSERT_EQ(costed.costs.memory.size(), p.stages.size()) << one.name;
        for (std::size_t s = 0; s < p.stages.size(); ++s) {
            const step::StageMemory& memory = costed.costs.memory[s];
            EXPECT_EQ(memory.predicted.process, p.stages[s].memory.process) << one.name;
            EXPECT_EQ(memory.limit, p.memory_limit) << one.name;
            const auto held = most_held(one.plan, p, static_cast<std::int64_t>(s));
            if (held) {
                const Bytes kept = static_cast<double>(*held) * costed.costs.positions[s].kept;
                EXPECT_TRUE(near((memory.always + memory.recompute_peak + kept).in(unit::byte),
                                 memory.predicted.allocated.in(unit::byte)))
                    << one.name << ", stage " << s;
                compared += kept > Bytes{} ? 1 : 0;
            }
        }
    }
    EXPECT_GT(compared, 50);
}

// Without a pipeline the tasks of a step follow each other, so that their parts are those of the closed form.
TEST(StepLaws, TimesOfTasksAddUpToThoseOfTheClosedForm) {
    unsigned with_links = 0;
    unsigned with_recomputation = 0;
    for (const Predicted& each : cases()) {
        const Case& one = each.of;
        const step::CostedPlan costed = step::cost_plan(one.world.graph, one.world.cluster, one.plan);
        const step::PipelineCosts& costs = costed.costs;
        const Prediction& p = costed.prediction;
        const Seconds fixed = one.plan.framework.seconds(FrameworkParameter::step);
        EXPECT_EQ(costs.microbatches, p.microbatches) << one.name;
        EXPECT_EQ(costs.input.fixed, fixed) << one.name;
        EXPECT_EQ(costs.outside, p.time[TimePart::input] + fixed) << one.name;
        if (one.plan.pipeline_stages() > 1) {
            continue;
        }
        const double step = p.step.value.in(unit::second);
        const auto expect = [&](Seconds found, Seconds part, const char* what) {
            EXPECT_TRUE(near(found.in(unit::second), part.in(unit::second), step))
                << what << " of " << one.name << ": " << found.in(unit::second) << ", not " << part.in(unit::second);
        };
        const auto m = static_cast<double>(p.microbatches);
        const step::PositionCost& pass = costs.positions.front();
        const Seconds links = pass.forward_links + pass.recompute_links + pass.backward_links;
        if (!one.plan.overlap.tensor && !one.plan.overlap.expert) {
            expect(m * links, p.busy[TimePart::layer] + p.busy[TimePart::halo], "collectives");
            with_links += links > Seconds{} ? 1 : 0;
        }
        const bool computes_only = links == Seconds{} && p.time[TimePart::host] == Seconds{} && !one.plan.offload.any();
        if (computes_only && one.plan.framework[FrameworkParameter::stragglers] == 0) {
            expect(m * pass.forward, p.time[TimePart::forward], "forward");
            expect(m * pass.recompute, p.time[TimePart::recompute], "recomputation");
            expect(m * pass.backward, p.time[TimePart::backward], "backward");
            with_recomputation += pass.recompute > Seconds{} ? 1 : 0;
        }
        const step::StageTail& tail = costs.tails.front();
        expect(tail.gradients, p.time[TimePart::gradients], "gradients");
        expect(tail.parameters, p.time[TimePart::parameters], "parameters");
        expect(m * (pass.forward + pass.recompute + pass.backward) + tail.total() + costs.outside, p.step.value, "all");
    }
    EXPECT_GT(with_links, 2 * kPlans);
    EXPECT_GT(with_recomputation, kPlans / 2);
}

TEST(StepLaws, DataRanksThatSynchroniseInEveryMicroBatchAreNoReplicas) {
    unsigned replicas = 0;
    for (const Predicted& each : cases()) {
        const Case& one = each.of;
        const step::CostedPlan costed = step::cost_plan(one.world.graph, one.world.cluster, one.plan);
        const std::int64_t ways = plan::Mesh(one.plan, {}).ways(costed.costs.replicas);
        if (one.plan.shard >= plan::ShardLevel::gradients) {
            EXPECT_EQ(ways, 1) << one.name;
        } else if (one.plan.strategy.name == "data" || one.plan.strategy.name == "pipeline") {
            EXPECT_EQ(ways, costed.prediction.data_ranks) << one.name;
            replicas += ways > 1 ? 1 : 0;
        }
    }
    EXPECT_GT(replicas, kPlans / 4);
}

}  // namespace step_laws_test
}  // namespace dodona::derivation
