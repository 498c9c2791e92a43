// Offload to the host: bytes and times of a small world by hand, and what holds for every plan.
#include "step/offload.hpp"

#include <gtest/gtest.h>

#include "scenes.hpp"
#include "step/predict.hpp"
#include "tests/worlds/memory_rules.hpp"

namespace dodona::step {
namespace offload_test {

using test::small_network;

// Four blocks of 584 parameters in fp32 with Adam; of a micro-batch of 8 samples five tensors of 2,048 elements a
// sample are kept, two of them by the first block.
constexpr double kW = 4 * 584 * 4;
constexpr double kG = kW;
constexpr double kS = 2 * kW;
constexpr double kTensor = 8 * 2048 * 4;
constexpr double kK = 5 * kTensor;
constexpr double kM = 4;
constexpr double kLink = 10e9;

cluster::Cluster hosted(Bytes memory = 1_GiB, BytesPerSecond bandwidth = 10_GB_per_s) {
    cluster::Cluster cluster = test::small_cluster();
    cluster.host = cluster::Host{.memory = memory, .bandwidth = bandwidth, .source = "a test"};
    return cluster;
}

plan::Plan one_device(plan::Offload offload) {
    plan::Plan plan;
    plan.strategy = test::strategy("data", {"data"});
    plan.mesh = {{"data", 1}};
    plan.batch = 32;
    plan.microbatch = 8;
    plan.precision = Precision::fp32;
    plan.offload = offload;
    return plan;
}

constexpr plan::Offload kAll{.optimizer = true, .activations = true, .weights = true};

double offload_time(const Prediction& p) { return p.time[TimePart::offload].in(unit::second); }

TEST(Offload, StreamsStatesOnceAStepInAndOutAtOnce) {
    const Prediction p = predict(small_network(), hosted(), one_device({.optimizer = true}));
    EXPECT_NEAR(offload_time(p), kS / kLink, 1e-15);
    EXPECT_EQ(p.host->in, kS * 1_B);
    EXPECT_EQ(p.host->out, kS * 1_B);
    EXPECT_EQ(p.host->memory, kS * 1_B);
    EXPECT_EQ(p.memory[MemoryPart::optimizer], 2 * 584 * 8 * 1_B) << "two buffers of a block's states";
}

/// With software that updates on the host, whose memory takes as long to move twice the bytes of the update.
plan::Plan updated_on_host(plan::Offload offload) {
    plan::Plan plan = one_device(offload);
    plan.framework.number(plan::FrameworkParameter::host_update) = {
        .value = 2, .lo = 1, .hi = 4, .bounds = {}, .source = "a test"};
    return plan;
}

cluster::Cluster with_memory_at(BytesPerSecond bandwidth) {
    cluster::Cluster cluster = hosted();
    cluster.host->memory_bandwidth = bandwidth;
    return cluster;
}

/// Adam in fp32 reads and writes two states and the weight, and reads the gradient.
constexpr double kUpdate = 2 * kS + kG + 2 * kW;

TEST(Offload, ToAHostThatUpdatesSendsGradientsOutAndWeightsBack) {
    const Prediction p = predict(small_network(), with_memory_at(5_GB_per_s), updated_on_host({.optimizer = true}));
    EXPECT_NEAR(offload_time(p), (kG + kW) / kLink, 1e-15);
    EXPECT_NEAR(p.time[TimePart::optimizer].in(unit::second), 2 * kUpdate / 5e9, 1e-15);
    EXPECT_EQ(p.host->out, kG * 1_B);
    EXPECT_EQ(p.host->in, kW * 1_B);
    EXPECT_EQ(p.host->memory, (kS + kG) * 1_B);
    EXPECT_EQ(p.memory[MemoryPart::optimizer], 0_B) << "no states come to the device";
    EXPECT_EQ(p.memory[MemoryPart::gradients], kG * 1_B);
}

TEST(Offload, OfAShareOfTheStatesUpdatesTheRestOnTheDevice) {
    constexpr double kShare = 0.25;
    const cluster::Cluster cluster = with_memory_at(5_GB_per_s);
    const auto of = [&](plan::Offload offload) { return predict(small_network(), cluster, updated_on_host(offload)); };
    const Prediction none = of({});
    const Prediction part = of({.optimizer = true, .optimizer_share = kShare});
    EXPECT_NEAR(offload_time(part), kShare * (kG + kW) / kLink, 1e-15);
    EXPECT_EQ(part.host->memory, kShare * (kS + kG) * 1_B);
    EXPECT_EQ(part.memory[MemoryPart::optimizer], (1 - kShare) * kS * 1_B);
    EXPECT_EQ(part.memory[MemoryPart::gradients], kG * 1_B);
    // Three quarters of the update on the device, and a quarter of twice its bytes on the host.
    const double on_host = kShare * 2 * kUpdate / 5e9;
    const double on_device = -on_host + part.time[TimePart::optimizer].in(unit::second);
    const double whole = none.time[TimePart::optimizer].in(unit::second);
    EXPECT_GE(on_device, 0.75 * whole * (1 - 1e-12));
    EXPECT_LT(on_device, whole);
    EXPECT_LT(none.step.value, part.step.value);
    EXPECT_LT(part.step.value, of({.optimizer = true}).step.value);
    // Without an update on the host the share comes in and goes out.
    const Prediction streamed =
        predict(small_network(), hosted(), one_device({.optimizer = true, .optimizer_share = kShare}));
    EXPECT_NEAR(offload_time(streamed), kShare * kS / kLink, 1e-15);
    EXPECT_EQ(streamed.memory[MemoryPart::optimizer], (1 - kShare) * kS * 1_B + kShare * kS * 1_B);
}

TEST(Offload, ToAHostThatUpdatesLeavesWeightsAndGradientsThatAreThere) {
    const Prediction p =
        predict(small_network(), with_memory_at(5_GB_per_s), updated_on_host({.optimizer = true, .weights = true}));
    // Gradients are added up on the device: all but the first micro-batch read them.
    EXPECT_EQ(p.host->in, (kM * 2 * kW + (kM - 1) * kG) * 1_B);
    EXPECT_EQ(p.host->out, kM * kG * 1_B);
    EXPECT_EQ(p.host->memory, (kW + kG + kS) * 1_B);
}

TEST(Offload, KeepsGradientsWithStatesWhereSoftwareDoes) {
    plan::Plan plan = updated_on_host({.optimizer = true});
    plan.memory.rules = {memory_rules::kOffloadedGradients};
    const Prediction p = predict(small_network(), with_memory_at(5_GB_per_s), plan);
    EXPECT_EQ(p.host->in, ((kM - 1) * kG + kW) * 1_B);
    EXPECT_EQ(p.host->out, kM * kG * 1_B);
    EXPECT_EQ(p.memory[MemoryPart::gradients], 2 * 584 * 4 * 1_B) << "two buffers of a block's";
    plan.offload = {.activations = true};
    EXPECT_EQ(predict(small_network(), with_memory_at(5_GB_per_s), plan).memory[MemoryPart::gradients], kG * 1_B);
}

TEST(Offload, OfDevicesOfANodeIsUpdatedByOneHost) {
    plan::Plan plan = updated_on_host({.optimizer = true});
    plan.batch = 4 * 32;
    plan.mesh = {{"data", 4}};
    const auto update = [&](plan::ShardLevel shard) {
        plan.shard = shard;
        return predict(small_network(), with_memory_at(5_GB_per_s), plan).time[TimePart::optimizer].in(unit::second);
    };
    EXPECT_NEAR(update(plan::ShardLevel::none), 4 * 2 * kUpdate / 5e9, 1e-15) << "each replica has its own states";
    EXPECT_NEAR(update(plan::ShardLevel::states), 2 * kUpdate / 5e9, 1e-15) << "shared states are updated once";
}

TEST(Offload, OnAHostOfUnknownMemoryIsLessCertain) {
    const plan::Plan plan = updated_on_host({.optimizer = true});
    const auto width = [&](const cluster::Cluster& cluster) {
        const Estimate step = predict(small_network(), cluster, plan).step;
        return (step.hi - step.lo) / step.value;
    };
    EXPECT_GT(width(hosted()), width(with_memory_at(cluster::kUsualHostMemory)));
}

TEST(Offload, WaitsForTheHostsUpdateAndHidesTheCopiesAround) {
    plan::Plan plan = updated_on_host({.optimizer = true});
    plan.overlap.offload = true;
    // Over a link of 1 MB/s and with memory of 1 MB/s: the copies around an update take longer than what they hide behind.
    cluster::Cluster cluster = hosted(1_GiB, 0.001 * 1_GB_per_s);
    cluster.host->memory_bandwidth = 0.001 * 1_GB_per_s;
    const Prediction p = predict(small_network(), cluster, plan);
    const double update = p.time[TimePart::optimizer].in(unit::second);
    const double backward = p.time[TimePart::backward].in(unit::second) / kM;
    EXPECT_NEAR(update, 2 * kUpdate / 1e6, 1e-12);
    EXPECT_NEAR(offload_time(p), kG / 1e6 - 0.75 * backward + kW / 1e6 / 4, 1e-9)
        << "weights come back during the update, but for those of the last block";
}

TEST(Offload, SendsActivationsOutInForwardAndBackInBackward) {
    const Prediction p = predict(small_network(), hosted(), one_device({.activations = true}));
    EXPECT_NEAR(offload_time(p), kM * 2 * kK / kLink, 1e-15);
    EXPECT_EQ(p.host->in, kM * kK * 1_B);
    EXPECT_EQ(p.host->memory, kK * 1_B) << "one micro-batch at a time is in flight";
    EXPECT_EQ(p.memory[MemoryPart::activations], 2 * 2 * kTensor * 1_B) << "two buffers of the first block's";
}

// Backward begins with what the head and the loss keep.
TEST(Offload, KeepsHeadAndLossOnTheDevice) {
    const auto linear = [](const char* name, std::int64_t out) { return test::layer(name, "linear", {{"out", out}}); };
    const graph::Graph graph = graph::build(test::network(
        test::tensor({{"sequence", 4}}, graph::Element::index),
        {test::layer("embedding", "embedding", {{"vocabulary", std::int64_t{100}}, {"features", std::int64_t{8}}}),
         test::block("body", 4, {linear("first", 8), linear("second", 8)}), linear("head", 100),
         test::layer("loss", "cross_entropy")}));
    const Prediction kept = predict(graph, hosted(), one_device({}));
    const Prediction offloaded = predict(graph, hosted(), one_device({.activations = true}));
    EXPECT_EQ(offloaded.memory[MemoryPart::embedding_and_head], kept.memory[MemoryPart::embedding_and_head]);
    EXPECT_EQ(offloaded.host->memory, kept.memory[MemoryPart::activations]);
    EXPECT_EQ(offloaded.memory[MemoryPart::activations] * 2.0, kept.memory[MemoryPart::activations])
        << "two of four blocks";
    EXPECT_LT(offloaded.memory[MemoryPart::workspace], 8 * 4 * (8 + 100) * 4 * 1_B) << "the head begins after the loss";
}

TEST(Offload, FetchesWeightsForBothPassesAndLeavesGradients) {
    const Prediction p = predict(small_network(), hosted(), one_device({.weights = true}));
    EXPECT_NEAR(offload_time(p), (kM * (kW + kW + kG) + kW) / kLink, 1e-15);
    EXPECT_EQ(p.host->in, kM * (2 * kW + kG) * 1_B);
    EXPECT_EQ(p.host->out, (kM * kG + kW) * 1_B);
    EXPECT_EQ(p.memory[MemoryPart::weights], 2 * 584 * 4 * 1_B);
    EXPECT_EQ(p.memory[MemoryPart::gradients], 2 * 584 * 4 * 1_B);
}

TEST(Offload, SharesOneLinkThatCarriesBothDirections) {
    const Prediction p = predict(small_network(), hosted(), one_device(kAll));
    // Forward: weights in while activations go out. Backward: all comes in, gradients go out. Update: states and
    // weights.
    EXPECT_NEAR(offload_time(p), (kM * (kK + (kW + kG + kK)) + kS + kW) / kLink, 1e-15);
    EXPECT_EQ(p.host->memory, (kW + kG + kS + kK) * 1_B);
    EXPECT_NEAR(p.time.total().in(unit::second), p.step.value.in(unit::second), 1e-15);
    EXPECT_EQ(p.busy[TimePart::offload], p.time[TimePart::offload]);
}

TEST(Offload, HidesBehindComputeAllButTheLastUnit) {
    plan::Plan plan = one_device({.activations = true});
    plan.overlap.offload = true;
    const Prediction p = predict(small_network(), hosted(1_GiB, 1e6 * 1_GB_per_s), plan);
    EXPECT_NEAR(offload_time(p), kM * 2 * kK / 1e15 / 4, 1e-20);
    EXPECT_NEAR(p.busy[TimePart::offload].in(unit::second), kM * 2 * kK / 1e15, 1e-20);
    // A slow link: what is longer than three quarters of the pass shows.
    const Prediction slow = predict(small_network(), hosted(1_GiB, 1_GB_per_s), plan);
    const double passes = (slow.time[TimePart::forward] + slow.time[TimePart::backward]).in(unit::second);
    EXPECT_NEAR(offload_time(slow), kM * 2 * kK / 1e9 - 0.75 * passes, 1e-12);
}

TEST(Offload, OfStatesHidesBehindTheLastBackwardPassAndTheUpdate) {
    plan::Plan plan = one_device({.optimizer = true});
    plan.overlap.offload = true;
    const Prediction p = predict(small_network(), hosted(1_GiB, 0.01 * 1_GB_per_s), plan);
    const double window =
        p.time[TimePart::backward].in(unit::second) / kM + p.time[TimePart::optimizer].in(unit::second);
    EXPECT_NEAR(offload_time(p), kS / 1e7 - 0.75 * window, 1e-12);
}

TEST(Offload, OfStatesGoesOnBesideReductionsOfGradients) {
    // 1 s of copies in four buckets: three quarters of the window hide, which is 0.2 s of kernels and 0.4 s of reductions.
    plan::Plan plan = one_device({.optimizer = true});
    plan.overlap.offload = true;
    StateSums states;
    states.blocks.optimizer = 1e9 * 1_B;
    const StageOffload offload = stage_offload(hosted(1_GiB, 1_GB_per_s), plan, states, {}, {{}, 0.2_s}, 1);
    UpdateWindow window{.backward = 0.2_s, .reductions = {}, .update = {}};
    const auto shown = [&] { return exposed_update(offload, plan, window, 4).in(unit::second); };
    EXPECT_NEAR(shown(), 1 - 0.75 * 0.2, 1e-12);
    window.reductions = 0.4_s;
    EXPECT_NEAR(shown(), 1 - 0.75 * 0.6, 1e-12);
}

TEST(Offload, OfThePassMakesRoomForReductionsOfGradients) {
    // Reductions of 9,344 B take over a millisecond, kernels of a pass microseconds. Over a fast host link no more hides
    // than behind kernels; over one of 1 MB/s the copies of a pass, 18.7 ms, leave the last of four buckets alone.
    plan::Plan plan = one_device({.weights = true});
    plan.mesh = {{"data", 4}};
    plan.overlap = {.gradients = true, .offload = true};
    const auto share_that_shows = [&](BytesPerSecond link) {
        cluster::Cluster cluster = hosted(1_GiB, link);
        cluster.levels.front().bandwidth = 0.01_GB_per_s;
        const Prediction p = predict(small_network(), cluster, plan);
        return p.time[TimePart::gradients] / p.busy[TimePart::gradients];
    };
    EXPECT_GT(share_that_shows(1e6 * 1_GB_per_s), 0.9);
    EXPECT_NEAR(share_that_shows(0.001 * 1_GB_per_s), 0.25, 1e-9);
}

TEST(Offload, HidesBehindCollectivesAndWaitsOfThePass) {
    plan::Plan plan = one_device({.activations = true});
    plan.overlap.offload = true;
    KeptActivations kept;
    kept.microbatch = 1e9 * 1_B;
    kept.segments = 4;
    // 1 s of copies in four buckets: three quarters of a pass of 0.8 s hide, whatever it consists of.
    const StageOffload offload = stage_offload(hosted(1_GiB, 1_GB_per_s), plan, {}, kept, {0.8_s, 2_s}, 1);
    EXPECT_NEAR(offload.exposed.forward.time.in(unit::second), 1 - 0.75 * 0.8, 1e-12);
    EXPECT_NEAR(offload.exposed.back.time.in(unit::second), 0.25, 1e-12);
}

TEST(Offload, CountsShardsAndCheckpoints) {
    plan::Plan plan = one_device(kAll);
    plan.mesh = {{"data", 4}};
    plan.shard = plan::ShardLevel::parameters;
    plan.recompute = plan::RecomputeKind::full;
    const Prediction p = predict(small_network(), hosted(), plan);
    // One micro-batch a rank; its four block inputs; a quarter of W, G and S each on four devices of one node.
    EXPECT_NEAR(p.host->memory.in(1_B), kW + kG + kS + 4 * 4 * kTensor, 1e-6);
    EXPECT_NEAR(p.host->in.in(1_B), (2 * kW + kG + kS) / 4 + 4 * kTensor, 1e-6);
}

// The states, which the update alone uses, go out and come in once a step, what is beyond them with each micro-batch.
TEST(Offload, PagesWhatDoesNotFitAtTheRateOfPages) {
    cluster::Cluster cluster = hosted();
    const Bytes needed = predict(small_network(), cluster, one_device({})).memory.total();
    constexpr double kBeyondStates = 1000;
    for (const double beyond : {kS / 2, kS + kBeyondStates}) {
        cluster.device.memory = needed - beyond * 1_B;
        EXPECT_FALSE(predict(small_network(), cluster, one_device({})).fits);
        const Prediction p = predict(small_network(), cluster, one_device({.pages = true}));
        const double moved = std::min(beyond, kS) + kM * std::max(0.0, beyond - kS);
        EXPECT_TRUE(p.fits);
        EXPECT_NEAR(offload_time(p), 2 * moved / (0.848 * kLink), 1e-12);
        EXPECT_NEAR(p.host->in.in(1_B), moved, 1e-6);
        EXPECT_NEAR(p.host->memory.in(1_B), beyond, 1e-6);
    }
    EXPECT_EQ(offload_time(predict(small_network(), hosted(), one_device({.pages = true}))), 0) << "all has room";
}

TEST(Offload, ToAHostThatIsTooSmallDoesNotFit) {
    const Prediction p = predict(small_network(), hosted(100 * 1024 * 1_B), one_device(kAll));
    EXPECT_FALSE(p.fits);
    EXPECT_TRUE(text(p.why_not.value()).starts_with("out of host memory: ")) << text(*p.why_not);
}

TEST(Offload, NeedsAHostThatIsDescribed) {
    try {
        predict(small_network(), test::small_cluster(), one_device({.optimizer = true, .weights = true}));
        FAIL();
    } catch (const InputError& error) {
        const std::string told = error.what();
        EXPECT_NE(told.find("small has no host memory to offload optimizer, weights to"), std::string::npos) << told;
        EXPECT_NE(told.find("host: {memory:"), std::string::npos) << told;
    }
}

TEST(Offload, ThatDecidesTheStepIsABottleneck) {
    const Prediction p = predict(small_network(), hosted(1_GiB, 0.1 * 1_GB_per_s), one_device(kAll));
    ASSERT_FALSE(p.bottlenecks.empty());
    EXPECT_EQ(p.bottlenecks.front().kind, BottleneckKind::host_link);
}

TEST(Offload, NeverMakesAStepFasterNorADeviceFuller) {
    for (int choice = 1; choice < 8; ++choice) {
        for (int variant = 0; variant < 24; ++variant) {
            plan::Plan plan = one_device({});
            plan.overlap = {.gradients = variant % 2 == 0, .parameters = true, .offload = variant % 2 == 0};
            plan.recompute = variant / 2 % 2 == 0 ? plan::RecomputeKind::none : plan::RecomputeKind::full;
            if (variant / 4 % 2 == 1) {
                plan.strategy = test::pipelined();
                plan.mesh = {{"pipeline", 2}, {"data", 2}};
                plan.microbatch = 4;
            } else {
                plan.mesh = {{"data", 4}};
                plan.shard = variant / 8 == 0   ? plan::ShardLevel::none
                             : variant / 8 == 1 ? plan::ShardLevel::states
                                                : plan::ShardLevel::parameters;
            }
            const Prediction without = predict(small_network(), hosted(), plan);
            plan.offload = {
                .optimizer = (choice & 1) != 0, .activations = (choice & 2) != 0, .weights = (choice & 4) != 0};
            const Prediction with = predict(small_network(), hosted(), plan);
            EXPECT_GT(with.step.value, without.step.value) << choice << " " << variant;
            EXPECT_LE(with.memory.total(), without.memory.total()) << choice << " " << variant;
            EXPECT_NEAR(with.time.total().in(unit::second), with.step.value.in(unit::second), 1e-15);
            // Of several stages, another may be the fullest: then only totals compare. What is there beside kept
            // activations may be more where these are elsewhere.
            for (std::size_t part = 0; with.stages.size() == 1 && part < kMemoryParts; ++part) {
                const auto which = static_cast<MemoryPart>(part);
                if (which != MemoryPart::workspace && which != MemoryPart::recompute) {
                    EXPECT_LE(with.memory[which], without.memory[which]);
                }
            }
        }
    }
}

}  // namespace offload_test
}  // namespace dodona::step
