// The largest value that fits, against every value asked one by one.
#include "search/largest.hpp"

#include <set>

#include <gtest/gtest.h>

#include "../graph/networks.hpp"
#include "../step/scenes.hpp"

namespace dodona::search {
namespace largest_test {

using step::test::pipelined;
using step::test::small_cluster;
using step::test::strategy;

Space space(std::int64_t batch) {
    return {.devices = 4,
            .batch = batch,
            .precision = Precision::fp32,
            .strategies = {strategy("data", {"data"}), pipelined()},
            .optimizer = plan::OptimizerKind::adam};
}

cluster::Cluster machine(Bytes memory) {
    cluster::Cluster cluster = small_cluster();
    cluster.device.memory = memory;
    return cluster;
}

graph::Graph network(std::int64_t blocks) {
    using graph::test::block;
    using graph::test::layer;
    return graph::build(graph::test::network(
        graph::test::tensor({{"feature", 512}}),
        {block("body", blocks, {layer("linear", "linear", {{"out", std::int64_t{512}}}), layer("relu", "relu")})}));
}

/// Blocks of one megabyte of weights.
MakeJob by_blocks() {
    return [](std::int64_t value) { return JobAtValue{network(value), space(16), {}}; };
}

bool fits(const MakeJob& job, const cluster::Cluster& cluster, std::int64_t value) {
    const auto made = job(value);
    const auto* sized = std::get_if<JobAtValue>(&made);
    return sized != nullptr && !attempt(sized->graph, cluster, sized->space, sized->goals, {})->missed;
}

std::int64_t one_by_one(const MakeJob& job, const cluster::Cluster& cluster, std::int64_t most) {
    std::int64_t found = 0;
    for (std::int64_t value = 1; value <= most; ++value) {
        found = fits(job, cluster, value) ? value : found;
    }
    return found;
}

TEST(Largest, NetworkIsTheOneThatAskingEveryDepthGives) {
    for (const Bytes memory : {16_MiB, 24_MiB, 32_MiB, 48_MiB}) {
        const cluster::Cluster cluster = machine(memory);
        const std::int64_t expected = one_by_one(by_blocks(), cluster, 64);
        ASSERT_GT(expected, 1);
        ASSERT_LT(expected, 64);
        for (const std::int64_t start : {1, 2, 7, 48}) {
            const Largest found = largest(cluster, {.job = by_blocks(), .start = start, .step = 1, .most = 64});
            ASSERT_NE(found.answer(), nullptr);
            EXPECT_EQ(found.answer()->value, expected) << "from " << start;
            EXPECT_EQ(found.parameters, static_cast<double>(expected) * (512 * 512 + 512));
            ASSERT_NE(found.beyond(), nullptr);
            EXPECT_EQ(found.beyond()->value, expected + 1);
            EXPECT_EQ(found.beyond()->missed, Goal::fits);
            EXPECT_NE(why_not_text(*found.beyond()), "");
        }
    }
}

TEST(Largest, ValuesAreMultiplesOfTheStep) {
    const cluster::Cluster cluster = machine(40_MiB);
    const std::int64_t expected = one_by_one(by_blocks(), cluster, 64);
    const Largest found = largest(cluster, {.job = by_blocks(), .start = 4, .step = 4, .most = 64});
    EXPECT_EQ(found.answer()->value, expected / 4 * 4);
    for (const Attempt& attempt : found.attempts) {
        EXPECT_EQ(attempt.value % 4, 0);
    }
}

// Between two powers of two no value makes a network: the gap never narrows.
TEST(Largest, ValuesThatMakeNoNetworkEndTheSearch) {
    const MakeJob powers = [](std::int64_t value) -> std::variant<JobAtValue, std::string> {
        if ((value & (value - 1)) != 0) {
            return "no power of two";
        }
        return JobAtValue{network(value), space(16), {}};
    };
    const cluster::Cluster cluster = machine(24_MiB);
    const std::int64_t expected = one_by_one(powers, cluster, 1024);
    ASSERT_GT(expected, 1);
    for (const std::int64_t most : {std::int64_t{1000}, std::int64_t{1024}, expected + 300}) {
        const Largest found = largest(cluster, {.job = powers, .start = 1, .step = 1, .most = most});
        ASSERT_NE(found.answer(), nullptr);
        EXPECT_EQ(found.answer()->value, expected) << "up to " << most;
        EXPECT_FALSE(found.none.empty());
    }
    const Largest stopped = largest(cluster, {.job = powers, .start = 1, .step = 1, .most = 1000},
                                    [](std::int64_t done, std::int64_t) { return done < 20; });
    EXPECT_FALSE(stopped.complete);
    EXPECT_LE(stopped.attempts.size() + stopped.none.size(), 21U);
}

TEST(Largest, BatchWithoutAccumulationIsTheOneThatAskingEveryBatchGives) {
    const cluster::Cluster cluster = machine(24_MiB);
    const MakeJob job = [](std::int64_t value) {
        JobAtValue sized{network(4), space(value), {}};
        sized.space.accumulate = false;
        return sized;
    };
    std::int64_t expected = 0;
    for (std::int64_t value = 4; value <= 8192; value += 4) {
        expected = fits(job, cluster, value) ? value : expected;
    }
    ASSERT_GT(expected, 4);
    ASSERT_LT(expected, 8192);
    const Largest found = largest(cluster, {.job = job, .start = 64, .step = 4, .most = 8192});
    EXPECT_EQ(found.answer()->value, expected);
    EXPECT_EQ(found.answer()->plan->microbatches, 1);
}

TEST(Largest, ValuesThatMakeNoNetworkAreNamed) {
    const MakeJob job = [](std::int64_t value) -> std::variant<JobAtValue, std::string> {
        if (value % 3 == 0) {
            return "threes do not work";
        }
        return JobAtValue{network(value), space(16), {}};
    };
    const cluster::Cluster cluster = machine(40_MiB);
    const Largest found = largest(cluster, {.job = job, .start = 3, .step = 1, .most = 64});
    ASSERT_NE(found.answer(), nullptr);
    EXPECT_EQ(found.answer()->value, one_by_one(job, cluster, 64));
    ASSERT_FALSE(found.none.empty());
    EXPECT_EQ(found.none.front().value, 3);
    EXPECT_EQ(found.none.front().why_not, "threes do not work");
}

TEST(Largest, MeetsTheGoalsToo) {
    const cluster::Cluster cluster = machine(1_GiB);
    const auto with_goal = [](double rate) {
        return MakeJob{[rate](std::int64_t value) {
            return JobAtValue{network(value), space(16), {.samples_per_second = rate}};
        }};
    };
    const auto plain = attempt(network(8), cluster, space(16), {}, {});
    const MakeJob job = with_goal(plain->plan->samples_per_second);
    const Largest found = largest(cluster, {.job = job, .start = 1, .step = 1, .most = 64});
    EXPECT_EQ(found.answer()->value, one_by_one(job, cluster, 64));
    EXPECT_EQ(found.beyond()->missed, Goal::throughput);
}

TEST(Largest, NothingFitsOrAllDoes) {
    EXPECT_EQ(largest(machine(1_MiB), {.job = by_blocks(), .start = 8, .step = 1, .most = 64}).answer(), nullptr);
    const Largest all = largest(machine(1_GiB), {.job = by_blocks(), .start = 8, .step = 1, .most = 20});
    EXPECT_EQ(all.answer()->value, 20);
    EXPECT_EQ(all.beyond(), nullptr);
}

TEST(Largest, StopsWithWhatItKnows) {
    const Largest found = largest(machine(40_MiB), {.job = by_blocks(), .start = 1, .step = 1, .most = 64},
                                  [](std::int64_t seen, std::int64_t) { return seen < 3; });
    EXPECT_FALSE(found.complete);
    ASSERT_NE(found.answer(), nullptr);
    EXPECT_EQ(found.answer()->value, 4) << "after 1 and 2";
}

}  // namespace largest_test
}  // namespace dodona::search
