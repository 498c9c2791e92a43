// Memory while a step is played: by hand, and against the peak in closed form.
#include "play/memory_over_time.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "../step/scenes.hpp"
#include "play/simulated_step.hpp"
#include "simulate/play.hpp"

namespace dodona::play {
namespace memory_over_time_test {

using graph::test::block;
using graph::test::layer;
using graph::test::network;
using graph::test::tensor;
using step::test::pipeline_of;

graph::Graph chain(std::int64_t blocks) {
    return graph::build(
        network(tensor({{"feature", 256}}), {block("body", blocks,
                                                   {layer("fc", "linear", {{"out", std::int64_t{1024}}}),
                                                    layer("back", "linear", {{"out", std::int64_t{256}}})})}));
}

void expect_predicted_peaks(const plan::Plan& plan) {
    const SimulatedStep step = simulate_step(chain(16), step::test::small_cluster(), plan);
    ASSERT_EQ(step.memory.size(), step.costs.memory.size());
    for (std::size_t s = 0; s < step.memory.size(); ++s) {
        const step::MemoryTotals& predicted = step.costs.memory[s].predicted;
        const double allocated = predicted.allocated.in(unit::byte);
        EXPECT_NEAR(step.memory[s].peak.in(unit::byte), allocated, 1e-9 * allocated) << "stage " << s + 1;
        EXPECT_NEAR(step.memory[s].process / predicted.process, 1, 1e-9) << "stage " << s + 1;
        EXPECT_EQ(predicted.process, step.prediction.stages[s].memory.process);
        EXPECT_GT(step.memory[s].peak, step.costs.memory[s].always) << "activations are part of the peak";
        EXPECT_EQ(*std::max_element(step.memory[s].by_span.begin(), step.memory[s].by_span.end()), step.memory[s].peak);
    }
    EXPECT_EQ(step.fullest_stage(), step.prediction.fullest_stage);
}

void expect_peaks_within_the_prediction(const plan::Plan& plan) {
    const SimulatedStep step = simulate_step(chain(16), step::test::small_cluster(), plan);
    for (std::size_t s = 0; s < step.memory.size(); ++s) {
        const step::StageMemory& memory = step.costs.memory[s];
        EXPECT_LE(step.memory[s].peak / memory.predicted.allocated, 1 + 1e-9) << "stage " << s + 1;
        EXPECT_GE((step.memory[s].peak + memory.recompute_peak) / memory.predicted.allocated, 1 - 1e-9)
            << "stage " << s + 1;
    }
}

TEST(MemoryOverTime, PeaksAreThoseOfTheClosedForm) {
    using plan::ScheduleKind;
    for (const std::int64_t stages : {1, 2, 4, 8}) {
        for (const ScheduleKind schedule : {ScheduleKind::gpipe, ScheduleKind::one_forward_one_backward}) {
            plan::Plan plan = pipeline_of(stages);
            plan.schedule = schedule;
            expect_predicted_peaks(plan);
        }
    }
    for (const std::int64_t virtual_stages : {2, 4}) {
        expect_predicted_peaks(pipeline_of(4, virtual_stages));
    }
}

TEST(MemoryOverTime, PeaksOfEveryScheduleAreThoseOfItsOrder) {
    for (const plan::ScheduleKind schedule : values_of(plan::kScheduleTable)) {
        for (const plan::RecomputeKind recompute : {plan::RecomputeKind::none, plan::RecomputeKind::full}) {
            plan::Plan plan = pipeline_of(4, std::min(plan::schedule_of(schedule).traits.virtual_stages.most, 2));
            plan.schedule = schedule;
            plan.recompute = recompute;
            SCOPED_TRACE(plan::name(schedule));
            // The working set of recomputation adds to the closed form's peak, but need not be there at the same time.
            recompute == plan::RecomputeKind::none ? expect_predicted_peaks(plan)
                                                   : expect_peaks_within_the_prediction(plan);
        }
    }
}

TEST(MemoryOverTime, PeaksWithRecomputationAndUnusableBlocksAreThoseOfTheClosedForm) {
    plan::Plan plan = pipeline_of(4);
    plan.memory.fragmentation = 0.1;
    for (const plan::RecomputeKind kind : {plan::RecomputeKind::full, plan::RecomputeKind::every}) {
        plan.recompute = kind;
        plan.recompute_every = 2;
        expect_predicted_peaks(plan);
    }
}

TEST(MemoryOverTime, OfAnotherOrderIsItsOwn) {
    const plan::Plan plan = pipeline_of(4);
    const SimulatedStep planned = simulate_step(chain(16), step::test::small_cluster(), plan);
    const SimulatedStep gpipe =
        simulate_step(chain(16), step::test::small_cluster(), plan, other_order(*schedule::find_schedule("gpipe")));
    // The last stage holds all 16 micro-batches instead of one.
    const Bytes kept = planned.costs.positions[3].kept;
    EXPECT_NEAR((gpipe.memory[3].peak - planned.memory[3].peak) / (15.0 * kept), 1, 1e-9);
    EXPECT_GT(gpipe.memory[3].process, planned.memory[3].process);
}

/// One stage, two micro-batches: F B F B of 1 s and 3 s (1 s of it recomputation), 2 s of update.
TEST(MemoryOverTime, ByHand) {
    step::PipelineCosts costs;
    costs.microbatches = 2;
    costs.positions = {{.forward = 1_s, .recompute = 1_s, .backward = 2_s, .kept = 8_GiB}};
    costs.tails = {{.optimizer = 2_s}};
    costs.memory = {
        {.predicted = {31_GiB, 31_GiB, 33_GiB}, .limit = 40_GiB, .always = 20_GiB, .recompute_peak = 3_GiB}};
    const StepTasks steps = step_tasks(schedule::order_of(*schedule::find_schedule("1f1b"), {1, 2, 1}), costs);
    const simulate::Timeline timeline = simulate::play(steps.graph);
    std::vector<std::pair<double, double>> changes;
    visit_memory(steps, timeline, costs, [&](std::int32_t, Seconds at, Bytes allocated) {
        changes.emplace_back(at.in(unit::second), allocated / 1_GiB);
    });
    EXPECT_EQ(changes, (std::vector<std::pair<double, double>>{{0, 28}, {1, 31}, {4, 20}, {4, 28}, {5, 31}, {8, 20}}));
    const std::vector<MemoryUse> uses = memory_uses(steps, timeline, costs);
    EXPECT_EQ(uses.front().peak, 31_GiB);
    EXPECT_EQ(uses.front().at, 1_s);
    EXPECT_EQ(uses.front().process, 33_GiB);
    // 50 spans of 0.2 s: forward, recomputation and backward, the same, update.
    const std::vector<Bytes>& spans = uses.front().by_span;
    ASSERT_EQ(spans.size(), 50U);
    EXPECT_EQ(spans[0], 28_GiB);
    EXPECT_EQ(spans[10], 31_GiB);
    EXPECT_EQ(spans[22], 28_GiB);
    EXPECT_EQ(spans[30], 31_GiB);
    EXPECT_EQ(spans[49], 20_GiB);
}

}  // namespace memory_over_time_test
}  // namespace dodona::play
