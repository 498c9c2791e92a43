// Reports of trials, and early stopping by them: by hand.
#include "trials/reports.hpp"

#include <gtest/gtest.h>

namespace dodona::trials::testing {
namespace reports_test {

using Values = std::vector<double>;

TEST(Results, AreTheGroupsOfAPatternOrTheValuesOfAKey) {
    EXPECT_EQ(results_in("acc 0.5\nacc 7e-1, loss 2\nacc nan\n", {.pattern = "acc ([^,\n]*)"}), (Values{0.5, 0.7}));
    EXPECT_EQ(results_in(R"({"val.acc": 0.25, "val_acc": 3}
{"val.acc" : -1.5e1})",
                         {.key = "val.acc"}),
              (Values{0.25, -15}));
}

// Rungs at steps 1, 3 and 9 of eta 3: of 1 or 2 trials the best continues, of 3 the best, of 6 the best two.
TEST(Reports, OfAshaContinueAmongTheBestOfTheirRungSoFar) {
    Reports reports(6, StoppingRule::asha, 3, Best::highest);
    EXPECT_TRUE(reports.continues(0, {0.5}));
    EXPECT_FALSE(reports.continues(1, {0.4})) << "the best one of two";
    EXPECT_TRUE(reports.continues(2, {0.6}));
    EXPECT_TRUE(reports.continues(2, {0.6, 0.1})) << "step 2 is no rung";
    EXPECT_FALSE(reports.continues(3, {0.55}));
    EXPECT_FALSE(reports.continues(4, {0.3}));
    EXPECT_TRUE(reports.continues(5, {0.58})) << "second of six";
    EXPECT_TRUE(reports.continues(0, {0.5, 0.5, 0.5})) << "first of rung 3";
    EXPECT_FALSE(reports.continues(2, {0.6, 0.1, 0.2}));
}

// Means of the three that ended, of losses: 1.5, 2, 2.5 after two steps; the median is 2.
TEST(Reports, OfTheMedianStopWhereTheirBestIsWorse) {
    Reports reports(6, StoppingRule::median, 3, Best::lowest);
    for (const auto& [trial, values] : {std::pair{0, Values{2, 1}}, {1, Values{2, 2}}, {2, Values{3, 2}}}) {
        EXPECT_TRUE(reports.continues(static_cast<std::size_t>(trial), values)) << "none has ended";
        reports.end(static_cast<std::size_t>(trial));
    }
    EXPECT_TRUE(reports.continues(3, {2, 2.5}));
    EXPECT_FALSE(reports.continues(4, {2.5}));
    EXPECT_FALSE(reports.continues(5, {2.1, 2.01}));
}

}  // namespace reports_test
}  // namespace dodona::trials::testing
