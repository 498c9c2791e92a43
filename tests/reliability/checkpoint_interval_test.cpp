// Intervals between checkpoints: by hand, and properties of the closed form.
#include "reliability/checkpoint_interval.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dodona::reliability::testing {
namespace checkpoint_interval_test {

/// A failure a day, checkpoints of 5 minutes.
RunConditions daily() { return {.mtbf = 86'400_s, .pause = 300_s, .background = {}, .restart = 600_s}; }

double time_per_training(const RunConditions& run, Seconds interval) {
    const RunTime time = expected_interval(run, interval);
    return time.total() / time.training;
}

RunConditions any_run() {
    const double mtbf = *rc::gen::inRange(100, 1'000'000);
    const auto some = [&](double most) { return *rc::gen::inRange(0, 1000) / 1000.0 * most * unit::second; };
    return {.mtbf = mtbf * unit::second, .pause = some(mtbf), .background = some(mtbf), .restart = some(mtbf)};
}

TEST(CheckpointInterval, OfYoungIsTheRootOfTwiceThePauseTimesTheMtbf) {
    EXPECT_NEAR(young_interval(daily()).in(1_s), 7200, 1e-9);  // sqrt(2 x 300 x 86,400)
}

TEST(CheckpointInterval, OfDalyIsThatOfHisEquation37) {
    // 7200 (1 + sqrt(300/172,800)/3 + (300/172,800)/9) - 300 = 7200 x 1.01408179 - 300.
    EXPECT_NEAR(daly_interval(daily()).in(1_s), 7001.389, 0.001);
    RunConditions hopeless = daily();
    hopeless.pause = 2 * hopeless.mtbf;
    EXPECT_EQ(daly_interval(hopeless), hopeless.mtbf);
}

TEST(CheckpointInterval, OfDalyIsNearTheBest) {
    EXPECT_NEAR(best_interval(daily()).in(1_s), daly_interval(daily()).in(1_s), 1);
    RunConditions frequent = daily();
    frequent.mtbf = 3000_s;
    EXPECT_NEAR(best_interval(frequent) / daly_interval(frequent), 1, 0.01);
}

RC_GTEST_PROP(CheckpointInterval, BestLeavesNothingBetterBeside, ()) {
    RunConditions run = any_run();
    run.pause = max(run.pause, 1_s);
    const Seconds best = best_interval(run);
    const double least = time_per_training(run, best);
    for (const double factor : {0.5, 0.9, 0.99, 1.01, 1.1, 2.0}) {
        RC_ASSERT(time_per_training(run, factor * best) >= least * (1 - 1e-12));
    }
}

TEST(ExpectedTime, IsDalysEquation) {
    // 86,400 e^(600/86,400) (e^(7500/86,400) - 1)
    EXPECT_NEAR(expected_interval(daily(), 7200_s).total().in(1_s),
                86'400 * std::exp(600 / 86'400.0) * (std::exp(7'500 / 86'400.0) - 1), 1e-6);
}

TEST(ExpectedTime, OfRareFailuresIsTrainingAndPauses) {
    RunConditions rare = daily();
    rare.mtbf = 1e12 * unit::second;
    const RunTime time = expected_interval(rare, 2700_s);
    EXPECT_NEAR(time.goodput(), 0.9, 1e-6);
    EXPECT_NEAR(time.lost.in(1_s), 0, 1e-3);
}

RC_GTEST_PROP(ExpectedTime, HasPartsThatAddUp, ()) {
    const RunConditions run = any_run();
    const RunTime time = expected_interval(run, run.mtbf / 10);
    RC_ASSERT(time.lost >= Seconds{} - 1e-9 * time.total());
    RC_ASSERT(time.restarts >= Seconds{});
    RC_ASSERT(time.waiting == Seconds{});
    RC_ASSERT(std::abs(time.failures * run.mtbf.in(1_s) / time.total().in(1_s) - 1) < 1e-9);
}

RC_GTEST_PROP(ExpectedTime, GrowsWithPauseDelayAndRestartAndFallsWithTheMtbf, ()) {
    const RunConditions run = any_run();
    const Seconds interval = run.mtbf / 10;
    const double now = time_per_training(run, interval);
    const auto with = [&](Seconds RunConditions::*part, Seconds more) {
        RunConditions other = run;
        other.*part += more;
        return time_per_training(other, interval);
    };
    RC_ASSERT(with(&RunConditions::pause, 10_s) > now);
    RC_ASSERT(with(&RunConditions::background, 10_s) > now);
    RC_ASSERT(with(&RunConditions::restart, 10_s) > now);
    RC_ASSERT(with(&RunConditions::mtbf, run.mtbf) < now);
}

TEST(ExpectedTime, HasNoGoodputWhereFailuresComeTooFast) {
    const RunTime time = expected_interval({.mtbf = 1_s, .pause = 1_s, .background = {}, .restart = 1_s}, 3600_s);
    EXPECT_EQ(time.goodput(), 0);
    EXPECT_EQ(time.restarts, 0_s);
}

TEST(CheckpointInterval, IsAtLeastTheBackgroundWrite) {
    EXPECT_EQ(shortest_interval({.mtbf = 1_s, .pause = 2_s, .background = 30_s, .restart = {}}), 28_s);
    EXPECT_EQ(shortest_interval({.mtbf = 1_s, .pause = 2_s, .background = {}, .restart = {}}), 0_s);
}

}  // namespace checkpoint_interval_test
}  // namespace dodona::reliability::testing
