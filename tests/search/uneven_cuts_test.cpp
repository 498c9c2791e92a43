// Cuts with fewer blocks at the ends of a pipeline, against every cut of small ones.
#include "search/uneven_cuts.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "../step/scenes.hpp"
#include "search/search.hpp"
#include "step/evaluate.hpp"
#include "step/predict.hpp"

namespace dodona::search {
namespace uneven_cuts_test {

using graph::test::block;
using graph::test::layer;
using graph::test::network;
using graph::test::tensor;
using step::test::pipeline_of;
using Counts = std::vector<std::int64_t>;

/// Equal blocks between a stem (two thirds of one: it has no dX) and a head that costs as much as `head` blocks.
graph::Graph headed(std::int64_t blocks, std::int64_t head) {
    return graph::build(network(tensor({{"feature", 256}}),
                                {layer("stem", "linear", {{"out", std::int64_t{256}}}),
                                 block("body", blocks, {layer("fc", "linear", {{"out", std::int64_t{256}}})}),
                                 layer("head", "linear", {{"out", 256 * head}})}));
}

/// No start-up times, so that a head of h blocks' arithmetic takes h blocks' time, and a network that costs nothing.
cluster::Cluster smooth_cluster() {
    cluster::Cluster cluster = step::test::small_cluster();
    cluster.device.launch = {};
    cluster.device.tiles = {};
    for (cluster::Level& level : cluster.levels) {
        level.bandwidth = 1e6 * level.bandwidth;
        level.latency = {};
    }
    return cluster;
}

std::vector<Counts> cuts(const graph::Graph& graph, const plan::Plan& plan) {
    const cluster::Cluster cluster = smooth_cluster();
    step::ScheduleTimings orders;
    return uneven_cuts(step::cost_graph(graph, cluster, plan, {}), plan, orders);
}

TEST(UnevenCuts, TakeBlocksFromTheStageWithTheHead) {
    // Twelve blocks and a head as heavy as three on four stages: the work of four each, where an equal deal would give the
    // last one six.
    const std::vector<Counts> found = cuts(headed(12, 3), pipeline_of(4));
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front(), (Counts{3, 4, 4, 1}));
}

TEST(UnevenCuts, LeaveNoStageTheHeadAlone) {
    const std::vector<Counts> found = cuts(headed(12, 6), pipeline_of(4));
    ASSERT_FALSE(found.empty());
    for (const Counts& cut : found) {
        EXPECT_GT(cut.front(), 0);
        EXPECT_GT(cut.back(), 0);
    }
}

TEST(UnevenCuts, OfAnEvenPipelineThereAreNone) {
    const graph::Graph even = graph::build(network(
        tensor({{"feature", 256}}),
        {layer("stem", "layer_norm"), block("body", 12, {layer("fc", "linear", {{"out", std::int64_t{256}}})})}));
    EXPECT_TRUE(cuts(even, pipeline_of(4)).empty());
    EXPECT_TRUE(cuts(even, pipeline_of(1)).empty()) << "one stage is not cut";
}

TEST(UnevenCuts, HoldAllBlocksOnAllVirtualStages) {
    int seen = 0;
    for (const std::int64_t blocks : {14, 16, 22}) {
        for (const std::int64_t virtual_stages : {1, 2}) {
            for (const Counts& cut : cuts(headed(blocks, 3), pipeline_of(4, virtual_stages))) {
                EXPECT_EQ(std::accumulate(cut.begin(), cut.end(), std::int64_t{0}), blocks);
                EXPECT_EQ(cut.size(), static_cast<std::size_t>(4 * virtual_stages));
                seen += static_cast<int>(virtual_stages);
            }
        }
    }
    EXPECT_GE(seen, 6) << "with one chunk and with two";
}

Space pipelines() {
    Space space;
    space.devices = 4;
    space.batch = 4096 * 16;
    space.precision = Precision::fp32;
    space.strategies = {step::test::pipelined()};
    space.optimizer = plan::OptimizerKind::momentum;
    return space;
}

TEST(UnevenCuts, AreFoundByASearch) {
    Space space = pipelines();
    space.fixed = {AxisSize{"pipeline", 4}, MicroBatch{4096}, VirtualStages{1}};
    const graph::Graph graph = headed(12, 4);
    const cluster::Cluster cluster = smooth_cluster();
    for (const bool exhaustive : {false, true}) {
        space.exhaustive = exhaustive;
        const Answer answer = search(graph, cluster, space);
        ASSERT_FALSE(answer.plans.empty());
        plan::Plan plan = answer.plans.front().plan;
        EXPECT_FALSE(plan.stages.empty());
        plan.stages.clear();
        EXPECT_GT(step::predict(graph, cluster, plan).step.value, 1.005 * answer.plans.front().step.value);
    }
}

/// A plan of another micro-batch or schedule that only its cut makes the fastest is found, however many plans are listed.
TEST(UnevenCuts, AreFoundWhereverAPlanIsListed) {
    const cluster::Cluster cluster = smooth_cluster();
    int uneven = 0;
    for (const std::int64_t head : {1, 2, 3, 4, 6}) {
        const graph::Graph graph = headed(12, head);
        Space space = pipelines();
        space.batch = 4096;
        space.fixed = {AxisSize{"pipeline", 4}};
        space.exhaustive = true;
        const Answer all = search(graph, cluster, space);
        space.exhaustive = false;
        for (const std::size_t top : {1, 2, 5, 40}) {
            for (const bool best_only : {false, true}) {
                space.top = top;
                space.best_only = best_only && top == 1;
                const Answer found = search(graph, cluster, space);
                ASSERT_FALSE(found.plans.empty());
                EXPECT_EQ(found.plans.front().plan.stages, all.plans.front().plan.stages) << head << " " << top;
                EXPECT_EQ(found.plans.front().plan.microbatch, all.plans.front().plan.microbatch);
                EXPECT_EQ(found.plans.front().step.value, all.plans.front().step.value);
            }
        }
        uneven += all.plans.front().plan.stages.empty() ? 0 : 1;
    }
    EXPECT_GE(uneven, 2);
}

TEST(UnevenCuts, MakeAStepFasterThanTheUsualCut) {
    const cluster::Cluster cluster = smooth_cluster();
    step::ScheduleTimings orders;
    int faster = 0;
    for (const std::int64_t head : {2, 3, 5}) {
        const graph::Graph graph = headed(16, head);
        plan::Plan plan = pipeline_of(4);
        const step::CostedGraph costed = step::cost_graph(graph, cluster, plan, {});
        const Seconds usual = step::evaluate(costed, plan, step::Detail::totals).step.value;
        for (const Counts& cut : uneven_cuts(costed, plan, orders)) {
            plan.stages = cut;
            EXPECT_LT(step::evaluate(costed, plan, step::Detail::totals).step.value, usual);
            ++faster;
        }
    }
    EXPECT_GE(faster, 3);
}

/// The stages at both ends receive once a micro-batch, those between twice: over a slow network they take more blocks.
TEST(UnevenCuts, WeighWhatStagesReceive) {
    cluster::Cluster cluster = smooth_cluster();
    for (cluster::Level& level : cluster.levels) {
        level.bandwidth = 1e-7 * level.bandwidth;
    }
    const plan::Plan plan = pipeline_of(4);
    const graph::Graph graph = headed(16, 1);
    step::ScheduleTimings orders;
    const std::vector<Counts> found = uneven_cuts(step::cost_graph(graph, cluster, plan, {}), plan, orders);
    ASSERT_FALSE(found.empty());
    EXPECT_GT(found.front().front(), found.front()[1]);
}

/// A stage may go on before gradients of weights that another puts off: what the cut's passes take counts that.
TEST(UnevenCuts, AsFastAsASearchKnowsAreLeft) {
    const cluster::Cluster cluster = smooth_cluster();
    const graph::Graph graph = headed(12, 3);
    for (const auto schedule : {plan::ScheduleKind::one_forward_one_backward, plan::schedule_from("zb-h1").value()}) {
        plan::Plan plan = pipeline_of(4);
        plan.schedule = schedule;
        const step::CostedGraph costed = step::cost_graph(graph, cluster, plan, {});
        step::ScheduleTimings orders;
        const std::vector<Counts> all = uneven_cuts(costed, plan, orders);
        ASSERT_FALSE(all.empty());
        plan.stages = all.front();
        const Seconds step = step::evaluate(costed, plan, step::Detail::totals).step.value;
        const std::vector<Counts> found = uneven_cuts(
            costed, costed, plan, plan.batch / plan.microbatch, step,
            [&](const step::Pipeline<Seconds>& pipeline) { return step::pipeline_total(pipeline, orders); });
        ASSERT_FALSE(found.empty());
        EXPECT_EQ(found.front(), all.front());
    }
}

/// Every cut that evaluation accepts, for the fastest.
TEST(UnevenCuts, TheFirstIsTheFastestOfAllWithAnEqualMiddle) {
    const cluster::Cluster cluster = smooth_cluster();
    const graph::Graph graph = headed(12, 3);
    plan::Plan plan = pipeline_of(4);
    const step::CostedGraph costed = step::cost_graph(graph, cluster, plan, {});
    const auto step = [&](const Counts& cut) {
        plan.stages = cut;
        return step::evaluate(costed, plan, step::Detail::totals);
    };
    step::ScheduleTimings orders;
    const std::vector<Counts> found = uneven_cuts(costed, pipeline_of(4), orders);
    ASSERT_FALSE(found.empty());
    const Seconds best = step(found.front()).time[step::TimePart::forward] +
                         step(found.front()).time[step::TimePart::backward] +
                         step(found.front()).time[step::TimePart::bubble];
    for (std::int64_t middle = 1; middle <= 6; ++middle) {
        for (std::int64_t first = 1; first + 2 * middle <= 12; ++first) {
            const step::Prediction other = step({first, middle, middle, 12 - first - 2 * middle});
            const Seconds passes = other.time[step::TimePart::forward] + other.time[step::TimePart::backward] +
                                   other.time[step::TimePart::bubble];
            EXPECT_LE(best.in(1_us), passes.in(1_us) * (1 + 1e-9)) << first << " " << middle;
        }
    }
}

}  // namespace uneven_cuts_test
}  // namespace dodona::search
