// Steps played task by task against sums by hand and against the closed form of step/pipeline.hpp.
#include "play/step_tasks.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "schedule/schedule.hpp"
#include "simulate/critical_path.hpp"
#include "simulate/play.hpp"
#include "step/pipeline.hpp"

namespace dodona::play {
namespace step_tasks_test {

Seconds seconds(double value) { return Seconds::of_base(value); }

struct Scene {
    std::int32_t stages = 4;
    std::int32_t micro_batches = 8;
    std::int32_t virtual_stages = 1;
    const char* schedule = "1f1b";
    step::PositionCost cost{.forward = seconds(1), .backward = seconds(2)};
    bool overlaps = false;
    step::StageTail tail{};

    [[nodiscard]] step::PipelineCosts costs() const {
        step::PipelineCosts costs;
        costs.microbatches = micro_batches;
        costs.transfers_overlap = overlaps;
        costs.tails.assign(static_cast<std::size_t>(stages), tail);
        costs.positions.assign(static_cast<std::size_t>(stages) * static_cast<std::size_t>(virtual_stages), cost);
        costs.positions.front().receive = {};
        return costs;
    }
};

schedule::Order order_of(const Scene& scene) {
    return schedule::order_of(*schedule::find_schedule(scene.schedule),
                              {scene.stages, scene.micro_batches, scene.virtual_stages});
}

double makespan(const Scene& scene, const step::PipelineCosts& costs) {
    return simulate::play(step_tasks(order_of(scene), costs).graph).makespan.in(unit::second);
}
double makespan(const Scene& scene) { return makespan(scene, scene.costs()); }

TEST(StepTasks, OneStageDoesEverythingInTurn) {
    Scene scene{.stages = 1, .micro_batches = 5};
    scene.cost.recompute = seconds(0.5);
    scene.tail = {seconds(3), seconds(0.25), seconds(0.125), seconds(1)};
    EXPECT_DOUBLE_EQ(makespan(scene), 5 * 3.5 + 4.375);
}

TEST(StepTasks, EqualStagesTakeTheClosedForm) {
    for (const char* schedule : {"gpipe", "1f1b"}) {
        Scene scene{.schedule = schedule};
        EXPECT_DOUBLE_EQ(makespan(scene), (8 + 4 - 1) * 3.0) << schedule;
    }
    const Scene interleaved{.virtual_stages = 2, .schedule = "interleaved-1f1b"};
    EXPECT_DOUBLE_EQ(makespan(interleaved), 2 * 8 * 3.0 + 3 * 3.0) << "a position takes 3, a stage 6, the bubble 3";
}

TEST(StepTasks, ATransferDelaysFillAndDrainOnly) {
    Scene scene{.schedule = "gpipe", .overlaps = true};
    scene.cost.receive = seconds(0.5);
    EXPECT_DOUBLE_EQ(makespan(scene), (8 + 4 - 1) * 3.0 + 2 * 3 * 0.5);
}

TEST(StepTasks, AReceivingStageWaitsWithoutOverlap) {
    Scene scene{.stages = 2, .micro_batches = 1};
    scene.cost.receive = seconds(0.5);
    EXPECT_DOUBLE_EQ(makespan(scene), 2 * 3 + 2 * 0.5);
    scene.micro_batches = 3;
    scene.schedule = "gpipe";
    // Stage 1 receives and runs three forward passes and a backward pass; then stage 0 receives and runs three.
    EXPECT_DOUBLE_EQ(makespan(scene), 1 + 3 * 1.5 + 2 + 3 * 2.5);
}

TEST(StepTasks, UpdatesWaitForTheGradientsOfAllStages) {
    const Scene scene{.stages = 2, .micro_batches = 1};
    step::PipelineCosts costs = scene.costs();
    costs.tails[1].gradients = seconds(20);  // stage 1 ends its backward pass after 4 s
    costs.tails[0].optimizer = seconds(0.5);
    costs.tails[1].optimizer = seconds(1);
    EXPECT_DOUBLE_EQ(makespan(scene, costs), 4 + 20 + 1);
}

TEST(StepTasks, GradientsOfWeightsFillTheBubbleOfZeroBubbleSchedules) {
    Scene scene;
    scene.cost.weight_gradients = seconds(1);  // F = I = W = 1
    const double one_forward_one_backward = makespan(scene);
    scene.schedule = "zb-h1";
    EXPECT_DOUBLE_EQ(makespan(scene), 8 * 3.0 + 3 * 1) << "bubble (p-1)(F+I-W) instead of (p-1)(F+B)";
    EXPECT_DOUBLE_EQ(one_forward_one_backward, 8 * 3.0 + 3 * 3);
}

TEST(StepTasks, ActivationsAreFreeOnceForEachPass) {
    for (const char* schedule : {"1f1b", "zb-h1", "zb-h2"}) {
        const Scene scene{.schedule = schedule};
        const StepTasks steps = step_tasks(order_of(scene), scene.costs());
        EXPECT_EQ(
            std::count_if(steps.tasks.begin(), steps.tasks.end(), [](const StepTask& task) { return task.frees; }),
            4 * 8);
    }
}

TEST(StepTasks, SendersAreKnown) {
    Scene scene{.stages = 2, .micro_batches = 2, .overlaps = true};
    scene.cost.receive = seconds(0.5);
    const StepTasks steps = step_tasks(order_of(scene), scene.costs());
    int transfers = 0;
    for (std::size_t i = 0; i < steps.tasks.size(); ++i) {
        const StepTask& task = steps.tasks[i];
        if (task.work != Work::pipeline) {
            EXPECT_EQ(task.sender, simulate::kNoTask);
            continue;
        }
        ++transfers;
        const StepTask& sender = steps.tasks[simulate::index(task.sender)];
        EXPECT_EQ(sender.micro_batch, task.micro_batch);
        EXPECT_EQ(sender.stage, 1 - task.stage);
        EXPECT_NE(task.stream, Stream::compute);
    }
    EXPECT_EQ(transfers, 2 * 2) << "each micro-batch crosses the boundary twice";
}

TEST(StepTasks, OrderThatDoesNotRunIsAFault) {
    const Scene scene{.stages = 2, .micro_batches = 1};
    schedule::Order order = order_of(scene);
    std::swap(order.stages[1].front(), order.stages[1].back());
    EXPECT_THROW(static_cast<void>(step_tasks(order, scene.costs())), InputError);
}

/// Closed form of a pipeline without updates.
double closed_form(const step::PipelineCosts& costs) {
    std::vector<step::Position<Seconds>> positions;
    for (const step::PositionCost& cost : costs.positions) {
        positions.push_back({.forward = cost.forward, .back = cost.recompute + cost.backward, .receive = cost.receive});
    }
    step::ScheduleTimings orders;
    return step::pipeline_total(step::Pipeline<Seconds>{.positions = positions,
                                                        .stages = static_cast<std::int64_t>(costs.tails.size()),
                                                        .microbatches = costs.microbatches,
                                                        .transfers_overlap = costs.transfers_overlap},
                                orders)
        .in(unit::second);
}

RC_GTEST_PROP(StepTasks, UnevenStagesTakeAtLeastTheClosedFormAndLittleMore, ()) {
    Scene scene;
    scene.stages = *rc::gen::inRange(1, 9);
    scene.micro_batches = *rc::gen::inRange(1, 20);
    step::PipelineCosts costs = scene.costs();
    double busiest = 0;
    for (step::PositionCost& position : costs.positions) {
        position.forward = seconds(0.1 * *rc::gen::inRange(10, 20));
        position.backward = 2 * position.forward;
        busiest = std::max(busiest, scene.micro_batches * 3 * position.forward.in(unit::second));
    }
    const double played = makespan(scene, costs);
    RC_ASSERT(played >= closed_form(costs) * (1 - 1e-12));
    RC_ASSERT(played <= closed_form(costs) * 1.05);
    RC_ASSERT(played >= busiest * (1 - 1e-12));
}

RC_GTEST_PROP(StepTasks, CriticalPathIsAsLongAsTheStep, ()) {
    Scene scene;
    scene.stages = *rc::gen::inRange(1, 6);
    scene.virtual_stages = *rc::gen::inRange(1, 4);
    scene.schedule = scene.virtual_stages > 1 ? "interleaved-1f1b" : "1f1b";
    scene.micro_batches = scene.stages * *rc::gen::inRange(1, 5);
    scene.overlaps = *rc::gen::arbitrary<bool>();
    scene.cost.receive = seconds(0.1 * *rc::gen::inRange(0, 10));
    RC_PRE(scene.virtual_stages == 1 || scene.stages > 1);
    const StepTasks steps = step_tasks(order_of(scene), scene.costs());
    const simulate::Timeline timeline = simulate::play(steps.graph);
    const double length = simulate::critical_path(steps.graph, timeline).length.in(unit::second);
    RC_ASSERT(std::abs(length - timeline.makespan.in(unit::second)) < 1e-9);
}

}  // namespace step_tasks_test
}  // namespace dodona::play
