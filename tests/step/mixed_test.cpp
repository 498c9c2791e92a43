// Jobs on two kinds of devices: layers and micro-batches follow speed, memory follows each device.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "../seeds.hpp"
#include "scenes.hpp"
#include "step/evaluate.hpp"
#include "step/predict.hpp"

namespace dodona::step {
namespace mixed_test {

using test::block;
using test::layer;
using test::network;
using test::pipelined;
using test::small_cluster;
using test::strategy;
using test::tensor;

constexpr std::int64_t kBlocks = 6;

/// All blocks alike but the first, which has no gradient of its input to compute.
graph::Graph six_blocks() {
    return graph::build(
        network(tensor({{"channel", 64}, {"height", 32}, {"width", 32}}),
                {block("body", kBlocks,
                       {layer("conv", "conv",
                              {{"filters", std::int64_t{64}}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}}),
                        layer("relu", "relu")})}));
}

/// A device on which every kernel takes `times` as long.
cluster::Device slower(cluster::Device device, double times) {
    device.name = "slow";
    device.memory_bandwidth = device.memory_bandwidth / times;
    device.matrix[Precision::fp32] = device.matrix[Precision::fp32] / times;
    device.vector = device.vector / times;
    device.launch = times * device.launch;
    return device;
}

/// The small cluster with links that cost nothing, all devices alike.
cluster::Cluster even_world() {
    cluster::Cluster world = small_cluster();
    world.levels[0].bandwidth = 1e12_GB_per_s;
    world.levels[0].latency = Seconds{};
    world.device.name = "fast";
    return world;
}

/// The last `slow` of the first `ranks` ranks take `times` as long.
cluster::Cluster world(std::int64_t ranks, std::int64_t slow, double times = 2) {
    cluster::Cluster world = even_world();
    world.mixed = {{.first = ranks - slow, .ranks = slow, .device = slower(world.device, times)}};
    return world;
}

plan::Plan data_plan(std::int64_t ranks, std::int64_t batch) {
    plan::Plan plan;
    plan.strategy = strategy("data", {"data"});
    plan.mesh = {{"data", ranks}};
    plan.batch = batch;
    plan.precision = Precision::fp32;
    return plan;
}

plan::Plan pipeline_plan(std::int64_t stages, std::int64_t batch) {
    plan::Plan plan = data_plan(1, batch);
    plan.strategy = pipelined();
    plan.mesh = {{"pipeline", stages}};
    return plan;
}

Seconds passes(const Prediction& p) { return p.time[TimePart::forward] + p.time[TimePart::backward]; }

TEST(Mixed, AStageTwiceAsFastHoldsTwiceAsManyLayers) {
    const Prediction p = predict(six_blocks(), world(2, 1), pipeline_plan(2, 12));
    ASSERT_EQ(p.stages.size(), 2U);
    EXPECT_EQ(p.stages[0].layers, "4 x body");
    EXPECT_EQ(p.stages[0].device, "fast");
    EXPECT_EQ(p.stages[1].layers, "2 x body");
    EXPECT_EQ(p.stages[1].device, "slow");
    EXPECT_EQ(p.critical_stage, 1U) << "four blocks' time; the fast stage is spared one input gradient";
    plan::Plan even = pipeline_plan(2, 12);
    even.stages = {3, 3};
    const Prediction given = predict(six_blocks(), world(2, 1), even);
    EXPECT_EQ(given.stages[0].layers, "3 x body") << "what is given is taken";
    EXPECT_NEAR(passes(given) / passes(p), 1.5, 1e-9);
    EXPECT_NEAR(p.time.total().in(unit::second), p.step.value.in(unit::second), 1e-15);
}

TEST(Mixed, ADataRankTwiceAsFastGetsTwiceTheBatch) {
    const Prediction p = predict(six_blocks(), world(2, 1), data_plan(2, 12));
    const Prediction fast = predict(six_blocks(), even_world(), data_plan(2, 12));
    // 12 micro-batches: 8 of t and 4 of 2 t instead of 6 each, which the slow rank would take 12 t for.
    ASSERT_EQ(p.replicas.size(), 2U);
    EXPECT_EQ(p.replicas[0].devices, std::vector<std::string>{"fast"});
    EXPECT_EQ(p.replicas[0].microbatches, 8);
    EXPECT_EQ(p.replicas[1].devices, std::vector<std::string>{"slow"});
    EXPECT_EQ(p.replicas[1].microbatches, 4);
    EXPECT_NEAR(p.replicas[0].time / p.replicas[1].time, 1, 1e-9);
    EXPECT_NEAR(passes(p) / passes(fast), 8.0 / 6, 1e-9);
    EXPECT_EQ(p.microbatches, 6);
    EXPECT_EQ(p.stages[0].device, "fast and slow");
    // The peaks of both together: 1.5 of a fast one.
    EXPECT_NEAR(p.mfu * (1.5 * p.step.value.in(unit::second)), fast.mfu * (2 * fast.step.value.in(unit::second)), 1e-9);
}

TEST(Mixed, ARemainderMakesTwoKindsOfReplicasOfOneDevice) {
    // Twelve micro-batches to three devices of t and one of 2 t: none is done before 4 t.
    const Prediction p = predict(six_blocks(), world(4, 1), data_plan(4, 12));
    std::int64_t microbatches = 0;
    std::int64_t ranks = 0;
    for (const ReplicaPrediction& replica : p.replicas) {
        microbatches += replica.count * replica.microbatches;
        ranks += replica.data_ranks;
        EXPECT_NEAR(replica.time.in(unit::second),
                    static_cast<double>(replica.microbatches) *
                        (p.replicas[0].time / static_cast<double>(p.replicas[0].microbatches)).in(unit::second) *
                        (replica.devices.front() == "slow" ? 2 : 1),
                    1e-9 * p.step.value.in(unit::second));
    }
    EXPECT_EQ(microbatches, 12);
    EXPECT_EQ(ranks, 4);
    ASSERT_EQ(p.replicas.size(), 3U);
    EXPECT_EQ(p.replicas[0].devices, p.replicas[1].devices);
    EXPECT_EQ(p.replicas[0].microbatches, p.replicas[1].microbatches + 1);
}

TEST(Mixed, OneDeviceInSeveralEntriesIsNoMixture) {
    const graph::Graph graph = six_blocks();
    cluster::Cluster split = even_world();
    split.mixed = {{.first = 0, .ranks = 2, .device = split.device}, {.first = 2, .ranks = 2, .device = split.device}};
    for (const plan::Plan& plan : {data_plan(4, 24), pipeline_plan(4, 24)}) {
        const Prediction a = predict(graph, even_world(), plan);
        const Prediction b = predict(graph, split, plan);
        EXPECT_EQ(a.step.value, b.step.value);
        EXPECT_EQ(a.step.hi, b.step.hi);
        EXPECT_EQ(a.memory.values, b.memory.values);
        EXPECT_EQ(a.mfu, b.mfu);
        EXPECT_EQ(a.provenance, b.provenance);
        EXPECT_TRUE(b.replicas.empty());
    }
}

TEST(Mixed, AJobWithinOneKindOfNodesHasTheirDevice) {
    cluster::Cluster other = even_world();
    other.device = slower(other.device, 2);
    other.mixed = {{.first = 0, .ranks = 4, .device = even_world().device}};
    const Prediction p = predict(six_blocks(), other, data_plan(4, 24));
    EXPECT_EQ(p.step.value, predict(six_blocks(), even_world(), data_plan(4, 24)).step.value);
    EXPECT_EQ(p.stages[0].device, "fast");
}

TEST(Mixed, WhoExchangesInEveryMicroBatchWaitsForTheSlowest) {
    plan::Plan plan = data_plan(2, 12);
    plan.shard = plan::ShardLevel::parameters;
    const Prediction p = predict(six_blocks(), world(2, 1), plan);
    const Prediction slow = predict(six_blocks(), world(2, 2), plan);
    ASSERT_EQ(p.replicas.size(), 1U);
    EXPECT_EQ(p.replicas[0].devices, std::vector<std::string>{"fast and slow"});
    EXPECT_EQ(p.replicas[0].data_ranks, 2);
    EXPECT_EQ(p.replicas[0].microbatches, 6);
    EXPECT_EQ(p.step.value, slow.step.value);
    EXPECT_GT(slow.mfu, p.mfu) << "the fast device's peak counts, used or not";
}

TEST(Mixed, SynchronisedStatisticsKeepDataRanksInStep) {
    const graph::Graph graph = graph::build(network(tensor({{"channel", 8}, {"height", 16}, {"width", 16}}),
                                                    {layer("norm", "batch_norm", {{"synchronised", true}})}));
    const Prediction p = predict(graph, world(2, 1), data_plan(2, 12));
    ASSERT_EQ(p.replicas.size(), 1U);
    EXPECT_EQ(p.replicas[0].microbatches, 6);
}

TEST(Mixed, ATensorGroupIsAsFastAsItsSlowestRank) {
    plan::Plan plan = data_plan(2, 12);
    plan.strategy = strategy("filter", {"filter", "data"});
    plan.strategy.rules = {{.match = {}, .lay = {{"filter", {"filter"}, {}}}}};
    plan.mesh = {{"filter", 2}, {"data", 2}};
    plan.microbatch = 1;
    // Ranks 0, 1 are fast, 2 fast and 3 slow: the second group is slow.
    const Prediction p = predict(six_blocks(), world(4, 1), plan);
    ASSERT_EQ(p.replicas.size(), 2U);
    EXPECT_EQ(p.replicas[0].devices, std::vector<std::string>{"fast"});
    EXPECT_EQ(p.replicas[1].devices, std::vector<std::string>{"fast and slow"});
    EXPECT_EQ(p.replicas[0].microbatches, 8);
    EXPECT_EQ(p.replicas[1].microbatches, 4);
}

TEST(Mixed, AStageThatDoesNotFitItsOwnDeviceIsNamed) {
    cluster::Cluster cluster = world(2, 1);
    cluster.mixed[0].device.memory = 1_MiB;
    plan::Plan plan = pipeline_plan(2, 12);
    plan.stages = {4, 2};
    const Prediction p = predict(six_blocks(), cluster, plan);
    EXPECT_FALSE(p.fits);
    EXPECT_EQ(p.fullest_stage, 1U) << "the first holds more, and has room";
    EXPECT_EQ(p.memory_limit, 1_MiB);
    EXPECT_EQ(p.most_memory, p.stages[0].memory.process);
    EXPECT_NE(text(p.why_not.value()).find("more than 0.0 GiB on slow"), std::string::npos) << text(*p.why_not);
}

TEST(Mixed, LayersGoWhereTheyFitIfSpeedAloneWouldNotLeaveThemRoom) {
    plan::Plan three = pipeline_plan(2, 12);
    three.stages = {3, 3};
    cluster::Cluster cluster = world(2, 1);
    // Room for three blocks on the fast device, not for the four that its speed would ask for.
    cluster.device.memory = 1.01 * predict(six_blocks(), cluster, three).stages[0].memory.process;
    cluster.mixed[0].device.memory = 1_GiB;
    const Prediction p = predict(six_blocks(), cluster, pipeline_plan(2, 12));
    EXPECT_TRUE(p.fits) << text(p.why_not.value());
    EXPECT_EQ(p.stages[0].layers, "3 x body");
    // What the runtime takes of either device leaves as little room for layers.
    cluster.device.context = 256_MiB;
    cluster.device.memory += 256_MiB;
    cluster.mixed[0].device.context = 64_MiB;
    const Prediction other = predict(six_blocks(), cluster, pipeline_plan(2, 12));
    EXPECT_TRUE(other.fits);
    EXPECT_EQ(other.stages[0].layers, "3 x body");
}

TEST(Mixed, StagesOfReplicasOnOtherDevicesAreCutAlikeAndFedUnlike) {
    plan::Plan plan = pipeline_plan(2, 24);
    plan.mesh = {{"pipeline", 2}, {"data", 2}};
    // Replicas fast-fast and slow-slow: equal cuts, micro-batches 2 : 1.
    const Prediction p = predict(six_blocks(), world(4, 2), plan);
    ASSERT_EQ(p.replicas.size(), 2U);
    EXPECT_EQ(p.stages[0].layers, "3 x body");
    EXPECT_EQ(p.replicas[0].microbatches + p.replicas[1].microbatches, 24);
    EXPECT_NEAR(static_cast<double>(p.replicas[0].microbatches) / static_cast<double>(p.replicas[1].microbatches), 2,
                0.2);
}

TEST(Mixed, PrecisionsAreAskedOfEveryDeviceOfTheJob) {
    cluster::Cluster cluster = world(4, 2);
    cluster.mixed[0].device.matrix.clear();
    cluster.mixed[0].device.matrix[Precision::fp16] = 1_TFLOP_per_s;
    EXPECT_NO_THROW(predict(six_blocks(), cluster, data_plan(2, 12)));
    try {
        predict(six_blocks(), cluster, data_plan(4, 12));
        FAIL() << "the slow device has no fp32";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("slow has no fp32 matrix units"), std::string::npos);
    }
}

