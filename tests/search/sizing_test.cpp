// How many devices and how large a job, against every count and value asked one by one, on small worlds.
#include "search/sizing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "../graph/networks.hpp"
#include "../step/scenes.hpp"
#include "search/bound.hpp"
#include "search/space.hpp"

namespace dodona::search {
namespace sizing_test {

using step::test::pipelined;
using step::test::small_cluster;
using step::test::strategy;

/// Nodes of four in a machine of 32, with so much memory on each device.
cluster::Cluster machine(Bytes memory) {
    cluster::Cluster cluster = small_cluster();
    cluster.device.memory = memory;
    cluster.levels = {{.name = "node", .size = 4, .bandwidth = 25_GB_per_s, .latency = 10_us},
                      {.name = "system", .size = 8, .bandwidth = 5_GB_per_s, .latency = 20_us}};
    return cluster;
}

/// Eight blocks of a wide layer: 4 MiB of weights each, in fp32.
graph::Graph network(std::int64_t blocks = 8) {
    using graph::test::block;
    using graph::test::layer;
    return graph::build(graph::test::network(
        graph::test::tensor({{"feature", 1024}}),
        {block("body", blocks, {layer("linear", "linear", {{"out", std::int64_t{1024}}}), layer("relu", "relu")})}));
}

SizingQuestion question(const cluster::Cluster& cluster) {
    return {.space = {.precision = Precision::fp32,
                      .strategies = {strategy("data", {"data"}), pipelined()},
                      .optimizer = plan::OptimizerKind::adam},
            .counts = usual_counts(cluster),
            .batch = [](std::int64_t) { return 24; }};
}

/// Every count searched, nothing ruled out.
std::vector<Attempt> one_by_one(const graph::Graph& graph, const cluster::Cluster& cluster, const SizingQuestion& q) {
    std::vector<Attempt> all;
    for (const std::int64_t devices : q.counts) {
        Space space = q.space;
        space.devices = devices;
        space.batch = q.batch(devices);
        all.push_back(*attempt(graph, cluster, space, q.goals, {}));
    }
    return all;
}

double rate_of_device(const Attempt& attempt) {
    return attempt.plan->samples_per_second / static_cast<double>(attempt.devices);
}

/// `fewest`: rate of a device of the fewest that fit.
std::pair<bool, double> merit(const Attempt& attempt, Find find, double fewest) {
    switch (find) {
        case Find::fewest: return {true, -static_cast<double>(attempt.devices)};
        case Find::fastest: return {rate_of_device(attempt) >= 0.5 * fewest, attempt.plan->samples_per_second};
        case Find::cheapest: return {true, rate_of_device(attempt)};
    }
    return {};
}

/// The best of those that meet the goals; at equal merit the one with fewer devices.
const Attempt* best(const std::vector<Attempt>& attempts, Find find) {
    const Attempt* found = nullptr;
    const auto fits =
        std::find_if(attempts.begin(), attempts.end(), [](const Attempt& attempt) { return attempt.fits(); });
    const double fewest = fits == attempts.end() ? 0 : rate_of_device(*fits);
    for (const Attempt& attempt : attempts) {
        if (!attempt.missed && (found == nullptr || merit(attempt, find, fewest) > merit(*found, find, fewest))) {
            found = &attempt;
        }
    }
    return found;
}

// A device without fits whose products reach 1.4 times its data sheet, and nothing but products to wait for.
TEST(Bound, IsNoLongerThanProductsBeyondTheDataSheetTake) {
    cluster::Cluster boosted = machine(64_GiB);
    boosted.device.profile = {};
    boosted.device.tiles = {};
    boosted.device.launch = {};
    boosted.device.memory_bandwidth = 1'000'000_GB_per_s;
    const FlopPerSecond peak = boosted.device.peak(Precision::fp32);
    boosted.device.vector = 0.1 * peak;
    boosted.device.achieved = {{Precision::fp32, 1.4 * peak}};
    const graph::Graph graph = network();
    Space space = question(boosted).space;
    space.devices = 1;
    space.batch = 4096;
    space.strategies = {strategy("data", {"data"})};
    const auto fastest = attempt(graph, boosted, space, {}, {});
    ASSERT_TRUE(fastest && fastest->plan);
    const double sample = 1 / fastest->plan->samples_per_second;
    EXPECT_LE(bound(graph, boosted, space).least_sample.in(unit::second), sample);
    EXPECT_LT(sample, 2 * 8 * 3 * 1024.0 * 1024.0 / peak.in(unit::flop_per_second)) << "faster than its data sheet";
}

TEST(Counts, ArePartsOfANodeThenEveryNode) {
    EXPECT_EQ(usual_counts(machine(1_GiB)), (std::vector<std::int64_t>{1, 2, 4, 8, 12, 16, 20, 24, 28, 32}));
}

TEST(Counts, GrowBySixteenthsOfADoublingBeyond32Nodes) {
    cluster::Cluster cluster = machine(1_GiB);
    cluster.levels[1].size = 131;
    const std::vector<std::int64_t> counts = usual_counts(cluster);
    EXPECT_EQ(counts.back(), 524) << "the whole machine, whatever its size";
    for (std::size_t i = 1; i + 1 < counts.size(); ++i) {
        EXPECT_LT(counts[i - 1], counts[i]);
        EXPECT_EQ(counts[i] % 4, counts[i] >= 4 ? 0 : counts[i]);
        if (counts[i - 1] >= 128) {
            EXPECT_LE(static_cast<double>(counts[i]) / static_cast<double>(counts[i - 1]), 1 + 1.0 / 16);
        }
    }
    cluster.levels[1].size = 250'000;
    EXPECT_LT(usual_counts(cluster).size(), 300U) << "a machine of a million is asked about in hundreds of counts";
}

TEST(Counts, BetweenTwoAreAllMultiplesOfANodeAndTheTwo) {
    EXPECT_EQ(counts_between(machine(1_GiB), 2, 13), (std::vector<std::int64_t>{2, 4, 8, 12, 13}));
    EXPECT_EQ(counts_between(machine(1_GiB), 5, 5), (std::vector<std::int64_t>{5}));
}

TEST(Run, CountsTheLastStepInPartAndAllDevices) {
    step::Prediction prediction;
    prediction.plan.batch = 64;
    prediction.plan.mesh = {{"data", 8}};
    prediction.step = {2_s, 1_s, 4_s};
    const cluster::Price price{.device = 3 * unit::money / unit::hour, .currency = "USD", .source = {}};
    // 96 samples are one step and a half: 3 s on 8 devices, 24 s of a device, at 3 an hour.
    const auto run = run_of(prediction, 96, price);
    EXPECT_EQ(run.time.value, 3_s);
    EXPECT_EQ(run.time.hi, 6_s);
    EXPECT_EQ(run.device_time, 24_s);
    EXPECT_DOUBLE_EQ(run.money->in(unit::money), 0.02);
    EXPECT_FALSE(run_of(prediction, 96, std::nullopt).money);
}

TEST(Goals, AreMissedInTheOrderInWhichTheyAreExplained) {
    step::Prediction prediction;
    prediction.plan.batch = 10;
    prediction.step = Estimate::exactly(1_s);
    prediction.samples_per_second = 10;
    const cluster::Price price{.device = unit::money / unit::second, .currency = "USD", .source = {}};
    const Goals goals{.samples = 100, .deadline = 9_s, .samples_per_second = 11, .budget = 9 * unit::money};
    EXPECT_EQ(missed(goals, prediction, price), Goal::fits);
    prediction.fits = true;
    EXPECT_EQ(missed(goals, prediction, price), Goal::throughput);
    EXPECT_EQ(missed({.samples = 100, .deadline = 9_s}, prediction, price), Goal::deadline);
    EXPECT_EQ(missed({.samples = 100, .budget = 9 * unit::money}, prediction, price), Goal::budget);
    EXPECT_EQ(missed({.samples = 90, .deadline = 9_s, .budget = 9 * unit::money}, prediction, price), std::nullopt);
}

/// Goals from what none meets to what all meet, in small steps, and memories from one that is too small for any count.
TEST(Sizing, IsWhatAskingEveryCountGives) {
    const graph::Graph graph = network();
    const cluster::Price price{.device = unit::money / unit::hour, .currency = "USD", .source = {}};
    int answers = 0;
    int none = 0;
    int ruled_out = 0;
    for (const Bytes memory : {24_MiB, 48_MiB, 96_MiB, 160_MiB, 1024_MiB}) {
        cluster::Cluster cluster = machine(memory);
        cluster.price = price;
        SizingQuestion q = question(cluster);
        const std::vector<Attempt> without_goals = one_by_one(graph, cluster, q);
        const Attempt* fastest = best(without_goals, Find::fastest);
        const double rate = fastest != nullptr ? fastest->plan->samples_per_second : 1000;
        for (const double share : {0.1, 0.25, 0.4, 0.6, 0.8, 0.95, 1.1}) {
            const Seconds time = 1e6 / (share * rate) * unit::second;
            const Money budget = 8.0 / share * (1e6 / rate * unit::second) * price.device;
            for (const Goals& goals : {Goals{.samples_per_second = share * rate},
                                       Goals{.samples = 1e6, .deadline = time}, Goals{.samples = 1e6, .budget = budget},
                                       Goals{.samples = 1e6, .deadline = 4 * time, .budget = budget}}) {
                q.goals = goals;
                std::vector<Attempt> all = without_goals;
                for (Attempt& attempt : all) {
                    attempt.missed = attempt.fits() ? missed(goals, *attempt.plan, cluster.price) : attempt.missed;
                }
                for (const Find find : kFinds) {
                    q.find = find;
                    const Sizing sizing = size(graph, cluster, q);
                    const Attempt* expected = best(all, find);
                    ASSERT_EQ(sizing.answer() != nullptr, expected != nullptr) << name(find) << " " << share;
                    ASSERT_TRUE(sizing.complete);
                    ++(expected != nullptr ? answers : none);
                    for (const RuledOut& group : sizing.ruled_out) {
                        ruled_out += static_cast<int>(group.counts);
                    }
                    if (expected != nullptr) {
                        ASSERT_EQ(sizing.answer()->devices, expected->devices) << name(find) << " " << share;
                        EXPECT_EQ(sizing.answer()->plan->step.value, expected->plan->step.value);
                    }
                }
            }
        }
    }
    EXPECT_GT(answers, 100);
    EXPECT_GT(none, 20);
    EXPECT_GT(ruled_out, 100);
}

TEST(Sizing, ShowsHalfAndDoubleAndTheNextSmallerCount) {
    const cluster::Cluster cluster = machine(1_GiB);
    SizingQuestion q = question(cluster);
    q.counts = {12};
    const Sizing sizing = size(network(), cluster, q);
    ASSERT_NE(sizing.answer(), nullptr);
    EXPECT_EQ(sizing.answer()->devices, 12);
    ASSERT_NE(sizing.with(6), nullptr);
    EXPECT_FALSE(sizing.with(6)->asked);
    EXPECT_NE(sizing.with(24), nullptr);
    EXPECT_EQ(sizing.with(18), nullptr);
}

TEST(Sizing, TakesNoCountThatWasNotAskedAbout) {
    const cluster::Cluster cluster = machine(1_GiB);
    SizingQuestion q = question(cluster);
    q.counts = {16, 32};
    q.find = Find::cheapest;
    const Sizing sizing = size(network(), cluster, q);
    ASSERT_NE(sizing.with(8), nullptr) << "for comparison";
    EXPECT_EQ(sizing.answer()->devices, 16);
}

TEST(Sizing, StopsWithWhatItKnows) {
    const cluster::Cluster cluster = machine(1_GiB);
    SizingQuestion q = question(cluster);
    q.find = Find::cheapest;
    const Sizing sizing = size(network(), cluster, q, [](std::int64_t seen, std::int64_t) { return seen < 2; });
    EXPECT_FALSE(sizing.complete);
    EXPECT_EQ(sizing.attempts.size(), 2U);
    EXPECT_NE(sizing.answer(), nullptr) << "the best so far";
}

TEST(Sizing, StatesThatFitInPartsAloneAreFound) {
    // Weights, gradients and two moments in fp32 are 128 MiB, on four devices 32 MiB each.
    const cluster::Cluster cluster = machine(96_MiB);
    Space space = question(cluster).space;
    space.devices = 4;
    space.batch = 24;
    space.strategies = {strategy("data", {"data"})};
    const auto found = attempt(network(), cluster, space, {}, {});
    ASSERT_TRUE(found && found->plan);
    EXPECT_GT(found->plan->plan.shard, plan::ShardLevel::none);
}

TEST(Bound, OfMemoryIsWeightsAndStatesByHand) {
    const cluster::Cluster cluster = machine(48_MiB);
    const Bound found = bound(network(), cluster, question(cluster).space);
    // Eight times 1024 x 1024 weights and 1024 biases, fp32: 4 bytes and two moments of 4 each.
    EXPECT_DOUBLE_EQ(found.least_memory.in(unit::byte), 8 * (1024 * 1024 + 1024) * 12.0);
    EXPECT_FALSE(found.may_fit(2));
    EXPECT_TRUE(found.may_fit(3)) << "96 MiB and a little in 144 MiB";
}

TEST(Bound, OfMemoryLeavesOutWhatTheHostKeeps) {
    cluster::Cluster cluster = machine(48_MiB);
    Space space = question(cluster).space;
    space.offload = {.optimizer = true, .weights = true};
    EXPECT_EQ(bound(network(), cluster, space).least_memory, Bytes{});
}

TEST(Bound, OfTimeIsArithmeticAndPassesAtFullSpeedByHand) {
    const cluster::Cluster cluster = machine(1_GiB);
    const Bound found = bound(network(), cluster, question(cluster).space);
    // Three products of 2 x 1024 x 1024 in each of eight layers, but that the first needs no dX; a relu reads and
    // writes 1024 numbers of 4 bytes forward, and reads two and writes one of them backward.
    const double products = (3 * 8 - 1) * 2.0 * 1024 * 1024 / 15e12;
    const double passes = 8 * (2 + 3) * 1024 * 4.0 / 900e9;
    EXPECT_NEAR(found.least_sample.in(unit::second), products + passes, 1e-12);
    EXPECT_NEAR(found.most_samples_per_second(4) * found.least_sample.in(unit::second), 4, 1e-6);
}

TEST(Bound, OfTimeKnowsFitsAndTheFramework) {
    cluster::Cluster cluster = machine(1_GiB);
    cluster.device.vector = 1_TFLOP_per_s;
    Space space = question(cluster).space;
    const Seconds plain = bound(network(), cluster, space).least_sample;
    cluster.device.profile.fits = {{.kind = graph::KernelKind::matmul, .precision = Precision::fp32, .compute = 0.5},
                                   {.kind = graph::KernelKind::stream, .memory = 0.5}};
    EXPECT_NEAR(bound(network(), cluster, space).least_sample / plain, 2, 1e-9);
    for (const auto parameter : {plan::FrameworkParameter::matmul, plan::FrameworkParameter::stream}) {
        space.software.front().framework.number(parameter).value = 1.5;
    }
    EXPECT_NEAR(bound(network(), cluster, space).least_sample / plain, 3, 1e-9);
}

TEST(Bound, ClaimsNoSpeedWhereTimesWereMeasured) {
    cluster::Cluster cluster = machine(1_GiB);
    const graph::Graph graph = network();
    cluster.measured_samples = {{.model = graph.name, .forward_backward = 1_us, .update = {}, .source = "a test"}};
    EXPECT_TRUE(std::isinf(bound(graph, cluster, question(cluster).space).most_samples_per_second(1)));
    cluster.measured_samples[0].model = "another";
    EXPECT_FALSE(std::isinf(bound(graph, cluster, question(cluster).space).most_samples_per_second(1)));
}

}  // namespace sizing_test
}  // namespace dodona::search
