// Table 6 of Kahira et al., HPDC'21: for each category a step that triggers it and one that does not, by hand; and
// what is counted as a copy, on small networks.
#include "step/bottlenecks.hpp"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "scenes.hpp"
#include "step/bottleneck_kinds.hpp"
#include "step/predict.hpp"

namespace dodona::step {
namespace bottlenecks_test {

using namespace dodona::literals;
using test::pipelined;
using test::small_cluster;
using test::small_network;
using test::strategy;

/// A step of 10 s on 4 devices, all compute, in 4 of 16 GiB; nothing is done or held twice.
struct Scene {
    Prediction p;
    Redundancy redundancy{
        .local_elements = 25, .whole_elements = 100, .executed = 25 * unit::flop, .whole_executed = 100 * unit::flop};
    ScalingHeadroom headroom;

    Scene() {
        p.plan.mesh = {{"data", 4}};
        p.step = Estimate::exactly(10_s);
        p.time[TimePart::forward] = 4_s;
        p.time[TimePart::backward] = 6_s;
        p.memory[MemoryPart::weights] = 1_GiB;
        p.memory[MemoryPart::activations] = 3_GiB;
        p.memory_limit = 16_GiB;
    }
    [[nodiscard]] std::vector<Bottleneck> found() const { return find_bottlenecks(p, redundancy, headroom); }
};

const Bottleneck* find(const std::vector<Bottleneck>& all, BottleneckKind kind) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Bottleneck& b) { return b.kind == kind; });
    return found == all.end() ? nullptr : &*found;
}

struct Case {
    BottleneckKind kind;
    std::function<void(Scene&)> below;
    std::function<void(Scene&)> above;
    double share;        ///< of `above`
    std::string figure;  ///< that its text carries
};

Case part(BottleneckKind kind, TimePart which, Seconds below, Seconds above) {
    return {kind, [=](Scene& s) { s.p.time[which] = below; }, [=](Scene& s) { s.p.time[which] = above; }, above / 10_s,
            std::to_string(static_cast<int>(above.in(unit::second)*10)) + " % of the step"};
}

std::vector<Case> cases() {
    const auto stages = [](Seconds slow) {
        return [=](Scene& s) { s.p.stages = {{"a", "v100", {}, slow}, {"b", "v100", {}, 1_s}}; };
    };
    const auto contention = [](double phi) {
        return [=](Scene& s) {
            s.p.communication = {
                {.subject = CommunicationSubject::weight_gradients, .axes = {"data"}, .time = 2_s, .contention = phi}};
        };
    };
    return {
        part(BottleneckKind::gradient_exchange, TimePart::gradients, 2_s, 3_s),
        part(BottleneckKind::layer_collectives, TimePart::layer, 5_s, 6_s),
        part(BottleneckKind::stage_transfers, TimePart::pipeline, 1_s, 2_s),
        part(BottleneckKind::weight_update, TimePart::optimizer, 1_s, 2_s),
        part(BottleneckKind::bubble, TimePart::bubble, 2_s, 3_s),
        part(BottleneckKind::input, TimePart::input, 1_s, 4_s),
        part(BottleneckKind::launch, TimePart::host, 1_s, 2_s),
        part(BottleneckKind::host_link, TimePart::offload, 2_s, 3_s),
        // 1 s of halo is a quarter of 4 s of gradients, hidden or not; of 2 s it is half.
        {BottleneckKind::halo_exchange,
         [](Scene& s) {
             s.p.time[TimePart::halo] = 1_s;
             s.p.busy[TimePart::gradients] = 4_s;
         },
         [](Scene& s) {
             s.p.time[TimePart::halo] = 1_s;
             s.p.busy[TimePart::gradients] = 2_s;
         },
         0.5, "10 % of the step, 0.5 times the gradient exchange"},
        // Two flows on a link: of 2 s half, a tenth of the step.
        {BottleneckKind::congestion, contention(1), contention(2), 2, "costs up to 10.0 % of the step"},
        // 12.8 of 16 GiB are four fifths.
        {BottleneckKind::memory_stalling, [](Scene& s) { s.p.memory[MemoryPart::activations] = 11.8 * 1_GiB; },
         [](Scene& s) { s.p.memory[MemoryPart::activations] = 15_GiB; }, 1, "100 % of device memory"},
        // Four copies of all weights: three quarters of 1 of 4 GiB; with three quarters of the activations besides.
        {BottleneckKind::memory_redundancy, [](Scene& s) { s.redundancy.local_elements = 100; },
         [](Scene& s) {
             s.redundancy.local_elements = 100;
             s.redundancy.kept_elsewhere = 0.75;
         },
         0.75, "75 % of memory holds what other ranks hold too (19 % weights and states, 56 % activations)"},
        {BottleneckKind::balance, stages(1.2_s), stages(3_s), 1.5, "1.50 times the mean"},
        // 4 x 50 for 100: half is done twice; 4 x 100: three quarters.
        {BottleneckKind::compute_redundancy, [](Scene& s) { s.redundancy.executed = 50 * unit::flop; },
         [](Scene& s) { s.redundancy.executed = 100 * unit::flop; }, 0.75, "75 % of the arithmetic"},
        {BottleneckKind::devices,
         [](Scene& s) {
             s.headroom = {0.5, {}};
         },
         [](Scene& s) {
             s.headroom = {1, {plan::Limit{plan::BatchLimit{{"data"}, 4}, 8}}};
         },
         1, "data <= 4"},
    };
}

