// Orders as text.
#include "schedule/order_csv.hpp"

#include <string>

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "base/diagnostic.hpp"
#include "scenes.hpp"

namespace dodona::schedule {
namespace order_csv_test {

/// The messages of the faults of a text, one a line, without the source lines.
std::string faults_of(std::string_view text) {
    try {
        read_order(text, "x.csv");
    } catch (const InputError& error) {
        std::string messages;
        for (const Diagnostic& fault : error.diagnostics()) {
            messages += std::to_string(fault.where.line) + ":" + std::to_string(fault.where.column) + ": " +
                        fault.message + "\n";
        }
        return messages;
    }
    return "";
}

TEST(OrderCsv, ReadsTheFormOfPyTorch) {
    const Order order = read_order("0F0,0F1,,0B0,0B1\n,1F0, 1B0 ,1F1,1B1\r\n\n", "x.csv");
    const Order expected = test::order_of("1f1b", {2, 2, 1});
    EXPECT_EQ(order.micro_batches, 2);
    EXPECT_EQ(order.directions, expected.directions);
    EXPECT_EQ(order.stages, expected.stages);
}

TEST(OrderCsv, WritesWhatItReads) {
    for (const Schedule& schedule : schedules()) {
        if (schedule.traits.parameter_copies > 1) {
            continue;
        }
        Shape shape{4, 8, 2};
        shape.virtual_stages = schedule.unmet(shape) ? 1 : 2;
        const Order order = order_of(schedule, shape);
        const Order again = read_order(to_csv(order), "x.csv");
        EXPECT_EQ(again.stages, order.stages) << schedule.name;
        EXPECT_EQ(again.directions, order.directions) << schedule.name;
    }
    EXPECT_THROW(to_csv(test::order_of("dualpipe", {2, 4, 1})), InternalError);
}

TEST(OrderCsv, ReadsPairs) {
    const Order order = read_order("0F0,0F1,0B0,0B1\n1F0,(1F1;1B0)OVERLAP_F_B,1B1\n", "x.csv");
    ASSERT_EQ(order.stages[1].size(), 4U);
    EXPECT_TRUE(order.stages[1][1].overlaps_next);
    EXPECT_FALSE(order.stages[1][2].overlaps_next);
    EXPECT_EQ(to_csv(order), "0F0,0F1,0B0,0B1\n1F0,(1F1;1B0)OVERLAP_F_B,1B1\n");
}

TEST(OrderCsv, NamesCellsThatAreNoTask) {
    EXPECT_EQ(faults_of("0F0,0X0,F0,0B\n"),
              "1:5: \"0X0\" is no task\n1:9: \"F0\" is no task\n1:12: \"0B\" is no task\n");
    EXPECT_EQ(faults_of("0F0,-1B0,0B0x,0F99999999999\n"),
              "1:5: \"-1B0\" is no task\n1:10: \"0B0x\" is no task\n1:15: \"0F99999999999\" is no task\n");
    EXPECT_EQ(faults_of("0F0,(0F1;0Q0)OVERLAP_F_B,(0F1)OVERLAP_F_B\n"),
              "1:5: \"0Q0\" is no task\n1:26: \"(0F1)OVERLAP_F_B\" is no task\n");
    EXPECT_EQ(faults_of("0F0,0F-1,0B0\n"), "1:5: \"0F-1\" is no task\n");
}

TEST(OrderCsv, NamesCommunication) {
    EXPECT_EQ(faults_of("0F0,0SEND_F0,0B0\n1RECV_F0,1F0,1B0\n"),
              "1:5: \"0SEND_F0\" is communication, which follows from the order of tasks\n"
              "2:1: \"1RECV_F0\" is communication, which follows from the order of tasks\n");
}

TEST(OrderCsv, NamesWhatIsMissing) {
    EXPECT_EQ(faults_of(""), "0:0: empty: there is no stage\n");
    EXPECT_EQ(faults_of("0F0,0B0\n\n1F0,1B0\n"), "2:1: a stage without tasks\n");
    EXPECT_EQ(faults_of("0F0,0B0\n1F0,1F0\n"), "2:5: 1F0: a second time on stage 1\n2:1: 1B0 is missing on stage 1\n");
    EXPECT_EQ(faults_of("0F0,0B0\n2F0,2B0,2F0,2B0\n"), "0:0: no stage runs position 1\n");
    EXPECT_EQ(faults_of("0F0,0B0\n1F0,999999999B999999999\n"),
              "0:0: 4 tasks are too few for positions 0 to 999999999 and micro-batches 0 to 999999999\n");
}

TEST(OrderCsv, NamesATaskOnTwoStages) {
    EXPECT_EQ(
        faults_of("0F0,0B0,1F0,1B0\n1F0,1B0\n"),
        "2:1: 1F0: position 1 is on stage 0, not on stage 1\n2:5: 1B0: position 1 is on stage 0, not on stage 1\n");
}

TEST(OrderCsv, NamesStagesThatWaitForEachOther) {
    EXPECT_EQ(faults_of("0F0,0B0,0F1,0B1\n1F0,1F1,1B0,1B1\n"),
              "1:5: stage 0 waits here for 1B0 of stage 1, which never runs\n"
              "2:5: stage 1 waits here for 0F1 of stage 0, which never runs\n");
}

RC_GTEST_PROP(OrderCsv, ReadsOrRefusesWhateverItIsGiven, ()) {
    std::string text = to_csv(test::order_of("1f1b", {2, 2, 1}));
    const std::string letters = "0129FBIW,;()\n -OS";
    for (int change = *rc::gen::inRange(1, 5); change > 0; --change) {
        const auto at = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
        const char letter = letters[*rc::gen::inRange<std::size_t>(0, letters.size())];
        if (*rc::gen::arbitrary<bool>() && at < text.size()) {
            text.erase(at, 1);
        } else {
            text.insert(at, 1, letter);
        }
    }
    try {
        const Order order = read_order(text, "x.csv");
        RC_ASSERT(find_faults(order).empty());
        RC_ASSERT(resolve(order).blocked.empty());
    } catch (const InputError& error) {
        RC_ASSERT(!error.diagnostics().empty());
    }
}

TEST(OrderCsv, ShowsTheCell) {
    try {
        read_order("0F0,0X0\n", "x.csv");
        FAIL() << "nothing thrown";
    } catch (const InputError& error) {
        EXPECT_EQ(to_text(error.diagnostics().front()),
                  "x.csv:1:5: error: \"0X0\" is no task\n"
                  "    1 | 0F0,0X0\n"
                  "      |     ^~~\n"
                  "  help: a task is position, kind and micro-batch, such as 0F0, with F, B, I or W; a pair is "
                  "(0F8;7B2)OVERLAP_F_B\n");
    }
}

}  // namespace order_csv_test
}  // namespace dodona::schedule
