// A checkpoint every k blocks: what a stage keeps, what it computes again, and how much of it at once.
#include <gtest/gtest.h>

#include "scenes.hpp"
#include "step/predict.hpp"

namespace dodona::step {
namespace recompute_test {

// One tensor of a micro-batch of eight samples. The first of four blocks keeps its input and its output, the later ones
// their output only: its input is there already.
constexpr double kTensor = 8 * 2048 * 4;

plan::Plan recomputing(plan::RecomputeKind kind, std::int64_t stages) {
    plan::Plan plan;
    plan.strategy = test::pipelined();
    plan.mesh = {{"pipeline", stages}};
    plan.batch = 8;
    plan.microbatch = 8;
    plan.precision = Precision::fp32;
    plan.schedule = plan::ScheduleKind::gpipe;
    plan.recompute = kind;
    return plan;
}

Prediction every(std::int64_t k, std::int64_t stages = 1, plan::ScheduleKind kind = plan::ScheduleKind::gpipe) {
    plan::Plan plan = recomputing(plan::RecomputeKind::every, stages);
    plan.schedule = kind;
    plan.recompute_every = k;
    return predict(test::small_network(), test::small_cluster(), plan);
}

double kept(const Prediction& p) { return p.memory[MemoryPart::activations].in(1_B) / kTensor; }
double working(const Prediction& p) { return p.memory[MemoryPart::recompute].in(1_B) / kTensor; }

TEST(Checkpoints, AreOneForEveryBegunSegment) {
    EXPECT_EQ(kept(every(1)), 4);
    EXPECT_EQ(kept(every(2)), 2);
    EXPECT_EQ(kept(every(3)), 2) << "ceil(4/3)";
    EXPECT_EQ(kept(every(4)), 1);
    EXPECT_EQ(kept(every(9)), 1) << "not a ninth";
}

TEST(Checkpoints, OfAStageDoNotReachIntoTheNext) {
    EXPECT_EQ(kept(every(4, 2)), 1);
    EXPECT_EQ(kept(every(1, 2)), 2);
    EXPECT_EQ(kept(every(3, 4)), 1);
}

TEST(Segments, AreComputedAgainOneAtATime) {
    EXPECT_EQ(working(every(1)), 1) << "the last block: when the first has two tensors, three checkpoints are free";
    EXPECT_EQ(working(every(2)), 2);
    EXPECT_EQ(working(every(3)), 4);
    EXPECT_EQ(working(every(4)), 5);
    EXPECT_EQ(working(every(9)), 5) << "no more blocks than there are";
}

Prediction some(plan::RepeatedBlocks blocks, std::int64_t stages = 1) {
    plan::Plan plan = recomputing(plan::RecomputeKind::full, stages);
    plan.repeated = blocks;
    return predict(test::small_network(), test::small_cluster(), plan);
}

TEST(SomeBlocks, AreCountedOnEveryVirtualStageOfItsOwn) {
    const plan::RepeatedBlocks first{.first = 3};
    EXPECT_EQ(first.among(0, 5), 3);
    EXPECT_EQ(first.among(2, 5), 1);
    EXPECT_EQ(first.among(3, 5), 0);
    EXPECT_EQ(first.among(0, 2), 2);
    const plan::RepeatedBlocks third{.one_in = 3};
    EXPECT_EQ(third.among(0, 2), 0);
    EXPECT_EQ(third.among(2, 1), 1) << "the third";
    EXPECT_EQ(third.among(1, 8), 3) << "the third, the sixth and the ninth";
}

TEST(SomeBlocks, RunAgainAndTheOthersKeepAll) {
    // All four blocks keep five tensors, a block that runs again its input.
    const Prediction second = some({.one_in = 2});
    EXPECT_EQ(second.time[TimePart::recompute] * 2.0, second.time[TimePart::forward]);
    EXPECT_EQ(kept(second), (2 + 1) + (1 + 1)) << "two whole blocks, the first with its input, and two inputs";
    EXPECT_EQ(working(second), 1);
    const Prediction first = some({.first = 1});
    EXPECT_EQ(first.time[TimePart::recompute] * 4.0, first.time[TimePart::forward]);
    EXPECT_EQ(kept(first), 1 + 3);
    // On two stages of two blocks the first of each runs again.
    const Prediction staged = some({.first = 1}, 2);
    EXPECT_EQ(staged.time[TimePart::recompute] * 2.0, staged.time[TimePart::forward]);
    for (const plan::RepeatedBlocks all : {plan::RepeatedBlocks{.first = 4}, plan::RepeatedBlocks{.first = 9}}) {
        EXPECT_EQ(some(all).step.value, some({}).step.value);
        EXPECT_EQ(some(all).memory.total(), some({}).memory.total());
    }
    EXPECT_EQ(some({.one_in = 5}).time[TimePart::recompute], 0_s) << "there is no fifth";
}

TEST(Segments, AllTogetherCostOneForwardPass) {
    for (const std::int64_t k : {1, 2, 3, 4, 9}) {
        const Prediction p = every(k);
        EXPECT_EQ(p.time[TimePart::recompute], p.time[TimePart::forward]);
    }
}

}  // namespace recompute_test
}  // namespace dodona::step