TEST(Bottlenecks, AreToldAboveTheirThresholdAndNotAtIt) {
    for (const Case& c : cases()) {
        Scene below;
        c.below(below);
        EXPECT_EQ(find(below.found(), c.kind), nullptr) << name(c.kind);
        Scene above;
        c.above(above);
        const std::vector<Bottleneck> found = above.found();
        const Bottleneck* bottleneck = find(found, c.kind);
        ASSERT_NE(bottleneck, nullptr) << name(c.kind);
        EXPECT_NEAR(bottleneck->share, c.share, 1e-9) << name(c.kind);
        EXPECT_NE(bottleneck->text.find(c.figure), std::string::npos) << bottleneck->text;
    }
}

TEST(Bottlenecks, HaveACaseForEveryKind) {
    const std::vector<Case> all = cases();
    ASSERT_EQ(all.size(), kBottlenecks.size());
    for (const BottleneckRow& row : kBottlenecks) {
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Case& c) { return c.kind == row.kind; })) << row.name;
        EXPECT_FALSE(row.evidence.empty()) << row.name;
    }
}

TEST(Bottlenecks, OfAQuietStepAreNone) { EXPECT_TRUE(Scene{}.found().empty()); }

TEST(Bottlenecks, OfAStepThatTakesNoTimeHaveNoShareOfIt) {
    Scene scene;
    scene.p.step = {};
    scene.p.time = {};
    scene.p.communication = {{.time = 0_s, .contention = 2}};
    const std::vector<Bottleneck> found = scene.found();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].kind, BottleneckKind::congestion);
    EXPECT_NE(found[0].text.find("costs up to 0.0 % of the step"), std::string::npos) << found[0].text;
}

TEST(Bottlenecks, ThatCostTimeComeFirstTheDearestOfThemBefore) {
    Scene scene;
    scene.p.memory[MemoryPart::activations] = 15_GiB;
    scene.p.time[TimePart::optimizer] = 2_s;
    scene.p.time[TimePart::gradients] = 3_s;
    scene.p.communication = {{.time = 2_s, .contention = 8}};
    std::vector<std::string> kinds;
    for (const Bottleneck& bottleneck : scene.found()) {
        kinds.emplace_back(name(bottleneck.kind));
    }
    EXPECT_EQ(kinds,
              (std::vector<std::string>{"gradient exchange", "optimizer step", "network congestion", "near OOM"}));
}

TEST(Bottlenecks, ShardedStatesAreNoCopies) {
    Scene scene;
    scene.p.memory[MemoryPart::optimizer] = 12_GiB;
    scene.redundancy.local_elements = 100;
    EXPECT_NE(find(scene.found(), BottleneckKind::memory_redundancy), nullptr) << "3/4 of 13 of 16 GiB";
    scene.p.plan.shard = plan::ShardLevel::states;
    scene.redundancy.shard_ways = 4;
    EXPECT_EQ(find(scene.found(), BottleneckKind::memory_redundancy), nullptr);
    // In groups of two the states are still held twice: 1/2 of 12 and 3/4 of 1 of 16 GiB.
    scene.redundancy.shard_ways = 2;
    EXPECT_EQ(find(scene.found(), BottleneckKind::memory_redundancy), nullptr) << "42 %";
    scene.p.memory[MemoryPart::weights] = 7_GiB;
    const std::vector<Bottleneck> found = scene.found();
    ASSERT_NE(find(found, BottleneckKind::memory_redundancy), nullptr);
    EXPECT_NEAR(find(found, BottleneckKind::memory_redundancy)->share, (0.75 * 7 + 0.5 * 12) / 22, 1e-12);
}