TEST(Mixed, MoreThan64KindsOfDevicesAreRefused) {
    cluster::Cluster cluster = even_world();
    cluster.levels[0].size = 128;
    for (std::int64_t rank = 0; rank < 65; ++rank) {
        cluster.mixed.push_back(
            {.first = rank, .ranks = 1, .device = slower(cluster.device, 2 + static_cast<double>(rank))});
    }
    EXPECT_NO_THROW(predict(six_blocks(), cluster, data_plan(64, 64)));
    EXPECT_THROW(predict(six_blocks(), cluster, data_plan(65, 65)), InputError);
}

std::vector<std::vector<std::int64_t>> all_cuts(std::int64_t blocks, std::int64_t stages) {
    if (stages == 1) {
        return {{blocks}};
    }
    std::vector<std::vector<std::int64_t>> cuts;
    for (std::int64_t first = 1; first + stages - 1 <= blocks; ++first) {
        for (std::vector<std::int64_t> rest : all_cuts(blocks - first, stages - 1)) {
            rest.insert(rest.begin(), first);
            cuts.push_back(std::move(rest));
        }
    }
    return cuts;
}

cluster::Cluster random_world(std::int64_t ranks) {
    cluster::Cluster cluster = even_world();
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        const double times = *rc::gen::inRange(1, 5);
        cluster::Device device = slower(cluster.device, times);
        device.name = "device " + std::to_string(static_cast<int>(times));
        cluster.mixed.push_back({.first = rank, .ranks = 1, .device = std::move(device)});
    }
    return cluster;
}

