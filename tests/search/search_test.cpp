// The search against a brute-force walk over the same space, on a small world.
#include "search/search.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <gtest/gtest.h>

#include "../graph/networks.hpp"
#include "../step/scenes.hpp"
#include "search/common_practice.hpp"
#include "search/memory_lower_bound.hpp"
#include "search/mesh_layouts.hpp"
#include "search/pass_table.hpp"
#include "search/simplicity.hpp"
#include "search/space.hpp"
#include "step/predict.hpp"

namespace dodona::search {
namespace search_test {

using step::test::pipelined;
using step::test::small_cluster;
using step::test::small_network;
using step::test::strategy;

Space small_space() {
    return {.devices = 4,
            .batch = 32,
            .precision = Precision::fp32,
            .strategies = {strategy("data", {"data"}), pipelined()},
            .optimizer = plan::OptimizerKind::momentum,
            .top = 3};
}

TEST(Search, DivisorsAscend) { EXPECT_EQ(divisors(12), (std::vector<std::int64_t>{1, 2, 3, 4, 6, 12})); }

TEST(Search, MeshesAreAllOrderedFactorisations) {
    // 12 over two axes: one mesh per divisor.
    EXPECT_EQ(meshes(pipelined(), 12).size(), 6U);
    EXPECT_TRUE(meshes(plan::Strategy{}, 2).empty());
    EXPECT_EQ(meshes(plan::Strategy{}, 1).size(), 1U);
}

/// Numbers of virtual stages that a search looks at, of so many blocks on a pipeline of `stages`.
std::set<std::int64_t> virtual_stages(std::int64_t blocks, std::int64_t stages,
                                      std::optional<std::int64_t> fixed = {}) {
    using graph::test::layer;
    const graph::Graph graph = graph::build(
        graph::test::network(graph::test::tensor({{"feature", 8}}),
                             {layer("in", "linear", {{"out", std::int64_t{8}}}), layer("norm", "layer_norm"),
                              graph::test::block("body", blocks, {layer("relu", "relu")}),
                              layer("last_norm", "layer_norm"), layer("out", "linear", {{"out", std::int64_t{8}}})}));
    plan::Plan base{.strategy = pipelined(), .mesh = {{"pipeline", stages}}, .batch = 64, .microbatch = 1};
    std::set<std::int64_t> found;
    for (const Variant& variant : Variants(graph, {}, {}, {}, fixed).of(base)) {
        found.insert(variant.virtual_stages);
    }
    return found;
}

TEST(Search, VirtualStagesHoldAsManyBlocksWhereThatIsPossible) {
    using Numbers = std::set<std::int64_t>;
    EXPECT_EQ(virtual_stages(12, 2), (Numbers{1, 2, 3, 6}));
    EXPECT_EQ(virtual_stages(126, 16), (Numbers{1, 2, 4, 8})) << "as if embedding and head were blocks, too";
    EXPECT_EQ(virtual_stages(94, 32), (Numbers{1, 2, 3})) << "2 of at most 2 blocks each";
    EXPECT_EQ(virtual_stages(61, 4), (Numbers{1, 2, 3, 4, 6, 8}))
        << "at most 8, 6, 4, 3 and 2 blocks; a part without a block or the ends is none";
    EXPECT_EQ(virtual_stages(12, 2, 4), (Numbers{1, 2, 3, 4, 6})) << "fixed by a user";
    EXPECT_EQ(virtual_stages(12, 2, 8), (Numbers{1, 2, 3, 6})) << "more than there are blocks";
}

/// Schedules that a search looks at on two stages with experts over the data ranks, in software that is run with `of`.
std::set<std::pair<plan::ScheduleKind, plan::RecomputeKind>> schedules(std::vector<plan::ScheduleKind> of,
                                                                       bool experts) {
    plan::Plan base{.strategy = pipelined(), .mesh = {{"pipeline", 2}, {"data", 2}}, .batch = 64, .microbatch = 1};
    base.framework.schedules = std::move(of);
    if (experts) {
        base.folds = {{.name = "expert", .of = {"data"}, .size = 2}};
    }
    std::set<std::pair<plan::ScheduleKind, plan::RecomputeKind>> found;
    for (const Variant& variant : Variants(small_network(), {}, {}, {}).of(base)) {
        EXPECT_TRUE(!plan::overlaps_pairs(variant.schedule) || variant.virtual_stages > 1);
        found.emplace(variant.schedule, variant.recompute);
    }
    return found;
}

TEST(Search, ModulesRunAgainWhereTheSoftwareHasSome) {
    plan::Plan base{.strategy = strategy("data", {"data"}), .mesh = {{"data", 2}}, .batch = 2};
    const auto has_modules = [&] {
        const std::vector<Variant> all = Variants(small_network(), {}, {}, {}).of(base);
        return std::any_of(all.begin(), all.end(),
                           [](const Variant& variant) { return variant.recompute == plan::RecomputeKind::layers; });
    };
    EXPECT_FALSE(has_modules());
    base.recompute_modules = {"act"};
    EXPECT_TRUE(has_modules());
}

TEST(Search, WhatVariesOfOffloadIsAllThatTheSoftwareCan) {
    plan::Plan base{.strategy = strategy("data", {"data"}), .mesh = {{"data", 2}}, .batch = 2};
    Vary vary;
    vary.offload = true;
    const auto found = [&] {
        std::set<std::array<bool, 3>> kinds;
        for (const Variant& variant : Variants(small_network(), vary, {}, {}).of(base)) {
            kinds.insert({variant.offload.optimizer, variant.offload.activations, variant.offload.weights});
        }
        return kinds;
    };
    EXPECT_EQ(found().size(), 8U);
    base.framework.cannot_offload.activations = true;
    const auto without = found();
    EXPECT_EQ(without.size(), 4U);
    EXPECT_TRUE(std::none_of(without.begin(), without.end(), [](const auto& kinds) { return kinds[1]; }));
}

TEST(Search, PlansThatRepeatMoreAreLessSimple) {
    using enum plan::RecomputeKind;
    int before = -1;
    for (const plan::RecomputeKind kind : {none, selective, layers, full}) {
        const int now = settings({.recompute = kind}, 1_B, 2_B).recompute;
        EXPECT_GT(now, before) << name(kind);
        before = now;
    }
}

TEST(Search, EachKindOfOffloadAndEachOverlapMakesAPlanLessSimple) {
    const auto of = [](const Variant& variant) { return settings(variant, 1_B, 2_B); };
    for (bool plan::Offload::*const kind :
         {&plan::Offload::optimizer, &plan::Offload::activations, &plan::Offload::weights, &plan::Offload::pages}) {
        Variant variant;
        variant.offload.*kind = true;
        EXPECT_EQ(of(variant).offloads, 1);
        variant.offload.optimizer = variant.offload.weights = variant.offload.pages = true;
        EXPECT_GE(of(variant).offloads, 3);
    }
    for (bool plan::Overlap::*const kind : {&plan::Overlap::tensor, &plan::Overlap::expert, &plan::Overlap::pipeline}) {
        Variant variant;
        variant.overlap.*kind = true;
        EXPECT_EQ(of(variant).others, 1);
        variant.stages = {1, 3};
        EXPECT_EQ(of(variant).others, 2) << "a cut of its own";
    }
}

/// Each decision that makes the other plan less simple is named, and only those.
TEST(Search, AnAdvantageIsNamedWhereThereIsOne) {
    const Simplicity simplest;
    std::set<std::string_view> named;
    for (int decision = 0; decision < 12; ++decision) {
        Simplicity other;
        other.unusual = decision == 0 ? 1 : 0;
        other.is_beyond_fit = decision == 1;
        other.by_layers = decision == 2;
        other.spread = decision == 3 ? 2 : 1;
        other.axes = decision == 4 ? 1 : 0;
        other.tight = decision == 5;
        other.offloads = decision == 6 ? 1 : 0;
        other.shard = decision == 7 ? plan::ShardLevel::states : plan::ShardLevel::none;
        other.schedule = decision == 8 ? 1 : 0;
        other.recompute = decision == 9 ? 1 : 0;
        other.rules = decision == 10 ? 1 : 0;
        other.others = decision == 11 ? 1 : 0;
        EXPECT_LT(simplest, other);
        EXPECT_NE(advantage(simplest, other), "") << decision;
        EXPECT_EQ(advantage(other, simplest), "") << decision;
        named.insert(advantage(simplest, other));
    }
    EXPECT_EQ(advantage(simplest, simplest), "");
    EXPECT_EQ(named.size(), 12U);
}

/// FeasibilityBound of the small network on two devices.
Bytes least_memory(const plan::Strategy& strategy, const std::string& axis) {
    plan::Plan plan{.strategy = strategy, .mesh = {{axis, 2}}, .batch = 2, .microbatch = 1};
    plan.precision = Precision::fp32;
    plan.optimizer = plan::OptimizerKind::momentum;
    const graph::Graph graph = small_network();
    const Meshes meshes(plan);
    const plan::SharedShards shards = plan::MeshShards(graph, meshes.whole).of(plan.strategy, plan.microbatch);
    return FeasibilityBound(*shards).least_memory(plan, meshes, 1000000_B);
}

TEST(Search, OfMemoryIsKnownTheMeanOfTheStagesByHand) {
    // Four convolutions of 8 x 8 x 3 x 3 weights and 8 biases; weight, gradient and momentum of 4 bytes each.
    const double states = 4 * (8 * 8 * 9 + 8) * 12.0;
    EXPECT_NEAR(least_memory(strategy("data", {"data"}), "data").in(unit::byte), 1e6 + states, 1e-3);
    EXPECT_NEAR(least_memory(pipelined(), "pipeline").in(unit::byte), 1e6 + states / 2, 1e-3);
}

TEST(Search, NoCutFitsWhereTheStagesTogetherHaveTooLittle) {
    const graph::Graph graph = small_network();
    const cluster::Cluster cluster = small_cluster();
    plan::Plan plan{.strategy = pipelined(), .mesh = {{"pipeline", 2}}, .batch = 2};
    plan.precision = Precision::fp32;
    const step::CostedGraph costed = step::cost_graph(graph, cluster, plan, {});
    const Bytes needed = step::predict(graph, cluster, plan).memory.total();
    step::ScheduleTimings orders;
    MemoryLowerBound cuts(costed, costed, orders);
    EXPECT_TRUE(cuts.may_fit(plan, 2, 1, needed));
    EXPECT_FALSE(cuts.may_fit(plan, 2, 1, 0.5 * needed));
}

TEST(Search, ProportionToTheMicrobatchIsOfEverySegment) {
    const graph::Graph graph = small_network();
    const cluster::Cluster cluster = small_cluster();
    plan::Plan plan{.strategy = strategy("data", {"data"}), .mesh = {{"data", 1}}, .batch = 4};
    plan.precision = Precision::fp32;
    const step::CostedGraph one = step::cost_graph(graph, cluster, plan, {});
    plan.microbatch = 2;
    step::CostedGraph two = step::cost_graph(graph, cluster, plan, {});
    EXPECT_TRUE(keeps_in_proportion(one, 1, two, 2));
    for (step::SegmentCost& segment : two.segments) {
        segment.memory.saved += 1024_B;
        EXPECT_FALSE(keeps_in_proportion(one, 1, two, 2));
        segment.memory.saved = segment.memory.saved - 1024_B;
    }
}

TEST(Search, SchedulesAreThoseThatTheSoftwareIsRunWith) {
    using enum plan::ScheduleKind;
    const plan::ScheduleKind together = plan::schedule_from("1f1b-overlapped").value();
    const auto has = [&](const std::vector<plan::ScheduleKind>& of, plan::ScheduleKind kind, bool experts = true,
                         plan::RecomputeKind recompute = plan::RecomputeKind::none) {
        return schedules(of, experts).contains({kind, recompute});
    };
    EXPECT_TRUE(has({}, interleaved));
    EXPECT_FALSE(has({}, together)) << "only where it is said";
    EXPECT_FALSE(has({one_forward_one_backward}, interleaved));
    EXPECT_TRUE(has({interleaved, together}, together));
    EXPECT_FALSE(has({interleaved, together}, together, false)) << "no exchange of experts hides";
    EXPECT_TRUE(has({together}, one_forward_one_backward, true, plan::RecomputeKind::full));
    EXPECT_FALSE(has({together}, together, true, plan::RecomputeKind::full)) << "Megatron refuses it";
}

/// ZeRO levels that a search looks at, on two data ranks.
std::set<plan::ShardLevel> zero_levels(plan::Strategy strategy, std::vector<plan::ShardLevel> of_software) {
    strategy.shard_axes = {"data"};
    plan::Plan base{.strategy = strategy, .mesh = {{"data", 2}}, .batch = 64, .microbatch = 1};
    base.framework.levels = std::move(of_software);
    std::set<plan::ShardLevel> found;
    for (const Variant& variant : Variants(small_network(), {}, {}, {}).of(base)) {
        found.insert(variant.shard);
    }
    return found;
}

TEST(Search, ZeroLevelsAreThoseOfTheStrategyThatTheSoftwareHas) {
    using Level = plan::ShardLevel;
    using Levels = std::set<Level>;
    const plan::Strategy ring = strategy("ring", {"data"});
    EXPECT_EQ(zero_levels(ring, {}), (Levels{Level::none, Level::states, Level::gradients, Level::parameters}));
    EXPECT_EQ(zero_levels(ring, {Level::none, Level::states}), (Levels{Level::none, Level::states}));
    EXPECT_EQ(zero_levels(ring, {Level::none}), Levels{Level::none});
    EXPECT_EQ(zero_levels(pipelined(), {}), (Levels{Level::none, Level::states}))
        << "ZeRO-2 and ZeRO-3 communicate in every micro-batch";
    EXPECT_EQ(zero_levels(pipelined(), {Level::none, Level::parameters}), (Levels{Level::none, Level::parameters}))
        << "software without ZeRO-1 shards as it can";
    plan::Strategy chosen = ring;
    chosen.shard_levels = {Level::none};
    EXPECT_EQ(zero_levels(chosen, {Level::gradients, Level::parameters}), Levels{Level::none})
        << "data parallelism alone";
    chosen.shard = Level::gradients;
    EXPECT_EQ(zero_levels(chosen, {Level::none}), Levels{Level::gradients}) << "prescribed";
}

/// Four experts over tokens of eight features.
graph::Graph small_mixture() {
    using graph::test::layer;
    return graph::build(graph::test::network(
        graph::test::tensor({{"sequence", 16}, {"feature", 8}}),
        {layer("in", "linear", {{"out", std::int64_t{8}}}), layer("router", "router", {{"experts", std::int64_t{4}}}),
         layer("dispatch", "dispatch", {{"top_k", std::int64_t{2}}}, {"in", "router"}),
         layer("up", "expert_linear", {{"out", std::int64_t{8}}}), layer("combine", "combine", {}, {"up", "router"})}));
}

plan::Strategy spread() {
    plan::Strategy spread = strategy("spread", {"data"});
    spread.folds = {{"expert", {"data"}, {}}};
    spread.rules.push_back({});
    spread.rules.back().match.kinds = {"expert_linear"};
    spread.rules.back().lay = {{"expert", {"expert"}, {}}};
    return spread;
}

TEST(Search, FoldsTakeWholeSharesOfWhatTheySplit) {
    plan::Plan base;
    base.strategy = spread();
    base.mesh = {{"data", 8}};
    std::vector<std::int64_t> sizes;
    for (const std::vector<plan::Fold>& folds : FoldSizes(base.strategy, small_mixture()).of(base)) {
        sizes.push_back(folds.empty() ? 1 : folds[0].size);
    }
    EXPECT_EQ(sizes, (std::vector<std::int64_t>{1, 2, 4})) << "four experts on eight ranks";
    EXPECT_EQ(FoldSizes(base.strategy, small_network()).of(base).size(), 1U) << "nothing to spread";
}

TEST(Search, WithoutBeingAskedLooksOnlyAtStrategiesMadeForTheNetwork) {
    plan::Strategy strategy = spread();
    EXPECT_TRUE(considered(strategy, small_network()));
    strategy.considered.only_with = {"expert_linear"};
    EXPECT_FALSE(considered(strategy, small_network()));
    EXPECT_TRUE(considered(strategy, small_mixture()));
    strategy.considered.extents = {{"sequence", 17}};
    EXPECT_FALSE(considered(strategy, small_mixture()));
    strategy.considered = {.by_default = false, .only_with = {}, .extents = {}, .least = {}};
    EXPECT_FALSE(considered(strategy, small_mixture()));
}

TEST(Search, AMeshThatIsAnotherStrategysIsLeftOut) {
    plan::Strategy strategy = pipelined();
    strategy.considered.least = {{strategy.axes[0], 2}};
    for (const auto& mesh : meshes(strategy, 12)) {
        EXPECT_GE(mesh[0].size, 2);
    }
    EXPECT_EQ(meshes(strategy, 12).size(), 5U);
}

TEST(Search, OffloadIsTheUsersChoiceAndAddsNoConfigurations) {
    cluster::Cluster cluster = small_cluster();
    cluster.host = cluster::Host{.memory = 1_GiB, .bandwidth = 10_GB_per_s, .source = "a test"};
    Space space = small_space();
    const Answer without = search(small_network(), cluster, space);
    space.offload = {.optimizer = true, .weights = true};
    const Answer with = search(small_network(), cluster, space);
    EXPECT_EQ(with.counts.configurations, without.counts.configurations);
    ASSERT_FALSE(with.plans.empty());
    EXPECT_EQ(with.plans[0].plan.offload, space.offload);
    EXPECT_GT(with.plans[0].step.value, without.plans[0].step.value);
    cluster.host->memory = 1_B;
    const Answer nothing = search(small_network(), cluster, space);
    EXPECT_TRUE(nothing.plans.empty());
    ASSERT_EQ(nothing.infeasible.size(), 2U);
    EXPECT_EQ(text(nothing.infeasible[0].cause), "out of host memory") << "one reason, whatever the figures";
}

TEST(Search, TheFirstPlanIsTheSimplestOfTheFastestOfABruteForceWalk) {
    const graph::Graph graph = small_network();
    const cluster::Cluster cluster = small_cluster();
    const Space space = small_space();
    const Answer answer = search(graph, cluster, space);

    std::int64_t walked = 0;
    Seconds fastest = Seconds::of_base(1e9);
    std::vector<step::Prediction> fitting;
    for (const plan::Strategy& s : space.strategies) {
        for (const auto& mesh : meshes(s, space.devices)) {
            for (const std::int64_t microbatch : divisors(space.batch)) {
                plan::Plan base{.strategy = s, .mesh = mesh, .batch = space.batch, .microbatch = microbatch};
                base.precision = space.precision;
                base.optimizer = space.optimizer;
                base.overlap = space.overlap;
                if (space.batch % (base.axis_size("data") * microbatch) != 0) {
                    continue;
                }
                for (const plan::Plan& plan : variants(base, graph)) {
                    ++walked;
                    const step::Prediction p = step::predict(graph, cluster, plan);
                    if (p.fits) {
                        fastest = min(fastest, p.step.value);
                        fitting.push_back(p);
                    }
                }
            }
        }
    }
    ASSERT_FALSE(answer.plans.empty());
    EXPECT_EQ(answer.counts.configurations, walked);
    EXPECT_LE(answer.plans[0].step.value, 1.02 * fastest);
    EXPECT_GE(answer.plans[0].step.value, fastest);
    const std::int64_t domain = cluster.fast_domain();
    for (const step::Prediction& p : fitting) {
        if (p.step.value <= 1.02 * fastest) {
            EXPECT_GE(simplicity(p, domain, 0), simplicity(answer.plans[0], domain, 0)) << mesh_text(p.plan);
        }
    }
    for (std::size_t i = 2; i < answer.plans.size(); ++i) {
        EXPECT_GE(answer.plans[i].step.value, answer.plans[i - 1].step.value);
    }
    EXPECT_GE(answer.counts.equally_fast, 1);
    EXPECT_TRUE(answer.counts.optimal);
}

TEST(Search, WhatDoesNotFitIsCountedByReasonAndTheNearestIsShown) {
    const graph::Graph graph = small_network();
    const cluster::Cluster cluster = small_cluster();
    Space space = small_space();
    space.max_memory = 1_B;
    const Answer answer = search(graph, cluster, space);
    EXPECT_TRUE(answer.plans.empty());
    ASSERT_EQ(answer.nearest.size(), 1U);
    EXPECT_FALSE(answer.nearest[0].fits);
    std::int64_t counted = 0;
    for (const Infeasible& infeasible : answer.infeasible) {
        EXPECT_EQ(text(infeasible.cause), "out of memory");
        EXPECT_TRUE(infeasible.nearest.has_value());
        counted += infeasible.count;
    }
    EXPECT_EQ(counted, answer.counts.configurations);
}

TEST(Search, PlansLeaveTheReserveFree) {
    const graph::Graph graph = small_network();
    Space space = small_space();
    const Answer all = search(graph, small_cluster(), space);
    ASSERT_FALSE(all.plans.empty());
    const step::Prediction& best = all.plans.front();
    space.max_memory = best.memory.total();
    EXPECT_FALSE(search(graph, small_cluster(), space).plans.empty()) << "it needs as much as there is";
    space.reserve = 0.05;
    for (const bool exhaustive : {false, true}) {
        space.exhaustive = exhaustive;
        for (const step::Prediction& plan : search(graph, small_cluster(), space).plans) {
            EXPECT_LE(plan.memory.total(), 0.95 * best.memory.total());
            EXPECT_EQ(plan.memory_limit, best.memory.total()) << "what there is, not what is left of it";
        }
    }
    space.reserve = 0.999999;
    const Answer none = search(graph, small_cluster(), space);
    ASSERT_EQ(none.nearest.size(), 1U);
    EXPECT_EQ(text(*none.nearest[0].why_not).substr(0, 14), "out of memory:");
}

TEST(Search, UnusualPlansComeOnlyIfAskedForOrIfNothingElseFits) {
    const graph::Graph graph = small_network();
    Space space = small_space();
    space.top = 100;
    plan::Usual& usual = space.strategies[1].considered.usual;
    const auto has = [](const Answer& answer, std::string_view name) {
        return std::any_of(answer.plans.begin(), answer.plans.end(),
                           [&](const step::Prediction& plan) { return plan.plan.strategy.name == name; });
    };
    const std::string other = space.strategies[1].name;
    EXPECT_TRUE(has(search(graph, small_cluster(), space), other));
    usual.ever = false;
    const Answer without = search(graph, small_cluster(), space);
    EXPECT_FALSE(has(without, other));
    EXPECT_EQ(without.counts.unusual, 1);
    space.vary.unusual = true;
    EXPECT_TRUE(has(search(graph, small_cluster(), space), other));
    space.vary.unusual = false;
    space.strategies.erase(space.strategies.begin());
    const Answer nothing_else = search(graph, small_cluster(), space);
    EXPECT_TRUE(has(nothing_else, other));
    ASSERT_EQ(nothing_else.unusual.size(), 1U);
    EXPECT_EQ(nothing_else.unusual[0], other + " is not in use for such networks");
}

TEST(Search, SizesOfAxesAreUsualByTheRuleOfTheStrategy) {
    plan::Strategy strategy = pipelined();
    strategy.considered.usual.sizes = {{"data", plan::UsualSizes::node}, {"pipeline", plan::UsualSizes::layers}};
    const graph::Graph graph = small_network();
    const Space space = small_space();
    const CommonPractice usual(strategy, graph, 6);
    const auto faults = [&](std::int64_t data, std::int64_t stages, const Filter& filter) {
        plan::Plan plan{.strategy = strategy, .mesh = {{"data", data}, {"pipeline", stages}}};
        return usual.faults(plan, filter);
    };
    const Filter open(space);
    EXPECT_TRUE(faults(1, 1, open).empty());
    EXPECT_TRUE(faults(4, 1, open).empty());
    EXPECT_TRUE(faults(3, 1, open).empty()) << "divides a node";
    EXPECT_EQ(faults(5, 1, open).size(), 1U);
    EXPECT_EQ(faults(8, 1, open).size(), 1U) << "reaches beyond it";
    EXPECT_TRUE(faults(1, 64, open).empty());
    EXPECT_EQ(faults(1, 131, open).size(), 1U);
    EXPECT_EQ(faults(8, 131, open).size(), 2U);
    Space fixed = space;
    fixed.fixed = {AxisSize{"data", 8}};
    EXPECT_TRUE(faults(8, 1, Filter(fixed)).empty()) << "the user's own choice";
}

TEST(Search, AnswersThatOneLossComparesStayOnOneRank) {
    graph::Graph graph = small_network();
    graph.post_training.together = 2;
    Space space = small_space();
    space.strategies = {strategy("data", {"data"})};
    space.devices = 2;
    space.batch = 2;
    const Enumeration found = enumerate(graph, small_cluster(), space);
    EXPECT_TRUE(found.layouts.empty());
    ASSERT_EQ(found.refused.size(), 1U);
    EXPECT_EQ(found.refused[0].cause, plan::LimitCause(plan::AnswersLimit{2}));
    space.batch = 4;
    EXPECT_EQ(enumerate(graph, small_cluster(), space).layouts.size(), 1U);
}

TEST(Search, MoreDataRanksThanSamplesIsALimitByName) {
    Space space = small_space();
    space.batch = 2;
    space.strategies = {strategy("data", {"data"})};
    const Answer answer = search(small_network(), small_cluster(), space);
    EXPECT_TRUE(answer.plans.empty());
    ASSERT_EQ(answer.infeasible.size(), 1U);
    EXPECT_EQ(text(answer.infeasible[0].cause), "data <= 2: the batch has 2 samples");
}

TEST(Search, StopsWhenTheProgressSaysSoAndKeepsWhatItHas) {
    int calls = 0;
    const Answer answer = search(small_network(), small_cluster(), small_space(),
                                 [&](std::int64_t, std::int64_t) { return ++calls < 3; });
    EXPECT_FALSE(answer.counts.optimal);
    EXPECT_FALSE(answer.plans.empty());
}

/// Ranks 0 and 1 of the small world; ranks 2 and 3 are half as fast and have half the memory.
cluster::Cluster mixed_cluster() {
    cluster::Cluster cluster = small_cluster();
    cluster::Device slow = cluster.device;
    slow.name = "slow";
    slow.memory = 0.5 * slow.memory;
    slow.memory_bandwidth = slow.memory_bandwidth / 2;
    slow.matrix[Precision::fp32] = slow.matrix[Precision::fp32] / 2;
    slow.launch = 2 * slow.launch;
    cluster.mixed = {{.first = 2, .ranks = 2, .device = slow}};
    return cluster;
}

TEST(Search, PlansOnMixedDevicesAreThoseThatPredictionsSay) {
    const graph::Graph graph = small_network();
    const cluster::Cluster cluster = mixed_cluster();
    const Answer answer = search(graph, cluster, small_space());
    ASSERT_FALSE(answer.plans.empty());
    for (const step::Prediction& plan : answer.plans) {
        const step::Prediction again = step::predict(graph, cluster, plan.plan);
        EXPECT_EQ(plan.step.value, again.step.value);
        EXPECT_EQ(plan.devices.size(), 2U);
        EXPECT_TRUE(again.fits);
    }
    EXPECT_GT(answer.plans.front().step.value, search(graph, small_cluster(), small_space()).plans.front().step.value);
}

TEST(Search, AnAskedForLimitHoldsForEveryDevice) {
    const graph::Graph graph = small_network();
    Space space = small_space();
    space.max_memory = 1_MiB;
    for (const step::Prediction& plan : search(graph, mixed_cluster(), space).plans) {
        EXPECT_LE(plan.most_memory, 1_MiB);
    }
}

TEST(Search, APrecisionThatOneDeviceLacksIsAFault) {
    cluster::Cluster cluster = mixed_cluster();
    cluster.mixed[0].device.matrix = {{Precision::fp16, 1_TFLOP_per_s}};
    EXPECT_THROW(search(small_network(), cluster, small_space()), InputError);
}

// sigma of two pieces of software is hypot(0.1, 0.1, 0.1, 0.1) = 0.2, and 90 % of differences are within exp(1.645 x 0.2) = 1.39.
TEST(Answer, PlansOfTwoPiecesOfSoftwareAreTiedMoreWidely) {
    const auto of = [](const std::string& software, double seconds) {
        step::Prediction plan;
        plan.plan.framework.name = software;
        plan.step.value = Seconds::of_base(seconds);
        plan.uncertainty.spread = 0.1;
        plan.uncertainty.between_sources = 0.1;
        return plan;
    };
    EXPECT_TRUE(tied(of("one", 10), of("other", 13.8)));
    EXPECT_FALSE(tied(of("one", 10), of("other", 14.0)));
    EXPECT_FALSE(tied(of("one", 10), of("one", 13.8)));
    EXPECT_TRUE(stands_before(of("one", 12.4), of("other", 10)));
    EXPECT_FALSE(stands_before(of("one", 12.6), of("other", 10)))
        << "tied, but a quarter slower: not known to be as good";
    EXPECT_FALSE(stands_before(of("one", 12.4), of("one", 10))) << "one software, which predictions tell apart";
}

/// A software that takes so many seconds more for each step.
Software software(const std::string& name, double seconds, std::optional<std::vector<std::string>> strategies) {
    Software made{.strategies = std::move(strategies)};
    made.framework.name = name;
    plan::Framework::Number& step = made.framework.number(plan::FrameworkParameter::step);
    step.value = step.lo = step.hi = seconds;
    return made;
}

TEST(Search, EachStrategyIsTimedInTheSoftwareThatRunsIt) {
    const graph::Graph graph = small_network();
    Space space = small_space();
    space.top = 20;
    space.software = {software("stages", 1, {{pipelined().name}}), software("copies", 3, {{"data"}})};
    const Answer answer = search(graph, small_cluster(), space);
    ASSERT_FALSE(answer.plans.empty());
    std::set<std::string> seen;
    for (const step::Prediction& plan : answer.plans) {
        const std::string& name = plan.plan.framework.name;
        EXPECT_EQ(name, plan.plan.strategy.name == "data" ? "copies" : "stages");
        EXPECT_EQ(step::predict(graph, small_cluster(), plan.plan).step.value, plan.step.value);
        seen.insert(name);
    }
    EXPECT_EQ(seen.size(), 2U);
    ASSERT_EQ(answer.in_other_software.size(), 1U);
    EXPECT_NE(answer.in_other_software.front().plan.framework.name, answer.plans.front().plan.framework.name);
}

TEST(Search, AStrategyThatSeveralRunIsListedInEach) {
    Space space = small_space();
    space.top = 20;
    space.strategies = {strategy("data", {"data"})};
    space.software = {software("slow", 3, std::nullopt), software("fast", 1, std::nullopt)};
    const Answer answer = search(small_network(), small_cluster(), space);
    ASSERT_EQ(answer.plans.size(), 2U);
    EXPECT_EQ(answer.plans[0].plan.framework.name, "fast");
    EXPECT_EQ(answer.plans[1].plan.framework.name, "slow");
    ASSERT_EQ(answer.in_other_software.size(), 1U) << "listed or not, so that it can be found";
    space.top = 1;
    EXPECT_EQ(search(small_network(), small_cluster(), space).in_other_software.front().plan.framework.name, "slow");
}

TEST(Search, TheFirstSoftwareStaysFirstWithinWhatTwoDifferBy) {
    Space space = small_space();
    space.strategies = {strategy("data", {"data"})};
    const auto best = [&](double spread, double first = 1.2) {
        space.software = {software("first", first, std::nullopt), software("other", 1, std::nullopt)};
        for (Software& software : space.software) {
            software.framework.spread = spread;
        }
        const Answer answer = search(small_network(), small_cluster(), space);
        EXPECT_EQ(answer.plans.size(), 2U);
        space.best_only = true;
        space.top = 1;
        const Answer alone = search(small_network(), small_cluster(), space);
        EXPECT_EQ(alone.plans.front().plan.framework.name, answer.plans.front().plan.framework.name);
        space.best_only = false;
        space.top = 5;
        return answer.plans.front().plan.framework.name;
    };
    EXPECT_EQ(best(0.01), "other");
    EXPECT_EQ(best(0.3), "first");
    EXPECT_EQ(best(0.3, 1.4), "other") << "tied, but slower by more than kUncertainTime";
}

/// Two strategies in software that was fitted to none of the faster one's ZeRO level, whose steps get a fixed time so that
/// the slower, which sends large activations between its stages, takes `ratio` times as long.
std::string first_of_two(double ratio, double beyond_fit) {
    plan::Strategy sharded = strategy("data", {"data"});
    sharded.shard = plan::ShardLevel::gradients;
    plan::Strategy fitted = pipelined();
    fitted.shard = plan::ShardLevel::none;
    fitted.considered.least = {{"pipeline", 2}};
    Space space = small_space();
    space.batch = 16384;
    const auto searched = [&](std::vector<plan::Strategy> strategies, double fixed) {
        space.strategies = std::move(strategies);
        space.software = {software("fitted", fixed, std::nullopt)};
        space.software.front().framework.fitted_level = plan::ShardLevel::none;
        space.software.front().framework.beyond_fit = beyond_fit;
        return search(small_network(), small_cluster(), space).plans.front();
    };
    const double faster = searched({sharded}, 0).step.value.in(unit::second);
    const double slower = searched({fitted}, 0).step.value.in(unit::second);
    EXPECT_GT(slower, ratio * faster);
    return searched({sharded, fitted}, (slower - ratio * faster) / (ratio - 1)).plan.strategy.name;
}

TEST(Search, APlanWithinTheFitStandsBeforeAFasterOneBeyondIt) {
    EXPECT_EQ(first_of_two(1.1, 0.18), "pipeline");
    EXPECT_EQ(first_of_two(1.1, 0), "data") << "predictions distinguish them";
    EXPECT_EQ(first_of_two(1.3, 0.5), "data")
        << "predictions do not distinguish them, but it is slower by more than kUncertainTime";
}

}  // namespace search_test
}  // namespace dodona::search
