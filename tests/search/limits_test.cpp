// How far strategies go on a small world: against the search itself on every number of devices.
#include "search/limits.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "../step/scenes.hpp"

namespace dodona::search {
namespace limits_test {

using step::test::pipelined;
using step::test::small_cluster;
using step::test::small_network;
using step::test::strategy;

Space space_of(std::vector<plan::Strategy> strategies) {
    return {
        .precision = Precision::fp32, .strategies = std::move(strategies), .optimizer = plan::OptimizerKind::momentum};
}

/// Eight filters and channels in every layer.
plan::Strategy filters() {
    plan::Strategy filter = strategy("filter", {"filter"});
    filter.everywhere.clear();
    filter.shard_axes.clear();
    filter.rules.push_back({});
    filter.rules.back().match.kinds = {"conv"};
    filter.rules.back().lay = {{"filter", {"filter"}, {}}};
    return filter;
}

StrategyLimits limits_of(const plan::Strategy& strategy, const Growth& growth,
                         const cluster::Cluster& cluster = small_cluster()) {
    return limits(small_network(), cluster, space_of({strategy}), growth).front();
}

/// Nodes of eight, as many as there are.
cluster::Cluster large_cluster(std::int64_t nodes) {
    cluster::Cluster cluster = small_cluster();
    cluster.levels.push_back({.name = "system", .size = nodes, .bandwidth = 1_GB_per_s, .latency = 100_us});
    return cluster;
}

std::vector<std::int64_t> looked_at(const StrategyLimits& limits) {
    std::vector<std::int64_t> devices;
    for (const ScalingPoint& point : limits.points) {
        devices.push_back(point.devices);
    }
    return devices;
}

TEST(Limits, AreTheNetworksWhereTheMachineIsLarger) {
    const StrategyLimits found = limits_of(filters(), {.samples_per_device = 4, .machine = 64}, large_cluster(8));
    EXPECT_EQ(found.most, 8);
    EXPECT_EQ(set_by_text(found), "filter <= 8: layer body[1]/conv (conv) cannot be split further");
    EXPECT_EQ(looked_at(found), (std::vector<std::int64_t>{1, 2, 4, 8}));
    EXPECT_EQ(found.fits_from, 1);
    EXPECT_EQ(found.fits_to, 8);
}

TEST(Limits, DoNotDependOnHowManyAreSearchedAtOnce) {
    Space space = space_of({strategy("data", {"data"}), pipelined()});
    const Growth growth{.batch = 64, .machine = 64};
    const auto steps = [&](int workers) {
        space.workers = workers;
        std::vector<double> found;
        for (const StrategyLimits& one : limits(small_network(), large_cluster(8), space, growth)) {
            for (const ScalingPoint& point : one.points) {
                found.push_back(point.best ? point.best->step.value.in(unit::second) : -1);
            }
        }
        return found;
    };
    EXPECT_GT(steps(1).size(), 7U);
    EXPECT_EQ(steps(1), steps(4));
}

TEST(Limits, AStopLeavesOutTheLargerNumbers) {
    Space space = space_of({strategy("data", {"data"}), strategy("data2", {"data"})});
    space.workers = 1;
    const auto found = limits(small_network(), large_cluster(8), space, {.batch = 64, .machine = 64, .asked = 64},
                              [](std::int64_t done, std::int64_t all) {
                                  EXPECT_EQ(all, 7 + 7);
                                  return done < 5;
                              });
    ASSERT_EQ(found.size(), 2U);
    EXPECT_FALSE(found[0].verdict) << "64 was not looked at";
    EXPECT_EQ(looked_at(found[0]), (std::vector<std::int64_t>{1, 2, 4}));
    EXPECT_EQ(looked_at(found[1]), (std::vector<std::int64_t>{1, 2}));
}

TEST(Limits, AreTheMachinesWhereTheNetworkHasNone) {
    const StrategyLimits found =
        limits_of(strategy("data", {"data"}), {.samples_per_device = 4, .machine = 24}, large_cluster(3));
    EXPECT_EQ(found.most, 24);
    EXPECT_EQ(set_by_text(found), "the machine has 24");
    EXPECT_EQ(looked_at(found), (std::vector<std::int64_t>{1, 2, 4, 8, 16, 24}));
    EXPECT_EQ(found.points.back().batch, 96) << "weak scaling";
}

TEST(Limits, SayWhereTheMachineHasMoreThanDivides) {
    const StrategyLimits found = limits_of(strategy("data", {"data"}), {.batch = 64, .machine = 24}, large_cluster(3));
    EXPECT_EQ(found.most, 16);
    EXPECT_EQ(set_by_text(found), "the machine has 24; more of it cannot be laid out");
}

TEST(Limits, OfAFixedBatchAreItsSamplesAndTheirDivisors) {
    const StrategyLimits found = limits_of(strategy("data", {"data"}), {.batch = 12, .machine = 64}, large_cluster(8));
    EXPECT_EQ(found.most, 12);
    EXPECT_EQ(set_by_text(found), "data <= 12: the batch has 12 samples");
    EXPECT_EQ(looked_at(found), (std::vector<std::int64_t>{1, 2, 4, 12})) << "8 does not divide 12";
}

TEST(Limits, RefuseANumberAndNameTheNearest) {
    Growth growth{.samples_per_device = 4, .machine = 64, .asked = 16};
    const StrategyLimits filter = limits_of(filters(), growth, large_cluster(8));
    ASSERT_TRUE(filter.verdict);
    EXPECT_FALSE(filter.verdict->fits);
    EXPECT_EQ(why_not_text(*filter.verdict), "filter <= 8: layer body[1]/conv (conv) cannot be split further");
    EXPECT_EQ(filter.verdict->below, 8);
    EXPECT_EQ(filter.verdict->above, std::nullopt);
    // 12 samples: 5 ranks do not divide them, 4 and 6 do.
    growth = {.batch = 12, .machine = 64, .asked = 5};
    const StrategyLimits data = limits_of(strategy("data", {"data"}), growth, large_cluster(8));
    EXPECT_EQ(why_not_text(*data.verdict), "the batch of 12 does not divide by 5 data ranks");
    EXPECT_EQ(data.verdict->below, 4);
    EXPECT_EQ(data.verdict->above, 6);
    // 7 = 1 x 7 stages: more than the four blocks that there are; or 7 ranks of 12 samples.
    growth.asked = 7;
    const StrategyLimits both = limits_of(pipelined(), growth, large_cluster(8));
    EXPECT_FALSE(both.verdict->fits);
    EXPECT_EQ(both.verdict->below, 6);
    EXPECT_EQ(both.verdict->above, 8);
}

TEST(Limits, TakeANumberThatFits) {
    const StrategyLimits found = limits_of(pipelined(), {.batch = 12, .machine = 64, .asked = 6}, large_cluster(8));
    ASSERT_TRUE(found.verdict);
    EXPECT_TRUE(found.verdict->fits);
    EXPECT_EQ(looked_at(found), (std::vector<std::int64_t>{1, 2, 4, 6}));
}

TEST(Limits, SayWhyMemoryRefuses) {
    cluster::Cluster cluster = large_cluster(8);
    cluster.device.memory = 1000_B;
    const StrategyLimits found =
        limits_of(strategy("data", {"data"}), {.samples_per_device = 64, .machine = 64, .asked = 4}, cluster);
    EXPECT_EQ(found.fits_from, std::nullopt);
    EXPECT_FALSE(found.verdict->fits);
    EXPECT_TRUE(why_not_text(*found.verdict).starts_with("out of memory: more than")) << why_not_text(*found.verdict);
    EXPECT_EQ(found.verdict->below, std::nullopt) << "the number is not at fault";
    // Of filters most meshes cannot be laid at all; one can, and lacks memory.
    plan::Strategy both = filters();
    both.axes = {"filter", "data"};
    both.everywhere = {{"batch", {"data"}, {}}};
    const StrategyLimits hybrid = limits_of(both, {.batch = 64, .machine = 64, .asked = 64}, cluster);
    EXPECT_TRUE(why_not_text(*hybrid.verdict).starts_with("out of memory: more than")) << why_not_text(*hybrid.verdict);
}

TEST(Limits, AreWhatTheSearchFindsOnEveryNumber) {
    const graph::Graph graph = small_network();
    const cluster::Cluster cluster = large_cluster(4);
    for (const plan::Strategy& strategy : {strategy("data", {"data"}), pipelined(), filters()}) {
        Growth growth{.batch = 24, .machine = 32};
        const StrategyLimits found = limits_of(strategy, growth, cluster);
        std::int64_t most = 0;
        for (std::int64_t devices = 1; devices <= 32; ++devices) {
            Space space = space_of({strategy});
            space.devices = devices;
            space.batch = 24;
            const bool runs = !search(graph, cluster, space).plans.empty();
            growth.asked = devices;
            EXPECT_EQ(limits_of(strategy, growth, cluster).verdict->fits, runs) << strategy.name << " " << devices;
            most = runs ? devices : most;
        }
        EXPECT_EQ(found.most, most) << strategy.name;
        EXPECT_EQ(found.fits_to, most) << strategy.name;
    }
}

TEST(Limits, TellWhereMoreDevicesStopPayingAndWhatGrows) {
    // A fixed batch over a slow network: what is left to compute shrinks, the reduction does not.
    cluster::Cluster cluster = large_cluster(64);
    cluster.levels.back().latency = Seconds::of_base(1e-2);
    const StrategyLimits found = limits_of(strategy("data", {"data"}), {.batch = 512, .machine = 512}, cluster);
    ASSERT_TRUE(found.diminishing_returns);
    EXPECT_EQ(found.diminishing_returns->part, step::TimePart::gradients);
    EXPECT_GT(found.diminishing_returns->growth, 0.5);
    EXPECT_EQ(found.diminishing_returns->beyond, 2 * found.diminishing_returns->devices);
    for (const ScalingPoint& point : found.points) {
        EXPECT_EQ(point.efficiency >= kWorthwhile, point.devices <= found.diminishing_returns->devices)
            << point.devices;
    }
    EXPECT_EQ(found.points.front().efficiency, 1.0);
    const auto fastest =
        std::max_element(found.points.begin(), found.points.end(), [](const ScalingPoint& a, const ScalingPoint& b) {
            return a.best->samples_per_second < b.best->samples_per_second;
        });
    EXPECT_EQ(found.fastest, fastest->devices);
}

}  // namespace limits_test
}  // namespace dodona::search