// Six copies of 4 GiB of weights, 6 of gradients and 6 of states; of a part that is sharded two ways three are left. Each level
// shards one part more.
TEST(Bottlenecks, EachLevelOfShardingLeavesFewerCopies) {
    Scene scene;
    scene.p.memory = {};
    scene.p.memory[MemoryPart::weights] = 4_GiB;
    scene.p.memory[MemoryPart::gradients] = 6_GiB;
    scene.p.memory[MemoryPart::optimizer] = 6_GiB;
    scene.redundancy.local_elements = 150;
    scene.redundancy.shard_ways = 2;
    const auto copies = [&](plan::ShardLevel level) {
        scene.p.plan.shard = level;
        const std::vector<Bottleneck> found = scene.found();
        const Bottleneck* redundant = find(found, BottleneckKind::memory_redundancy);
        return redundant == nullptr ? 0 : redundant->share;
    };
    EXPECT_NEAR(copies(plan::ShardLevel::none), 5. / 6, 1e-12);
    EXPECT_NEAR(copies(plan::ShardLevel::states), (5. / 6 * 10 + 2. / 3 * 6) / 16, 1e-12);
    EXPECT_NEAR(copies(plan::ShardLevel::gradients), (5. / 6 * 4 + 2. / 3 * 12) / 16, 1e-12);
    EXPECT_NEAR(copies(plan::ShardLevel::parameters), 2. / 3, 1e-12);
}

plan::Plan laid(plan::Strategy strategy, std::vector<plan::MeshAxis> mesh, std::int64_t batch) {
    plan::Plan plan;
    plan.strategy = std::move(strategy);
    plan.mesh = std::move(mesh);
    plan.batch = batch;
    plan.microbatch = 1;
    plan.precision = Precision::fp32;
    return plan;
}

TEST(ScalingHeadroom, IsLeftWhileAnAxisCanBeDoubled) {
    const graph::Graph graph = small_network();
    const plan::Strategy data = strategy("data", {"data"});
    EXPECT_TRUE(scaling_headroom(graph, laid(data, {{"data", 4}}, 8)).stopped_by.empty());
    const ScalingHeadroom full = scaling_headroom(graph, laid(data, {{"data", 8}}, 8));
    EXPECT_EQ(text(full.stopped_by), "data <= 8: the batch has 8 samples");
    EXPECT_EQ(full.taken, 1.0);
    // Four blocks of eight samples: three stages leave no room for six, data ranks leave room.
    EXPECT_TRUE(scaling_headroom(graph, laid(pipelined(), {{"pipeline", 4}, {"data", 4}}, 8)).stopped_by.empty());
    const ScalingHeadroom both = scaling_headroom(graph, laid(pipelined(), {{"pipeline", 3}, {"data", 8}}, 8));
    EXPECT_EQ(text(both.stopped_by),
              "pipeline <= 4: the network has 4 pieces to cut; data <= 8: the batch has 8 samples");
    EXPECT_EQ(both.taken, 0.75);
}

// Two samples: no stage more for four blocks, but two data ranks.
TEST(ScalingHeadroom, IsLeftWhereAnAxisThatThePlanLacksMayHaveTwo) {
    EXPECT_TRUE(scaling_headroom(small_network(), laid(pipelined(), {{"pipeline", 4}}, 2)).stopped_by.empty());
    const ScalingHeadroom none = scaling_headroom(small_network(), laid(pipelined(), {{"pipeline", 4}}, 1));
    EXPECT_EQ(text(none.stopped_by), "pipeline <= 4: the network has 4 pieces to cut");
}

TEST(ScalingHeadroom, IsLessThanNoneWhereALimitIsBroken) {
    const ScalingHeadroom broken = scaling_headroom(small_network(), laid(pipelined(), {{"pipeline", 6}}, 8));
    EXPECT_EQ(broken.taken, 1.5);
    EXPECT_EQ(text(broken.stopped_by), "pipeline <= 4: the network has 4 pieces to cut");
}

TEST(Copies, OfActivationsAreThoseNotSplit) {
    plan::Strategy filter = strategy("filter", {"filter"});
    filter.everywhere.clear();
    filter.rules.push_back({});
    filter.rules.back().match.kinds = {"conv"};
    filter.rules.back().lay = {{"filter", {"filter"}, {}}};
    const auto copies = [](const plan::Plan& plan) {
        return kept_elsewhere(cost_graph(small_network(), small_cluster(), plan, {}), plan);
    };
    EXPECT_EQ(copies(laid(strategy("data", {"data"}), {{"data", 4}}, 8)), 0.0);
    // Every convolution keeps the whole input on each of four ranks; what relu keeps is split.
    const double shared = copies(laid(filter, {{"filter", 4}}, 8));
    EXPECT_GT(shared, 0.3);
    EXPECT_LT(shared, 0.75) << "all but one of four copies at most";
}

TEST(Predict, TellsOfTheLastDevices) {
    plan::Plan plan = laid(strategy("data", {"data"}), {{"data", 8}}, 8);
    const Prediction last = predict(small_network(), small_cluster(), plan);
    EXPECT_NE(find(last.bottlenecks, BottleneckKind::devices), nullptr);
    plan.batch = 16;
    const Prediction more = predict(small_network(), small_cluster(), plan);
    EXPECT_EQ(find(more.bottlenecks, BottleneckKind::devices), nullptr);
}

}  // namespace bottlenecks_test
}  // namespace dodona::step
