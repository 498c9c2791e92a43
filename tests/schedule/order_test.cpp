// Orders: where positions are, and what is wrong with an order.
#include "schedule/order.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scenes.hpp"

namespace dodona::schedule {
namespace order_test {

using Stages = std::vector<std::int32_t>;

TEST(Placement, LoopsGoesUpAgainOrPassesBothWays) {
    EXPECT_EQ(place(Placement::loop, {3, 1, 2}), (std::vector<Stages>{{0, 1, 2, 0, 1, 2}}));
    EXPECT_EQ(place(Placement::v_shape, {3, 1, 2}), (std::vector<Stages>{{0, 1, 2, 2, 1, 0}}));
    EXPECT_EQ(place(Placement::bidirectional, {4, 8, 1}), (std::vector<Stages>{{0, 1, 2, 3}, {3, 2, 1, 0}}));
}

TEST(Placement, DealsMicroBatchesToDirectionsInHalves) {
    const Order order = empty_order(Placement::bidirectional, {4, 8, 1});
    EXPECT_EQ(order.stage_of(1, 3), 1);
    EXPECT_EQ(order.stage_of(1, 4), 2);
}

TEST(Task, IsWrittenAsInScheduleFiles) { EXPECT_EQ(to_text(Task{TaskKind::backward_weight, false, 7, 12}), "12W7"); }

/// Two stages, one micro-batch.
Order small() { return test::order_of("1f1b", {2, 1, 1}); }

std::vector<std::string> messages(const Order& order) {
    std::vector<std::string> texts;
    for (const OrderFault& fault : find_faults(order)) {
        texts.push_back(fault.message);
    }
    return texts;
}

TEST(OrderFaults, AreNoneInAnOrderThatIsComplete) { EXPECT_TRUE(find_faults(small()).empty()); }

TEST(OrderFaults, NameAMissingTask) {
    Order order = small();
    order.stages[1].pop_back();
    EXPECT_EQ(messages(order), std::vector<std::string>{"1B0 is missing on stage 1"});
    order.stages[1].push_back({TaskKind::backward_input, false, 0, 1});
    EXPECT_EQ(messages(order), std::vector<std::string>{"1W0 is missing on stage 1"});
    order.stages[1].back().kind = TaskKind::backward_weight;
    EXPECT_EQ(messages(order), std::vector<std::string>{"1I0 is missing on stage 1"});
}

TEST(OrderFaults, NameATaskThatIsThereTwice) {
    Order order = small();
    order.stages[0].push_back(order.stages[0].front());
    ASSERT_EQ(messages(order), std::vector<std::string>{"0F0: a second time on stage 0"});
    EXPECT_EQ(find_faults(order).front().index, 2U);
}

TEST(OrderFaults, NameATaskOnAStageThatDoesNotHoldItsPosition) {
    Order order = small();
    std::swap(order.stages[0][0], order.stages[1][0]);
    const std::vector<std::string> texts = messages(order);
    ASSERT_EQ(texts.size(), 4U);  // both are misplaced and, where they belong, missing
    EXPECT_EQ(texts[0], "1F0: position 1 is on stage 1, not on stage 0");
    EXPECT_EQ(texts[3], "1F0 is missing on stage 1");
}

TEST(OrderFaults, NamePositionsAndMicroBatchesThatAreNotThere) {
    Order order = small();
    order.stages[0].push_back({TaskKind::forward, false, 1, 0});
    order.stages[0].push_back({TaskKind::forward, false, 0, 2});
    EXPECT_EQ(messages(order), (std::vector<std::string>{"0F1: there is no micro-batch 1, only 0 to 0",
                                                         "2F0: there is no position 2, only 0 to 1"}));
}

TEST(OrderFaults, NameABackwardPassThatIsBothWholeAndSplit) {
    Order order = small();
    order.stages[1].push_back({TaskKind::backward_weight, false, 0, 1});
    EXPECT_EQ(messages(order), std::vector<std::string>{
                                   "micro-batch 0 has a whole backward pass (B) and a split one (I, W) at position 1"});
}

TEST(OrderFaults, NameAPairThatIsNone) {
    Order order = small();
    order.stages[0].back().overlaps_next = true;
    EXPECT_EQ(messages(order).front(), "0B0: a pair is a forward pass and then a backward pass");
}

}  // namespace order_test
}  // namespace dodona::schedule