RC_GTEST_PROP(Mixed, NoCutHasAFasterSlowestStage, ()) {
    const auto stages = *rc::gen::inRange<std::int64_t>(2, 5);
    const cluster::Cluster cluster = random_world(stages);
    const graph::Graph graph = six_blocks();
    const plan::Plan plan = pipeline_plan(stages, 64);
    const Prediction found = predict(graph, cluster, plan);
    for (const std::vector<std::int64_t>& cut : all_cuts(kBlocks, stages)) {
        plan::Plan given = plan;
        given.stages = cut;
        const Prediction other = predict(graph, cluster, given);
        RC_ASSERT(passes(found) <= (1 + 1e-9) * passes(other));
    }
}

RC_GTEST_PROP(Mixed, AJobIsNoSlowerThanOnItsSlowestDevicesAndNoFasterThanOnItsFastest, ()) {
    const cluster::Cluster cluster = random_world(4);
    plan::Plan plan = pipeline_plan(2, 48);
    plan.mesh =
        *rc::gen::element(std::vector<plan::MeshAxis>{{"pipeline", 2}, {"data", 2}},
                          std::vector<plan::MeshAxis>{{"data", 2}, {"pipeline", 2}},
                          std::vector<plan::MeshAxis>{{"pipeline", 4}}, std::vector<plan::MeshAxis>{{"data", 4}});
    const graph::Graph graph = six_blocks();
    const Prediction mixed = predict(graph, cluster, plan);
    std::vector<Seconds> even;
    std::vector<Seconds> best;  // of all cuts
    for (const cluster::DeviceRange& range : cluster.mixed) {
        cluster::Cluster alike = even_world();
        alike.device = range.device;
        best.push_back(even.emplace_back(predict(graph, alike, plan).step.value));
        for (const std::vector<std::int64_t>& cut : all_cuts(kBlocks, plan.axis_size("pipeline"))) {
            plan::Plan given = plan;
            given.stages = cut;
            best.back() = min(best.back(), predict(graph, alike, given).step.value);
        }
    }
    RC_ASSERT(mixed.step.value <= (1 + 1e-9) * *std::max_element(even.begin(), even.end()));
    RC_ASSERT(mixed.step.value >= (1 - 1e-9) * *std::min_element(best.begin(), best.end()));
    RC_ASSERT(std::abs(mixed.time.total().in(unit::second) / mixed.step.value.in(unit::second)-1) < 1e-12);
    if (plan.axis_size("pipeline") == 2) {
        plan.stages = {3, 3};
        RC_ASSERT(mixed.step.value <= predict(graph, cluster, plan).step.value);
    }
}

