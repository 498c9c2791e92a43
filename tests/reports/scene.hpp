// A prediction and an answer made by hand, so that what a report prints changes only when the report does.
#pragma once

#include "search/answer.hpp"
#include "search/limits.hpp"
#include "step/prediction.hpp"
#include "validate/comparison.hpp"

namespace dodona::reports::testing {

using namespace dodona::literals;

inline step::CommunicationLine gradient_reduction() {
    return {.collective = cluster::Collective::all_reduce,
            .subject = step::CommunicationSubject::weight_gradients,
            .algorithm = cluster::Algorithm::ring,
            .axes = {"data"},
            .ranks = 16,
            .per_step = 1,
            .size = 10_GiB,
            .sent = 18.75 * 1_GiB,
            .time = 1.5_s,
            .contention = 2};
}

/// A process whose context takes 1 GiB and whose allocator uses all that it reserves.
inline step::MemoryTotals process(Bytes whole) { return {whole - 1_GiB, whole - 1_GiB, whole}; }

/// Eight stages on 1,024 devices: time parts add up to 10 s, memory parts to 60 GiB of 80.
inline step::Prediction pipelined() {
    using step::MemoryPart;
    using step::TimePart;
    step::Prediction p;
    p.plan.strategy.name = "megatron-sequence";
    p.plan.strategy.axes = {"tensor", "data", "pipeline"};
    p.plan.strategy.pipeline = "pipeline";
    p.plan.mesh = {{"tensor", 8}, {"data", 16}, {"pipeline", 8}};
    p.plan.batch = 1536;
    p.plan.schedule = plan::ScheduleKind::interleaved;
    p.plan.virtual_stages = 3;
    p.plan.recompute = plan::RecomputeKind::selective;
    p.plan.shard = plan::ShardLevel::states;
    p.plan.overlap = {.gradients = true, .parameters = true};
    p.fits = true;
    p.step = {10_s, 9_s, 12.5_s};
    p.samples_per_second = 153.6;
    p.tokens_per_second = 314572.8;
    p.mfu = 0.452;
    p.hfu = 0.461;
    p.microbatches = 96;
    p.data_ranks = 16;
    p.time[TimePart::forward] = 2.5_s;
    p.time[TimePart::backward] = 5_s;
    p.time[TimePart::recompute] = 0.25_s;
    p.time[TimePart::optimizer] = 0.05_s;
    p.time[TimePart::layer] = 1.2_s;
    p.time[TimePart::gradients] = 0.4_s;
    p.time[TimePart::bubble] = 0.6_s;
    p.busy = p.time;
    p.busy[TimePart::gradients] = 1.5_s;
    p.busy[TimePart::bubble] = 0_s;
    p.memory[MemoryPart::weights] = 5_GiB;
    p.memory[MemoryPart::gradients] = 10_GiB;
    p.memory[MemoryPart::optimizer] = 30_GiB;
    p.memory[MemoryPart::activations] = 14_GiB;
    p.memory[MemoryPart::context] = 1_GiB;
    p.totals = step::totals(p.memory);
    p.memory_limit = 80_GiB;
    p.stages.push_back({"embedding, 12 x layers", "a100-sxm4-80gb", process(60_GiB), 9.4_s});
    for (int stage = 1; stage < 7; ++stage) {
        p.stages.push_back({"12 x layers", "a100-sxm4-80gb", process(50_GiB), 9_s});
    }
    p.stages.push_back({"12 x layers, head", "a100-sxm4-80gb", process(52_GiB), 9.3_s});
    p.limits = {{plan::UnevenBlocks{96}, 64}};
    p.bottlenecks = {{.kind = step::BottleneckKind::gradient_exchange,
                      .share = 0.25,
                      .text = "gradients take 25 % of the step; shard over fewer nodes"}};
    p.communication = {gradient_reduction()};
    p.provenance = {{.of = step::SourceLine::Of::kernels,
                     .best = Evidence::data_sheet,
                     .worst = Evidence::data_sheet,
                     .name = "a100-sxm4-80gb",
                     .source = "by hand"}};
    p.epoch = step::Epoch{100, 900_s, 150_s, 1000_s};
    return p;
}

/// Two replicas of two stages on unlike devices.
inline step::Prediction mixed() {
    step::Prediction p = pipelined();
    p.plan.mesh = {{"pipeline", 2}, {"data", 4}};
    p.plan.batch = 64;
    p.data_ranks = 4;
    p.microbatches = 16;
    p.epoch.reset();
    p.stages = {{"embedding, 12 x layers", "a100-sxm4-80gb and v100-sxm2-32gb", process(60_GiB), 9.4_s},
                {"12 x layers, head", "a100-sxm4-80gb", process(52_GiB), 9.3_s}};
    p.devices = {{"a100-sxm4-80gb", 6}, {"v100-sxm2-32gb", 2}};
    p.replicas = {{{"a100-sxm4-80gb"}, 2, 2, 20, 9.5_s}, {{"v100-sxm2-32gb", "a100-sxm4-80gb"}, 2, 2, 12, 9.6_s}};
    return p;
}

/// One device, slower than it should be and too large for it.
inline step::Prediction too_large() {
    using step::MemoryPart;
    using step::TimePart;
    step::Prediction p;
    p.plan.strategy.name = "serial";
    p.plan.batch = 64;
    p.plan.microbatch = 64;
    p.plan.recompute = plan::RecomputeKind::every;
    p.plan.recompute_every = 2;
    p.plan.offload = {.optimizer = true, .weights = true};
    p.why_not = step::MemoryShortage{.needed = 96_GiB, .available = 80_GiB};
    p.step = Estimate::exactly(20_s);
    p.samples_per_second = 3.2;
    p.mfu = p.hfu = 0.3;
    p.time[TimePart::forward] = 6_s;
    p.time[TimePart::backward] = 13_s;
    p.time[TimePart::offload] = 1_s;
    p.busy = p.time;
    p.host = step::HostUse{.memory = 300_GiB, .limit = 1024_GiB, .in = 25_GiB, .out = 20_GiB};
    p.memory[MemoryPart::activations] = 96_GiB;
    p.totals = step::totals(p.memory);
    p.memory_limit = 80_GiB;
    p.stages = {{"all", "a100-sxm4-80gb", process(96_GiB), 20_s}};
    return p;
}

inline search::Answer two_plans() {
    step::Prediction second = pipelined();
    second.plan.strategy.name = "megatron";
    second.plan.schedule = plan::ScheduleKind::one_forward_one_backward;
    second.plan.virtual_stages = 1;
    second.step = {11_s, 10_s, 13_s};
    second.time[step::TimePart::bubble] = 1.4_s;
    second.time[step::TimePart::layer] = 1.4_s;
    search::Answer answer;
    answer.question = {.model = "gpt3-175b",
                       .machine = "selene",
                       .devices = 1024,
                       .batch = 1536,
                       .strategies = {"megatron", "megatron-sequence"},
                       .model_source = "Brown et al., arXiv:2005.14165",
                       .machine_source = "Narayanan et al., SC 2021",
                       .parameters = 174'615'846'912,
                       .settings = {{"--set", "name=it's mine"}, {"--max-memory", "80GiB"}}};
    answer.plans = {pipelined(), second};
    answer.infeasible = {
        {"megatron", step::MemoryPlace::device, 1200, search::NearestPlan{too_large().plan, 96_GiB, 80_GiB}},
        {"data", plan::BatchLimit{{"data"}, 512}, 3, {}}};
    answer.counts = {.configurations = 4096, .evaluated = 2893, .pruned = 0, .seconds = 0.25, .optimal = true};
    return answer;
}

/// By hand: a time and a ratio, one on its bound.
inline plan::Framework software() {
    using plan::FrameworkParameter;
    plan::Framework framework;
    framework.name = "eager-2021";
    framework.source = "fitted by hand";
    framework.summary = "eager kernels";
    framework.fitted_to = {"alpha", "beta"};
    framework.usual_for = {"attention"};
    framework.spread = 0.08;
    framework.number(FrameworkParameter::launch) = {38e-6, 30e-6, 45e-6, {{5e-6, 100e-6}}, "fitted to whole steps"};
    framework.number(FrameworkParameter::matmul) = {1.345, 1.2, 1.35, {{0.95, 1.35}}, "fitted to whole steps"};
    framework.number(FrameworkParameter::stragglers) = {0.004, 0.004, 0.004, std::nullopt, "ACCURACY"};
    return framework;
}

/// Errors of 10 % in products that are 60 % of the step, 20 % in links that are 20 %.
inline step::Uncertainty some_errors() {
    step::Uncertainty errors{.sources = {}, .spread = 0.08};
    errors.sources[static_cast<std::size_t>(cost::ErrorSource::matmul)] = {.share = 0.6, .below = 0.1, .above = 0.1};
    errors.sources[static_cast<std::size_t>(cost::ErrorSource::between_nodes)] = {
        .share = 0.2, .below = 0.1, .above = 0.3};
    return errors;
}

/// The two plans, with more unexplained than they differ by.
inline search::Answer tied_plans() {
    search::Answer answer = two_plans();
    for (step::Prediction& plan : answer.plans) {
        plan.plan.framework = software();
        plan.uncertainty = some_errors();
    }
    return answer;
}

/// What the two plans hang on: a crossover to the second of them, one to nothing, one not looked at.
inline search::Explanation some_reasons() {
    using search::Amount;
    using search::Crossover;
    search::Explanation reasons;
    const auto add = [&](search::Parameter parameter, double elasticity) -> search::Sensitivity& {
        parameter.least = 1 / 16.0;
        parameter.most = 16;
        reasons.parameters.push_back({std::move(parameter),
                                      elasticity,
                                      {.searched = true, .crossover = {}},
                                      {.searched = true, .crossover = {}}});
        return reasons.parameters.back();
    };
    step::Prediction second = pipelined();
    second.plan.strategy.name = "megatron";
    second.step = Estimate::exactly(12_s);
    add({.key = "peak", .name = "device peak", .now = 312_TFLOP_per_s}, -0.61);
    auto& links = add({.key = "bandwidth.unit", .name = "bandwidth (unit, system)", .now = 25_GB_per_s}, -0.0625);
    links.less.crossover = Crossover{.factor = 0.556, .to = second, .tied = true};
    links.more.crossover = Crossover{.factor = 8, .to = second};
    auto& launch = add({.key = "framework.launch",
                        .name = "host time of a launch",
                        .now = 38_us,
                        .more_is_better = false,
                        .kind = search::ParameterKind::software},
                       0.02);
    launch.more = {};
    add({.key = "memory", .name = "device memory", .now = 80_GiB}, 0).less.crossover =
        Crossover{.factor = 0.1, .to = std::nullopt};
    add({.key = "latency.node", .name = "latency (node)", .now = 3_us, .more_is_better = false}, 0.0001);
    reasons.memory = {.left = 20_GiB, .searched = true, .without = second};
    reasons.crossovers_searched = true;
    reasons.complete = false;
    reasons.searches = 17;
    reasons.insensitive_omitted = 3;
    return reasons;
}

inline search::Answer explained_plans() {
    search::Answer answer = tied_plans();
    answer.explanation = some_reasons();
    return answer;
}

/// Of one plan: without crossovers.
inline search::Explanation reasons_of_one() {
    search::Explanation reasons = some_reasons();
    reasons.crossovers_searched = false;
    reasons.complete = true;
    reasons.searches = 0;
    reasons.memory = {.left = -16 * 1_GiB};
    for (search::Sensitivity& sensitivity : reasons.parameters) {
        sensitivity.less = sensitivity.more = {};
    }
    return reasons;
}

/// A prediction whose products were moved by 10 %.
inline step::Prediction observed() {
    step::Prediction p = pipelined();
    p.plan.framework = software();
    p.uncertainty = some_errors();
    plan::Framework::Observed steps{.runs = 2, .missed_before = 0.0953101798, .missed_after = 0.0198026273};
    for (std::size_t i = 0; i < steps.from.size(); ++i) {
        steps.from[i] = p.plan.framework.numbers[i].value;
    }
    steps.from[static_cast<std::size_t>(plan::FrameworkParameter::matmul)] = 1.2;
    steps.from[static_cast<std::size_t>(plan::FrameworkParameter::launch)] = 35e-6;
    steps.learnt.resize(steps.from.size());
    p.plan.framework.observed = steps;
    return p;
}

inline search::Answer nothing_fits() {
    search::Answer answer = two_plans();
    answer.plans.clear();
    answer.nearest = {too_large()};
    answer.counts.optimal = false;
    return answer;
}

/// One number of devices that was looked at: `speed` times as fast as one device alone.
inline search::ScalingPoint point(std::int64_t devices, double speed) {
    search::ScalingPoint point{.devices = devices, .batch = 256, .best = pipelined(), .unusual = {}, .why_not = {}};
    point.best->plan.mesh = {{"filter", devices}};
    point.best->samples_per_second = 100 * speed;
    point.best->step = Estimate::exactly((2.56 / speed) * 1_s);
    point.efficiency = speed / static_cast<double>(devices);
    return point;
}

/// A strategy that stops paying and one that only a part of the machine fits; 128 of 4,352 devices were asked for.
inline search::LimitsAnswer some_limits() {
    const plan::Limit experts{plan::LoopLimit{"expert", 8, {"up", "linear"}}, 16};
    const search::Infeasible out_of_memory{"data+filter", step::MemoryPlace::device, 12, {}};
    const plan::Limit filters{plan::LoopLimit{"filter", 64, {"conv1", "conv"}}, 128};
    search::StrategyLimits filter{
        .strategy = "filter",
        .axes = {{.axis = "filter",
                  .largest = 64,
                  .set_by = filters,
                  .even = 8,
                  .uneven = plan::Limit{plan::UnevenLoop{"out_feature", 1000, {"fc", "linear"}}, 64}}},
        .reach = {.devices = 64, .mesh = {{"filter", 64}}},
        .most = 64,
        .set_by = std::vector{filters},
        .points = {point(1, 1), point(2, 1.5), point(4, 1.2)},
        .fits_from = 1,
        .fits_to = 4,
        .fastest = 2,
        .diminishing_returns =
            search::DiminishingReturns{.devices = 2, .beyond = 4, .part = step::TimePart::layer, .growth = 0.9},
        .verdict = search::Verdict{.devices = 128, .why_not = filters, .below = 64}};
    search::StrategyLimits spread{
        .strategy = "data+filter",
        .axes = {filter.axes.front(),
                 {.axis = "data"},
                 {.axis = "expert", .largest = 8, .set_by = experts, .even = 8, .folded = true}},
        .most = 4352,
        .set_by = search::MachineSize{.devices = 4352},
        .points = {point(32, 30), {.devices = 64, .batch = 256, .why_not = out_of_memory}, point(128, 100)},
        .fits_from = 32,
        .fits_to = 128,
        .fastest = 128,
        .verdict = search::Verdict{.devices = 128, .fits = true}};
    search::LimitsAnswer answer;
    answer.question = two_plans().question;
    answer.question.strategies = {"filter", "data+filter"};
    answer.growth = {.batch = 256, .machine = 4352, .asked = 128};
    answer.strategies = {filter, spread};
    return answer;
}

/// The same of one strategy, on a batch that grows.
inline search::LimitsAnswer limits_of_one() {
    search::LimitsAnswer answer = some_limits();
    answer.growth = {.samples_per_device = 64, .machine = 4352};
    answer.strategies.pop_back();
    answer.strategies.front().verdict.reset();
    return answer;
}

/// Two groups of which one was refused as a whole; statistics by hand.
inline validate::Comparison compared_runs() {
    validate::RunResult good{.id = "A-1", .group = "alpha"};
    good.predicted = Estimate{9_s, 8.5_s, 16_s};
    good.measured = 10_s;
    good.error = -0.1;
    good.fits = true;
    good.ran = true;
    good.time[step::TimePart::forward] = 3_s;
    good.time[step::TimePart::backward] = 5.5_s;
    good.time[step::TimePart::layer] = 0.49_s;
    good.time[step::TimePart::gradients] = 0.01_s;
    good.predicted_memory = 60_GB;
    good.measured_memory = 64_GB;
    validate::RunResult untimed{.id = "A-2", .group = "alpha"};
    untimed.predicted = Estimate{2.5_s, 2_s, 4_s};
    untimed.fits = false;
    untimed.ran = false;
    untimed.assumed = true;
    validate::Comparison comparison;
    comparison.rows = {good,
                       untimed,
                       {.id = "B-1", .group = "beta", .refusal = "unknown model \"llama\""},
                       {.id = "B-2", .group = "beta", .refusal = "unknown model \"llama\""},
                       {.id = "B-3", .group = "beta", .refusal = "optimizer \"lamb\" is not known"}};
    const auto statistics = [](const char* group, std::int64_t skipped) {
        return validate::Statistics{.group = group,
                                    .rows = 2,
                                    .skipped = skipped,
                                    .mape = 0.1,
                                    .median_ape = 0.1,
                                    .bias = -0.1,
                                    .p90 = 0.1,
                                    .coverage = 1.0,
                                    .memory_mape = 0.0625,
                                    .compute_mape = 0.2,
                                    .communication_mape = 0.4,
                                    .fit = {.ran_fits = 1, .oom_not = 1},
                                    .stated = {.rows = 1, .mape = 0.1},
                                    .assumed = {.rows = 1, .mape = 0.3}};
    };
    comparison.groups = {statistics("alpha", 0), {.group = "beta", .skipped = 3}};
    comparison.overall = statistics("all", 3);
    return comparison;
}

}  // namespace dodona::reports::testing
