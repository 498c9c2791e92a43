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

/// Jobs like one of these plans.
std::vector<NetworkJob> beside(const cluster::Cluster& cluster, const std::vector<plan::Plan>& plans) {
    std::vector<NetworkJob> jobs;
    for (const plan::Plan& plan : plans) {
        jobs.push_back({.name = "other",
                        .step = tabulated(cluster, plan),
                        .communication = step_communication(chain(), cluster, plan)});
    }
    return jobs;
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

/// Four nodes of two, whose uplinks have half of their bandwidth together.
cluster::Cluster tapered(double taper) {
    cluster::Cluster cluster = step::test::small_cluster();
    cluster.levels = {{.name = "node", .size = 2, .bandwidth = 100_GB_per_s, .latency = 1_us},
                      {.name = "leaf", .size = 2, .links = 2, .bandwidth = 2_GB_per_s, .latency = 2_us},
                      {.name = "net", .size = 4, .links = 4, .bandwidth = 2_GB_per_s, .latency = 2_us, .taper = taper}};
    return cluster;
}

/// Two jobs meet on the uplinks, on nodes of their own.
TEST(FlowStep, JobsMeetOnSharedLinksOnly) {
    const plan::Plan plan = plan_of(1, 8);
    const auto tail = [&](const cluster::Cluster& cluster, std::size_t others) {
        const std::vector<plan::Plan> plans(others, plan);
        return with_flows(cluster, plan, {.beside = beside(cluster, plans)}).parts.tail.played.in(1_us);
    };
    const double alone = tail(tapered(4), 0);
    const double together = tail(tapered(4), 1);
    EXPECT_GT(together, 1.2 * alone);
    EXPECT_LT(together, 4 * alone);
    EXPECT_NEAR(tail(tapered(0.01), 1), tail(tapered(0.01), 0), 0.02 * alone);
    EXPECT_THROW(static_cast<void>(tail(tapered(4), 2)), InputError) << "24 ranks on 16 devices";
    const cluster::Cluster cluster = tapered(4);
    const plan::Plan part = plan_of(1, 1);
    EXPECT_THROW(static_cast<void>(with_flows(cluster, part, {.beside = beside(cluster, {part})})), InputError)
        << "half a node";
}

/// A job with a quarter of the samples takes a quarter of the time: it begins four steps or more while the other has one.
TEST(FlowStep, ShorterJobsBeginAnewUntilTheOtherIsOver) {
    const cluster::Cluster cluster = tapered(4);
    const plan::Plan asked = plan_of(1, 8);
    plan::Plan shorter = plan_of(1, 4);
    shorter.batch /= 8;
    shorter.microbatch = shorter.batch / 4;
    const SimulatedStep step = with_flows(cluster, asked, {.beside = beside(cluster, {shorter})});
    ASSERT_EQ(step.network->jobs.size(), 2U);
    const auto& [first, second] = std::tie(step.network->jobs[0], step.network->jobs[1]);
    EXPECT_EQ(first.ranks, 8);
    EXPECT_EQ(second.ranks, 4);
    EXPECT_EQ(step.network->ranks, 12);
    EXPECT_LT(second.alone, first.alone);
    EXPECT_GE(second.together, second.alone);
    EXPECT_GE(first.together, first.alone);
    EXPECT_LT(second.together, first.together / 3) << "the mean of several";
}

/// Without links that both use, each takes what it takes alone.
TEST(FlowStep, DifferentJobsOnNodesOfTheirOwnDoNotMeet) {
    const cluster::Cluster cluster = tapered(0.01);
    const SimulatedStep step =
        with_flows(cluster, plan_of(2, 2), {.beside = beside(cluster, {plan_of(1, 4), plan_of(4, 1)})});
    ASSERT_EQ(step.network->jobs.size(), 3U);
    for (const JobTime& job : step.network->jobs) {
        EXPECT_NEAR(job.together / job.alone, 1, 0.02);
    }
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
