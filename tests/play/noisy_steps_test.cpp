// Steps with noise: against sums by hand, expected maxima, and FFN's efficiency on Theta.
#include "play/noisy_steps.hpp"

#include <array>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "../largest_normal.hpp"
#include "../step/scenes.hpp"
#include "play/noise_study.hpp"
#include "step/predict.hpp"

namespace dodona::play {
namespace noisy_steps_test {

using graph::test::block;
using graph::test::layer;
using graph::test::network;
using graph::test::tensor;
using simulate::NoiseBy;
using simulate::NoiseEvery;
using simulate::NoiseOn;
using simulate::NoiseShape;
using simulate::NoiseSource;

graph::Graph chain(std::int64_t blocks) {
    return graph::build(network(tensor({{"feature", 256}}),
                                {block("body", blocks, {layer("fc", "linear", {{"out", std::int64_t{256}}})})}));
}

cluster::Cluster nodes_of(std::int64_t devices, std::int64_t nodes) {
    cluster::Cluster cluster = step::test::small_cluster();
    cluster.levels.front().size = devices;
    cluster.levels.push_back({.name = "system", .size = nodes, .bandwidth = 12_GB_per_s, .latency = 20_us});
    return cluster;
}

plan::Plan data_parallel(std::int64_t replicas) {
    plan::Plan plan = step::test::pipeline_of(1);
    plan.mesh = {{"pipeline", 1}, {"data", replicas}};
    plan.batch = replicas * 4096;
    return plan;
}

/// Pipelines of two stages, one data rank a node.
plan::Plan pipelines(std::int64_t replicas) {
    plan::Plan plan = step::test::pipeline_of(2);
    plan.mesh = {{"pipeline", 2}, {"data", replicas}};
    plan.batch = replicas * 4096 * 8;
    return plan;
}

struct Scene {
    cluster::Cluster cluster;
    SimulatedStep step;
    [[nodiscard]] NoisySteps with(std::vector<NoiseSource> sources, std::int64_t steps = 50,
                                  std::uint64_t seed = 1) const {
        return noisy_steps(step, cluster, {.sources = std::move(sources), .steps = steps, .seed = seed});
    }
};

Scene scene(const cluster::Cluster& cluster, const plan::Plan& plan) {
    return {cluster, simulate_step(chain(8), cluster, plan)};
}

double mean(const NoisySteps& noisy) { return noisy.all().mean.in(unit::second); }
double without(const NoisySteps& noisy) { return noisy.without.in(unit::second); }

TEST(NoisySteps, WithoutNoiseAStepIsTheOneThatWasPlayed) {
    for (const plan::Plan& plan : {data_parallel(4), pipelines(4), pipelines(1)}) {
        const Scene of = scene(nodes_of(2, 8), plan);
        const NoisySteps none = of.with({}, 3);
        EXPECT_NEAR(without(none) / of.step.time().in(unit::second), 1, 1e-9);
        EXPECT_NEAR(mean(none) / without(none), 1, 1e-12);
        EXPECT_EQ(none.played, 1) << "nothing parts the replicas";
        EXPECT_NEAR(none.all().deviation / none.without, 0, 1e-12);
    }
}

TEST(NoisySteps, ACertainShareOfComputeLengthensComputeByIt) {
    const Scene of = scene(nodes_of(2, 8), data_parallel(4));
    const step::StageTail& tail = of.step.costs.tails.front();
    const double links = (tail.gradients + tail.parameters).in(unit::second);
    ASSERT_GT(links, 0);
    const NoisySteps half = of.with({{.on = NoiseOn::compute, .mean = 0.5}}, 2);
    EXPECT_NEAR(mean(half), 1.5 * (without(half) - links) + links, 1e-9 * mean(half));
    const NoisySteps slow_links = of.with({{.on = NoiseOn::links, .mean = 0.5}}, 2);
    EXPECT_NEAR(mean(slow_links), without(slow_links) + 0.5 * links, 1e-9 * mean(slow_links));
}

TEST(NoisySteps, NetworkIsWhatLeavesANode) {
    const Scene inside = scene(nodes_of(8, 1), data_parallel(4));
    const Scene across = scene(nodes_of(1, 8), data_parallel(4));
    const std::vector<NoiseSource> noise{{.on = NoiseOn::network, .mean = 1}};
    EXPECT_NEAR(mean(inside.with(noise, 2)) / without(inside.with(noise, 2)), 1, 1e-12);
    EXPECT_GT(mean(across.with(noise, 2)) / without(across.with(noise, 2)), 1.001);
}

/// All replicas wait for the slowest: mu + sigma E_n, of compute.
TEST(NoisySteps, NormalTimesOfNodesTakeTheirExpectedMaximum) {
    const Scene of = scene(nodes_of(1, 64), data_parallel(64));
    const NoisySteps noisy = of.with({{.on = NoiseOn::compute, .deviation = 0.1}}, 2000);
    const step::StageTail& tail = of.step.costs.tails.front();
    const double compute = without(noisy) - (tail.gradients + tail.parameters).in(unit::second);
    EXPECT_EQ(noisy.played, 64);
    ASSERT_EQ(noisy.scales.size(), 7U);
    for (const NoisyScale& scale : noisy.scales) {
        const auto n = static_cast<double>(scale.replicas);
        const double expected = without(noisy) + 0.1 * compute * expected_largest_normal(n);
        const double error = 4 * (scale.steps.high - scale.steps.mean).in(unit::second) / 1.96;
        EXPECT_NEAR(scale.steps.mean.in(unit::second), expected, error) << n;
        EXPECT_EQ(scale.ranks, scale.replicas);
    }
}

TEST(NoisySteps, RanksOfANodeShareDrawsAndTheJobSharesOne) {
    // 16 ranks: on 16 nodes of one, two nodes of eight, and all with one draw.
    const auto lost = [](const cluster::Cluster& cluster, NoiseBy by) {
        const NoisySteps noisy =
            scene(cluster, data_parallel(16)).with({{.on = NoiseOn::compute, .by = by, .deviation = 0.1}}, 400);
        return mean(noisy) / without(noisy) - 1;
    };
    const double ranks = lost(nodes_of(8, 2), NoiseBy::rank);
    EXPECT_NEAR(lost(nodes_of(1, 16), NoiseBy::node) / ranks, 1, 0.1);
    EXPECT_NEAR(lost(nodes_of(8, 2), NoiseBy::node) / ranks, expected_largest_normal(2) / expected_largest_normal(16),
                0.1);
    EXPECT_NEAR(lost(nodes_of(8, 2), NoiseBy::job) / ranks, 0, 0.1);
    const NoisySteps job = scene(nodes_of(8, 2), data_parallel(16))
                               .with({{.on = NoiseOn::compute, .by = NoiseBy::job, .deviation = 0.1}}, 5);
    EXPECT_EQ(job.played, 1);
}

TEST(NoisySteps, DrawsOfTasksAverageOutAndThoseOfTheRunStay) {
    const Scene of = scene(nodes_of(2, 8), pipelines(1));
    const auto deviation = [&](NoiseEvery every) {
        return of.with({{.on = NoiseOn::compute, .every = every, .deviation = 0.1}}, 200).all().deviation;
    };
    EXPECT_LT(deviation(NoiseEvery::task), 0.5 * deviation(NoiseEvery::step));
    EXPECT_LT(deviation(NoiseEvery::run), 1e-9 * deviation(NoiseEvery::step));
    const NoisySteps slow = of.with({{.on = NoiseOn::compute, .every = NoiseEvery::run, .deviation = 0.1}}, 2);
    EXPECT_NE(mean(slow), without(slow));
}

TEST(NoisySteps, FollowTheSeedAndNotTheNumberOfWorkers) {
    const Scene of = scene(nodes_of(2, 8), pipelines(4));
    const std::vector<NoiseSource> noise{{.on = NoiseOn::compute, .every = NoiseEvery::task, .deviation = 0.1},
                                         {.on = NoiseOn::links, .distribution = NoiseShape::exponential, .mean = 0.2}};
    const NoisySteps once = of.with(noise, 10);
    EXPECT_EQ(once.steps, of.with(noise, 10).steps);
    EXPECT_NE(once.steps, of.with(noise, 10, 2).steps);
    EXPECT_EQ(once.steps, noisy_steps(of.step, of.cluster, {.sources = noise, .steps = 10, .workers = 3}).steps);
    EXPECT_EQ(std::set<Seconds>(once.steps.begin(), once.steps.end()).size(), 10U);
    ASSERT_EQ(once.alone.size(), 2U);
    EXPECT_EQ(once.alone.front().on, NoiseOn::compute);
    EXPECT_GT(once.all().mean, once.alone.back().steps.mean);
}

TEST(NoisySteps, WhatComesLateDelaysTheStep) {
    const Scene of = scene(nodes_of(2, 8), pipelines(2));
    const NoisySteps late = of.with({{.on = NoiseOn::start, .mean = 1, .late = 0.25_s}}, 2);
    EXPECT_NEAR(mean(late), without(late) + 0.25, 1e-9);
}

TEST(NoisySteps, StoppedTheyKeepWhatIsFinished) {
    const Scene of = scene(nodes_of(2, 8), data_parallel(2));
    int left = 3;
    const NoisySteps stopped = noisy_steps(
        of.step, of.cluster,
        {.sources = {{.on = NoiseOn::compute, .deviation = 0.1}}, .steps = 10, .go_on = [&] { return left-- > 0; }});
    EXPECT_EQ(stopped.steps.size(), 3U);
    EXPECT_FALSE(stopped.complete());
    const std::vector<Seconds> all = of.with({{.on = NoiseOn::compute, .deviation = 0.1}}, 10).steps;
    EXPECT_TRUE(std::equal(stopped.steps.begin(), stopped.steps.end(), all.begin()));
}

// Half of the time compute goes at half its speed: 3/4 of the speed on average, 4/3 of the time.
TEST(NoisySteps, BurstsSlowTheWorkThatTheyMeet) {
    const Scene of = scene(nodes_of(1, 8), data_parallel(1));
    const Seconds step = of.step.time();
    const NoisySteps noisy =
        of.with({{.on = NoiseOn::compute, .mean = 1, .burst = 0.7 * step, .silence = 0.7 * step}}, 2000);
    EXPECT_NEAR(mean(noisy) / without(noisy), 4.0 / 3, 0.01);
}

// M2S2 on 8 nodes that are not in phase: at least one is in a burst with 1 - 0.5^8 = 0.99609, of steps that are short
// against the bursts.
TEST(NoisySteps, OfEightNodesOneIsNearlyAlwaysInABurst) {
    const Scene of = scene(nodes_of(1, 8), data_parallel(8));
    const Seconds step = of.step.time();
    int touched = 0;
    constexpr int kRuns = 2000;
    for (int run = 0; run < kRuns; ++run) {
        const NoisySteps noisy =
            of.with({{.on = NoiseOn::compute, .mean = 1, .burst = 1e6 * step, .silence = 1e6 * step}}, 1,
                    static_cast<std::uint64_t>(run));
        touched += noisy.steps.front() > 1.01 * noisy.without ? 1 : 0;
    }
    // 2,000 runs: a standard error of 0.0014.
    EXPECT_NEAR(touched / static_cast<double>(kRuns), 0.99609, 0.0045);
}

// Reading takes half of a step. With a slow read now and then, twice the step, the queue of two batches hides it; without
// reading ahead every read is exposed.
TEST(NoisySteps, ReadingAheadHidesSlowReads) {
    graph::Graph graph = chain(8);
    graph.dataset.sample_bytes = Bytes::of_base(1e5);
    cluster::Cluster cluster = nodes_of(1, 8);
    const plan::Plan plan = data_parallel(4);
    const double step = simulate_step(graph, cluster, plan).time().in(unit::second);
    // Every node reads 4,096 samples of 100 kB.
    cluster.storage =
        cluster::Storage{.bandwidth = BytesPerSecond::of_base(2 * 4096 * 1e5 / step), .source = "made up"};
    const std::vector<NoiseSource> rare{{.on = NoiseOn::storage, .by = NoiseBy::job, .mean = 3, .probability = 0.05}};
    const auto slower = [&](bool prefetch) {
        cluster.storage->prefetch = prefetch;
        const Scene of{cluster, simulate_step(graph, cluster, plan)};
        const NoisySteps noisy = of.with(rare, 400);
        EXPECT_NEAR(without(noisy), prefetch ? step : 1.5 * step, 1e-6 * step);
        return mean(noisy) - without(noisy);
    };
    // On average 0.05 x 3 x half a step.
    EXPECT_NEAR(slower(false) / step, 0.075, 0.03);
    EXPECT_LT(slower(true) / step, 0.01);
    // Reading that is always slower than the step is what the step takes: 0.5 x (1 + 1.5) of it.
    const Scene of{cluster, simulate_step(graph, cluster, plan)};
    const NoisySteps bound = of.with({{.on = NoiseOn::storage, .mean = 1.5}}, 50);
    EXPECT_NEAR(mean(bound) / step, 1.25, 1e-6);
}

// 4,096 samples of 256 numbers on each node, written and read in its memory: of two that share a memory neither is slowed
// down while it needs half of the bandwidth, and one that needs 3/4 takes 3/2 as long.
TEST(NoisySteps, OnTheMemoryOfHostsCountWhatTheJobLacks) {
    cluster::Cluster cluster = nodes_of(1, 8);
    plan::Plan plan = data_parallel(8);
    plan.framework.number(plan::FrameworkParameter::collate).value = 1e-6;
    const SimulatedStep step = simulate_step(chain(8), cluster, plan);
    const auto with = [&](double use, const NoiseSource& source) {
        cluster.host = cluster::Host{.memory = 1_GiB, .bandwidth = 1_GB_per_s, .source = "a test"};
        cluster.host->memory_bandwidth = 4096 * 2.0 * 256 * 4_B / step.time() / use;
        EXPECT_NEAR(host_memory_use(step, cluster), use, 1e-12);
        return mean(Scene{cluster, step}.with({source}, 5));
    };
    const double alone = step.time().in(unit::second);
    EXPECT_NEAR(with(0.5, {.on = NoiseOn::memory, .mean = 1}), alone, 1e-9 * alone);
    const double lacking = with(0.75, {.on = NoiseOn::memory, .mean = 1});
    EXPECT_NEAR(lacking, with(0.75, {.on = NoiseOn::host, .mean = 0.5}), 1e-9 * alone);
    EXPECT_NEAR(lacking - alone, 0.5 * 4096 * 1e-6, 1e-9) << "half as long again of what feeds the devices";
}

TEST(NoiseStudy, LoadsHurtWhereTheJobWorks) {
    const Scene of = scene(nodes_of(1, 8), data_parallel(8));
    const NoiseStudy study = noise_study(of.step, of.cluster, {.seed = 3}, {});
    ASSERT_EQ(study.loads.size(), 5U);
    EXPECT_FALSE(study.lent);
    for (const LoadEffect& load : study.loads) {
        const double longer = load.steps.mean / study.without - 1;
        if (load.on != NoiseOn::compute && load.on != NoiseOn::network) {
            EXPECT_NEAR(longer, 0, 1e-9) << "nothing is read and decoded";
            EXPECT_EQ(load.touched, 0);
        } else {
            EXPECT_GT(load.touched, 0.5);
        }
    }
    EXPECT_EQ(study.loads.front().on, NoiseOn::compute);
    EXPECT_EQ(study.loads[1].on, NoiseOn::network);
}

TEST(NoiseStudy, CoresAreLentUpToOnePerCentOfTheStep) {
    plan::Plan plan = data_parallel(8);
    const auto lent = [&](double decoding_over_step, bool images = false) {
        const cluster::Cluster cluster = nodes_of(4, 2);
        plan.framework.number(plan::FrameworkParameter::input).value = 0;
        const double step = simulate_step(chain(8), cluster, plan).time().in(unit::second);
        plan.framework.number(plan::FrameworkParameter::input).value = decoding_over_step * step / 4096;
        return noise_study(simulate_step(chain(8), cluster, plan), cluster, {.go_on = [] { return false; }},
                           {.cores = 64, .images = images})
            .lent.value();
    };
    // The time to decode images is not known: as many cores as a fast loader needs.
    const LentCores assumed = lent(0, true);
    EXPECT_TRUE(assumed.assumed);
    const double images = simulate_step(chain(8), nodes_of(4, 2), plan).prediction.samples_per_second / 2;
    EXPECT_NEAR(assumed.decoding, images / (31'278.0 / 48), 1e-9 * assumed.decoding);
    EXPECT_FALSE(lent(0.5, true).assumed) << "it is known";
    // Nothing is decoded: all but two for each of four ranks.
    EXPECT_EQ(lent(0).lendable, 56);
    EXPECT_EQ(lent(0).ranks, 4);
    // Decoding takes x of the step with 64 cores; exposed is (1 + (x / f)^4)^(1/4) - 1 = 0.01 + little for x = 0.1:
    // (x / f)^4 = 1.01^4 (1 + x^4) - 1 = 0.0407, f = 0.1 / 0.449 = 0.2226, 14.2 cores: 15 and 8 of 64 are not lent.
    EXPECT_NEAR(lent(0.1).decoding, 14.2, 0.1);
    EXPECT_EQ(lent(0.1).lendable, 41);
    EXPECT_EQ(lent(3).lendable, 0);
}

TEST(NoisySteps, StatisticsAndPercentiles) {
    const std::vector<Seconds> steps{4_s, 1_s, 2_s, 3_s};
    const StepStatistics found = statistics(steps);
    EXPECT_EQ(found.mean, 2.5_s);
    EXPECT_NEAR(found.deviation.in(unit::second), std::sqrt(5.0 / 3), 1e-12);
    EXPECT_NEAR((found.high - found.low).in(unit::second), 2 * 1.96 * std::sqrt(5.0 / 3) / 2, 1e-12);
    EXPECT_EQ(percentile(steps, 0.5), 2_s);
    EXPECT_EQ(percentile(steps, 0.51), 3_s);
    EXPECT_EQ(percentile(steps, 1), 4_s);
    EXPECT_EQ(percentile(steps, 0), 1_s);
    EXPECT_EQ(statistics({2_s}).low, 2_s);
    EXPECT_EQ(statistics({}).mean, 0_s);
}

}  // namespace noisy_steps_test
}  // namespace dodona::play
