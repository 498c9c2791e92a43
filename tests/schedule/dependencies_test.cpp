// What tasks wait for, and orders in which stages wait for each other.
#include "schedule/dependencies.hpp"

#include <gtest/gtest.h>

#include "scenes.hpp"

namespace dodona::schedule {
namespace dependencies_test {

TEST(Dependencies, PutEveryTaskAfterWhatItNeeds) {
    const Dependencies dependencies = resolve(test::order_of("1f1b", {2, 1, 1}));
    // Stage 0: 0F0 0B0, stage 1: 1F0 1B0.
    ASSERT_EQ(dependencies.steps.size(), 4U);
    std::vector<std::int32_t> tasks;
    std::vector<std::int32_t> producers;
    for (const Step& step : dependencies.steps) {
        tasks.push_back(step.task);
        producers.push_back(step.producer);
    }
    EXPECT_EQ(tasks, (std::vector<std::int32_t>{0, 2, 3, 1}));
    EXPECT_EQ(producers, (std::vector<std::int32_t>{-1, 0, -1, 3}));
}

TEST(Dependencies, CrossABoundaryOnlyBetweenStages) {
    // A V over two stages: positions 1 and 2 are both on stage 1.
    Order order = empty_order(Placement::v_shape, {2, 1, 2});
    for (const std::int32_t k : {0, 3}) {
        order.stages[0].push_back({TaskKind::forward, false, 0, k});
    }
    for (const std::int32_t k : {1, 2}) {
        order.stages[1].push_back({TaskKind::forward, false, 0, k});
    }
    std::vector<std::int32_t> transfers;
    std::vector<std::int32_t> receipts;
    for (const Step& step : resolve(order).steps) {
        transfers.push_back(step.transfer);
        receipts.push_back(step.receipt);
    }
    EXPECT_EQ(transfers, (std::vector<std::int32_t>{0, -1, 2, -1}));
    EXPECT_EQ(receipts, (std::vector<std::int32_t>{-1, 0, -1, 2}));
}

TEST(Dependencies, NameStagesThatWaitForEachOther) {
    // Stage 0 wants the gradients of micro-batch 1 first, stage 1 computes those of micro-batch 0 first and waits for
    // a forward pass that stage 0 has not reached.
    Order order = test::order_of("1f1b", {2, 2, 1});
    order.stages[0] = {{TaskKind::forward, false, 0, 0},
                       {TaskKind::backward, false, 0, 0},
                       {TaskKind::forward, false, 1, 0},
                       {TaskKind::backward, false, 1, 0}};
    order.stages[1] = {{TaskKind::forward, false, 0, 1},
                       {TaskKind::forward, false, 1, 1},
                       {TaskKind::backward, false, 0, 1},
                       {TaskKind::backward, false, 1, 1}};
    ASSERT_TRUE(find_faults(order).empty());
    const Dependencies dependencies = resolve(order);
    EXPECT_EQ(to_text(dependencies.blocked),
              "stage 0 waits at 0B0 for 1B0 of stage 1; stage 1 waits at 1F1 for 0F1 of "
              "stage 0");
    Played<double> run;
    EXPECT_THROW(play(dependencies, Durations<double>(2), run), InternalError);
}

TEST(Dependencies, NameAStageThatRunsBackwardBeforeForward) {
    Order order = test::order_of("1f1b", {1, 1, 1});
    std::swap(order.stages[0][0], order.stages[0][1]);
    EXPECT_EQ(to_text(resolve(order).blocked), "stage 0 waits at 0B0 for 0F0 of stage 0");
}

TEST(Dependencies, NameGradientsOfWeightsBeforeThoseOfInputs) {
    Order order = empty_order(Placement::loop, {1, 1, 1});
    order.stages[0] = {{TaskKind::forward, false, 0, 0},
                       {TaskKind::backward_weight, false, 0, 0},
                       {TaskKind::backward_input, false, 0, 0}};
    EXPECT_EQ(to_text(resolve(order).blocked), "stage 0 waits at 0W0 for 0I0 of stage 0");
}

TEST(Dependencies, OfAPairAreThoseOfBothTasks) {
    Order order = test::order_of("1f1b", {2, 2, 1});
    // Stage 1 runs the forward pass of micro-batch 1 together with the backward pass of micro-batch 0.
    order.stages[0] = {{TaskKind::forward, false, 0, 0},
                       {TaskKind::forward, false, 1, 0},
                       {TaskKind::backward, false, 0, 0},
                       {TaskKind::backward, false, 1, 0}};
    order.stages[1] = {{TaskKind::forward, false, 0, 1},
                       {TaskKind::forward, true, 1, 1},
                       {TaskKind::backward, false, 0, 1},
                       {TaskKind::backward, false, 1, 1}};
    ASSERT_TRUE(find_faults(order).empty());
    EXPECT_EQ(to_text(resolve(order).blocked), "");
    // The same micro-batch cannot be in both.
    order.stages[1][0].micro_batch = 1;
    order.stages[1][1].micro_batch = 0;
    EXPECT_EQ(to_text(resolve(order).blocked)
                  .find("stage 0 waits at 0B0 for 1B0 of stage 1; stage 1 waits at 1F0 for "
                        "1F0 of stage 1"),
              0U);
}

}  // namespace dependencies_test
}  // namespace dodona::schedule