/// 2 or 3 stages by 3 or 2 replicas, every rank another device, 1 to 4.9 times as slow.
cluster::Cluster six_devices(std::uint32_t& state) {
    cluster::Cluster cluster = even_world();
    for (std::int64_t rank = 0; rank < 6; ++rank) {
        state = state * 1664525U + 1013904223U;
        cluster::Device device = slower(cluster.device, 1 + static_cast<double>((state >> 16) % 40) / 10);
        device.name += std::to_string(rank);
        cluster.mixed.push_back({.first = rank, .ranks = 1, .device = std::move(device)});
    }
    return cluster;
}

TEST(Mixed, CutsThatUnlikeReplicasShareAreTheBestOrNearlySo) {
    const graph::Graph graph = six_blocks();
    std::uint32_t state = 7;
    double worst = 1;
    double sum = 0;
    const int kWorlds = drawn::full() ? 200 : 100;
    for (int i = 0; i < kWorlds; ++i) {
        const cluster::Cluster cluster = six_devices(state);
        const std::int64_t stages = 2 + i % 2;
        plan::Plan plan = pipeline_plan(stages, 96);
        plan.mesh = {{"pipeline", stages}, {"data", 6 / stages}};
        const Seconds found = predict(graph, cluster, plan).step.value;
        Seconds best = found;
        for (const std::vector<std::int64_t>& cut : all_cuts(kBlocks, stages)) {
            plan.stages = cut;
            best = min(best, predict(graph, cluster, plan).step.value);
        }
        worst = std::max(worst, found / best);
        sum += found / best;
    }
    EXPECT_LT(worst, 1.1);
    EXPECT_LT(sum / kWorlds, 1.001);
}

