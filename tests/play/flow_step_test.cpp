// Steps whose transfers are flows, against the same steps with tabulated transfers.
#include "play/flow_step.hpp"

#include <gtest/gtest.h>

#include "../step/scenes.hpp"
#include "base/diagnostic.hpp"

namespace dodona::play {
namespace flow_step_test {

using graph::test::block;
using graph::test::layer;
using graph::test::network;
using graph::test::tensor;

graph::Graph chain() {
    return graph::build(
        network(tensor({{"feature", 256}}), {layer("stem", "linear", {{"out", std::int64_t{256}}}),
                                             block("body", 16, {layer("fc", "linear", {{"out", std::int64_t{256}}})}),
                                             layer("head", "linear", {{"out", std::int64_t{1024}}})}));
}

plan::Plan plan_of(std::int64_t stages, std::int64_t data, plan::ShardLevel shard = plan::ShardLevel::none) {
    plan::Plan plan = step::test::pipeline_of(stages);
    plan.mesh.push_back({"data", data});
    plan.batch *= data;
    plan.shard = shard;
    return plan;
}

SimulatedStep tabulated(const cluster::Cluster& cluster, const plan::Plan& plan) {
    return simulate_step(chain(), cluster, plan);
}

SimulatedStep with_flows(const cluster::Cluster& cluster, const plan::Plan& plan,
                         const NetworkConditions& conditions = {}) {
    SimulatedStep step = tabulated(cluster, plan);
    play_flows(step, step_communication(chain(), cluster, plan), cluster, conditions);
    return step;
}

double microseconds(const SimulatedStep& step) { return step.time().in(1_us); }

TEST(FlowStep, TakesTheTimeOfTheTablesWhereNothingMeets) {
    const cluster::Cluster cluster = step::test::small_cluster();
    for (const auto& [stages, data, shard] :
         {std::tuple{4, 1, plan::ShardLevel::none}, std::tuple{1, 8, plan::ShardLevel::none},
          std::tuple{4, 2, plan::ShardLevel::none}, std::tuple{2, 4, plan::ShardLevel::states},
          std::tuple{1, 4, plan::ShardLevel::parameters}}) {
        const plan::Plan plan = plan_of(stages, data, shard);
        const SimulatedStep expected = tabulated(cluster, plan);
        const SimulatedStep step = with_flows(cluster, plan);
        EXPECT_NEAR(microseconds(step), microseconds(expected), 0.01 * microseconds(expected)) << stages << " " << data;
        EXPECT_EQ(step.network->ranks, stages * data);
        EXPECT_GT(step.network->flows, 0U);
        EXPECT_EQ(step.parts.passes.played, expected.parts.passes.played);
    }
}

TEST(FlowStep, OfAHiddenReductionPlaysWhatShows) {
    plan::Plan plan = plan_of(1, 8);
    plan.overlap.gradients = true;
    const cluster::Cluster cluster = step::test::small_cluster();
    const SimulatedStep expected = tabulated(cluster, plan);
    EXPECT_NEAR(microseconds(with_flows(cluster, plan)), microseconds(expected), 0.01 * microseconds(expected));
}

/// Sends of both directions and of both replicas meet on one link out of each node, which the tables count as if all were
/// sent at once: flows take no longer.
TEST(FlowStep, SendsShareLinks) {
    cluster::Cluster cluster = step::test::small_cluster();
    cluster.levels = {{.name = "node", .size = 4, .bandwidth = 100_GB_per_s, .latency = 1_us},
                      {.name = "net", .size = 2, .links = 1, .bandwidth = 2_GB_per_s, .latency = 2_us}};
    plan::Plan plan = plan_of(2, 4);
    plan.mesh = {{"data", 4}, {"pipeline", 2}};
    const SimulatedStep expected = tabulated(cluster, plan);
    const SimulatedStep step = with_flows(cluster, plan);
    EXPECT_GT(step.parts.transfers.played, 0.5 * expected.parts.transfers.played);
    EXPECT_LT(step.parts.transfers.played, 1.05 * expected.parts.transfers.played);
    cluster.levels[1].links = 4;
    EXPECT_LT(with_flows(cluster, plan).parts.transfers.played, 0.5 * step.parts.transfers.played);
}

TEST(FlowStep, DegradedPartsSlowTheStepDownAndCutOffRanksAreAFault) {
    const cluster::Cluster cluster = step::test::small_cluster();
    const plan::Plan plan = plan_of(2, 4);
    const SimulatedStep sound = with_flows(cluster, plan);
    const SimulatedStep degraded = with_flows(cluster, plan, {.degraded = {{"rank3", 0.1}}});
    EXPECT_GT(degraded.time(), 1.01 * sound.time());
    EXPECT_EQ(degraded.network->degraded.size(), 1U);
    EXPECT_THROW(static_cast<void>(with_flows(cluster, plan, {.degraded = {{"rank3", 0}}})), InputError);
}

/// Four nodes of two, whose uplinks have half of their bandwidth together: two jobs meet there, on nodes of their own.
TEST(FlowStep, JobsMeetOnSharedLinksOnly) {
    cluster::Cluster cluster = step::test::small_cluster();
    cluster.levels = {{.name = "node", .size = 2, .bandwidth = 100_GB_per_s, .latency = 1_us},
                      {.name = "leaf", .size = 2, .links = 2, .bandwidth = 2_GB_per_s, .latency = 2_us},
                      {.name = "net", .size = 4, .links = 4, .bandwidth = 2_GB_per_s, .latency = 2_us, .taper = 4}};
    const plan::Plan plan = plan_of(1, 8);
    const double alone = with_flows(cluster, plan).parts.tail.played.in(1_us);
    const double together = with_flows(cluster, plan, {.jobs = 2}).parts.tail.played.in(1_us);
    EXPECT_GT(together, 1.2 * alone);
    EXPECT_LT(together, 4 * alone);
    cluster.levels[2].taper = 0.01;
    EXPECT_NEAR(with_flows(cluster, plan, {.jobs = 2}).parts.tail.played.in(1_us),
                with_flows(cluster, plan).parts.tail.played.in(1_us), 0.02 * alone);
    EXPECT_THROW(static_cast<void>(with_flows(cluster, plan, {.jobs = 3})), InputError);
    EXPECT_THROW(static_cast<void>(with_flows(cluster, plan_of(1, 1), {.jobs = 2})), InputError);
}

TEST(FlowStep, BusiestLinksMoveTheBytesOfTheirRing) {
    const cluster::Cluster cluster = step::test::small_cluster();
    const plan::Plan plan = plan_of(1, 4);
    const SimulatedStep step = with_flows(cluster, plan);
    ASSERT_FALSE(step.network->busiest.empty());
    const LinkUse& link = step.network->busiest.front();
    Bytes sent;  // of an all-reduce over four: 2 * 3 / 4 of the gradients
    for (const step::CommunicationLine& line : step.prediction.communication) {
        sent += line.sent;
    }
    EXPECT_NEAR(link.moved.in(sent), 1, 1e-9);
    EXPECT_NEAR(link.utilisation, link.moved / (25_GB_per_s * step.timeline.makespan), 1e-12);
}

TEST(FlowStep, IsTheSameEachTime) {
    const cluster::Cluster cluster = step::test::small_cluster();
    const plan::Plan plan = plan_of(4, 2);
    EXPECT_EQ(with_flows(cluster, plan).timeline.end, with_flows(cluster, plan).timeline.end);
}

}  // namespace flow_step_test
}  // namespace dodona::play
