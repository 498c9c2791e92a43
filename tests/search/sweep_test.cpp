// Sweeps: the points of searches, the same with any number of workers, and what is left of a sweep that is stopped.
#include "search/sweep.hpp"

#include <algorithm>
#include <atomic>

#include <gtest/gtest.h>

#include "../step/scenes.hpp"

namespace dodona::search {
namespace sweep_test {

using step::test::small_cluster;
using step::test::small_network;

struct Scene {
    graph::Graph graph = small_network();
    cluster::Cluster cluster = small_cluster();
    SweepQuestion question;
};

Scene scene(int workers) {
    Scene scene;
    scene.question.space.strategies = {step::test::strategy("data", {"data"}), step::test::pipelined()};
    scene.question.space.precision = Precision::fp32;
    scene.question.space.optimizer = plan::OptimizerKind::momentum;
    scene.question.space.workers = workers;
    scene.question.growths = {{.batch = 4}, {.batch = {}, .samples_per_device = 32}};
    scene.question.counts = {1, 2, 4, 8};
    return scene;
}

std::vector<Seconds> steps(const Sweep& sweep) {
    std::vector<Seconds> all;
    for (const SweepPoint& point : sweep.points) {
        all.push_back(point.point.best ? point.point.best->step.value : Seconds{});
    }
    return all;
}

TEST(Sweep, HasThePointsOfSearchesWhateverTheWorkers) {
    const Scene one = scene(1);
    const Sweep alone = sweep(one.graph, one.cluster, one.question, keys(one.question));
    const Scene four = scene(4);
    const Sweep together = sweep(four.graph, four.cluster, four.question, keys(four.question));
    ASSERT_EQ(alone.points.size(), 24U);
    EXPECT_TRUE(alone.complete);
    EXPECT_EQ(steps(alone), steps(together));
    Space space = one.question.space;
    space.devices = 4;
    space.batch = 128;
    const Answer of_all = search(one.graph, one.cluster, space);
    space.strategies = {space.strategies[0]};
    const Answer answer = search(one.graph, one.cluster, space);
    const SweepPoint& same = alone.points[14];
    EXPECT_EQ(same.key, (SweepKey{.growth = 1, .strategy = 0, .devices = 4}));
    ASSERT_TRUE(same.point.best);
    EXPECT_EQ(same.point.best->step.value, answer.plans.front().step.value);
    const SweepPoint& together_there = alone.points[22];
    EXPECT_EQ(together_there.key, (SweepKey{.growth = 1, .strategy = 2, .devices = 4}));
    EXPECT_EQ(mesh_text(together_there.point.best->plan), mesh_text(of_all.plans.front().plan));
    EXPECT_EQ(together_there.point.best->step.value, of_all.plans.front().step.value);
    const SweepPoint& too_many = alone.points[3];  // 8 devices, 4 samples
    EXPECT_FALSE(too_many.point.best);
    EXPECT_TRUE(too_many.point.why_not);
}

TEST(Sweep, ASingleStrategyIsNotSearchedAgainAsAllOfThem) {
    SweepQuestion question = scene(1).question;
    const std::vector<SweepKey> two = keys(question);
    EXPECT_TRUE(std::is_sorted(two.begin(), two.end()));
    EXPECT_EQ(two.size(), 2U * 3 * 4)
        << "both growths of each strategy and of both together, on four numbers of devices";
    question.space.strategies.resize(1);
    EXPECT_EQ(keys(question).size(), 2U * 4);
}

TEST(Sweep, KeepsWhatIsFinishedWhenItIsStopped) {
    const Scene one = scene(1);
    std::atomic<std::int64_t> seen = 0;
    const Sweep stopped =
        sweep(one.graph, one.cluster, one.question, keys(one.question), [&](std::int64_t done, std::int64_t) {
            seen = done;
            return done < 5;
        });
    EXPECT_FALSE(stopped.complete);
    EXPECT_EQ(stopped.points.size(), 5U);
    EXPECT_EQ(seen, 5);
    // The largest numbers come first, all of 8 devices before any of 4.
    EXPECT_EQ(std::count_if(stopped.points.begin(), stopped.points.end(),
                            [](const SweepPoint& point) { return point.key.devices == 8; }),
              5);
}

TEST(Doublings, AreWholeNodesAboveANode) {
    cluster::Cluster cluster = small_cluster();
    cluster.levels.push_back({.name = "system", .size = 16, .bandwidth = 1_GB_per_s, .latency = 100_us});
    EXPECT_EQ(doublings(cluster, 1, 64), (std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64}));
    EXPECT_EQ(doublings(cluster, 3, 100), (std::vector<std::int64_t>{3, 4, 8, 16, 32, 64, 100}));
    cluster.levels[0].size = 6;
    EXPECT_EQ(doublings(cluster, 1, 30), (std::vector<std::int64_t>{1, 2, 4, 6, 12, 24, 30}));
}

}  // namespace sweep_test
}  // namespace dodona::search