/// What every cut of the six blocks into these stages needs and how long its passes take, on devices without limits.
struct Cut {
    std::vector<std::int64_t> blocks;
    std::vector<Bytes> needed;  ///< by stage, the runtime's context included
    Seconds passes;
};

std::vector<Cut> cuts_of(const cluster::Cluster& cluster, plan::Plan plan) {
    std::vector<Cut> cuts;
    for (const std::vector<std::int64_t>& blocks : all_cuts(kBlocks, plan.axis_size("pipeline"))) {
        plan.stages = blocks;
        const Prediction p = predict(six_blocks(), cluster, plan);
        Cut& cut = cuts.emplace_back(Cut{blocks, {}, passes(p)});
        for (const StagePrediction& stage : p.stages) {
            cut.needed.push_back(stage.memory.process);
        }
    }
    return cuts;
}

bool fits(const Cut& cut, const std::vector<Bytes>& room) {
    for (std::size_t s = 0; s < room.size(); ++s) {
        if (cut.needed[s] > room[s]) {
            return false;
        }
    }
    return true;
}

/// Three devices of speeds 1, 2 and 1, whose runtime takes 16, 32 and 48 MiB of them.
cluster::Cluster three_devices() {
    cluster::Cluster cluster = even_world();
    for (const std::int64_t rank : {0, 1, 2}) {
        cluster::Device device = slower(cluster.device, rank == 1 ? 2 : 1);
        device.name += std::to_string(rank);
        device.context = (16 + 16 * static_cast<double>(rank)) * 1_MiB;
        cluster.mixed.push_back({.first = rank, .ranks = 1, .device = std::move(device)});
    }
    return cluster;
}

// Every way to leave each of three devices room for one to four blocks: if a cut fits, one is found, and where neither
// equal stages nor those of equal time fit it is the fastest of all that fit.
TEST(Mixed, WhatFitsIsFoundWhereverThereIsRoom) {
    cluster::Cluster cluster = three_devices();
    plan::Plan plan = pipeline_plan(3, 12);
    const std::vector<Cut> cuts = cuts_of(cluster, plan);
    ASSERT_EQ(cuts.size(), 10U);
    const auto cut_with = [&](std::size_t stage, std::int64_t blocks) {
        return *std::find_if(cuts.begin(), cuts.end(), [&](const Cut& cut) { return cut.blocks[stage] == blocks; });
    };
    const Prediction fastest = predict(six_blocks(), cluster, plan);
    int narrow = 0;
    for (int world = 0; world < 64; ++world) {
        std::vector<Bytes> room;
        for (std::size_t s = 0; s < 3; ++s) {
            const std::int64_t blocks = 1 + (world >> (2 * s)) % 4;
            room.push_back(cut_with(s, blocks).needed[s]);  // to the byte
            cluster.mixed[s].device.memory = room[s];
        }
        const bool any = std::any_of(cuts.begin(), cuts.end(), [&](const Cut& cut) { return fits(cut, room); });
        const Prediction p = predict(six_blocks(), cluster, plan);
        EXPECT_EQ(p.fits, any) << world;
        const auto at_once = [&](const Cut& cut) {
            return fits(cut, room) &&
                   (cut.blocks == std::vector<std::int64_t>{2, 2, 2} || cut.passes <= (1 + 1e-9) * passes(fastest));
        };
        if (!any || std::any_of(cuts.begin(), cuts.end(), at_once)) {
            continue;
        }
        ++narrow;
        for (const Cut& cut : cuts) {
            if (fits(cut, room)) {
                EXPECT_LE(passes(p), (1 + 1e-9) * cut.passes) << world << " " << cut.blocks[0] << cut.blocks[1];
            }
        }
    }
    EXPECT_GT(narrow, 10);
}

TEST(Mixed, AStageIsAsLargeAsTheSmallestDeviceOfItsReplicasAllows) {
    cluster::Cluster cluster = even_world();
    plan::Plan plan = pipeline_plan(2, 24);
    const std::vector<Cut> cuts = cuts_of(cluster, plan);
    plan.mesh = {{"pipeline", 2}, {"data", 2}};
    // Ranks 0 and 1 hold the stages of the first replica, 2 and 3 those of the second. Where the first stage of one of
    // them has room for two blocks, that of both has.
    for (const std::size_t small : {0U, 2U}) {
        cluster.mixed.clear();
        for (std::size_t rank = 0; rank < 4; ++rank) {
            cluster::Device device = cluster.device;
            device.name = "device " + std::to_string(rank);
            device.memory = rank == small ? 1.01 * cuts[1].needed[0] : 1_GiB;
            cluster.mixed.push_back({.first = static_cast<std::int64_t>(rank), .ranks = 1, .device = device});
        }
        const Prediction p = predict(six_blocks(), cluster, plan);
        EXPECT_TRUE(p.fits) << small;
        EXPECT_EQ(p.stages[0].layers, "2 x body") << small;
    }
}

}  // namespace mixed_test
}  // namespace dodona::step
