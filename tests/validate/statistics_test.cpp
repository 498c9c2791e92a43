// Statistics of a handful of runs, by hand.
#include "validate/statistics.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace dodona::validate {
namespace statistics_test {

using namespace dodona::literals;

/// A run whose interval reaches from -10 % to +10 %.
RunResult timed(const std::string& job, const std::string& layout, Seconds predicted, Seconds measured) {
    RunResult result{.id = job + layout, .group = "g", .job = job, .layout = layout};
    result.predicted = Estimate{predicted, 0.9 * predicted, 1.1 * predicted};
    result.measured = measured;
    result.error = predicted / measured - 1;
    return result;
}

Statistics over(const std::vector<RunResult>& results) {
    std::vector<const RunResult*> pointers;
    for (const RunResult& result : results) {
        pointers.push_back(&result);
    }
    return statistics("g", pointers);
}

TEST(Statistics, AreOfTheErrorsOfTimedRuns) {
    // Errors -0.5, +0.05, +0.5; the second measurement lies in its interval.
    const Statistics all = over({timed("a", "1", 1_s, 2_s), timed("b", "1", 2.1_s, 2_s), timed("c", "1", 3_s, 2_s)});
    EXPECT_EQ(all.rows, 3);
    EXPECT_NEAR(*all.mape, 0.35, 1e-12);
    EXPECT_NEAR(*all.median_ape, 0.5, 1e-12);
    EXPECT_NEAR(*all.bias, 0.05 / 3, 1e-12);
    EXPECT_NEAR(*all.p90, 0.5, 1e-12);
    EXPECT_NEAR(*all.coverage, 1.0 / 3, 1e-12);
    EXPECT_FALSE(all.pair_accuracy) << "three jobs of one plan each rank nothing";
    EXPECT_FALSE(all.top1_regret);
    EXPECT_FALSE(all.memory_mape);
}

TEST(Statistics, InterpolateBetweenOrderStatistics) {
    // Errors 0.1, 0.2, 0.3, 0.4: the median lies half way, p90 at 2.7 steps of three.
    const Statistics all = over({timed("a", "1", 1.1_s, 1_s), timed("b", "1", 1.2_s, 1_s), timed("c", "1", 1.3_s, 1_s),
                                 timed("d", "1", 1.4_s, 1_s)});
    EXPECT_NEAR(*all.median_ape, 0.25, 1e-12);
    EXPECT_NEAR(*all.p90, 0.37, 1e-12);
}

TEST(Statistics, RankPlansOfOneJob) {
    // Measured 1 < 2 < 4, predicted 2, 1, 4: of three pairs two are ordered right; the choice took 2 s instead of 1 s.
    const Statistics all = over(
        {timed("a", "1", 2_s, 1_s), timed("a", "2", 1_s, 2_s), timed("a", "3", 4_s, 4_s), timed("b", "1", 1_s, 3_s)});
    EXPECT_NEAR(*all.pair_accuracy, 2.0 / 3, 1e-12);
    EXPECT_NEAR(*all.top1_regret, 1.0, 1e-12);
}

TEST(Statistics, DoNotRankAPlanAgainstItself) {
    const Statistics all = over({timed("a", "1", 1_s, 1_s), timed("a", "1", 1_s, 2_s)});
    EXPECT_FALSE(all.pair_accuracy);
    EXPECT_FALSE(all.top1_regret);
}

TEST(Statistics, CountEqualPredictionsHalf) {
    EXPECT_NEAR(*over({timed("a", "1", 1_s, 1_s), timed("a", "2", 1_s, 2_s)}).pair_accuracy, 0.5, 1e-12);
}

TEST(Statistics, CountRefusedAndUntimedRuns) {
    RunResult refused{.id = "1", .group = "g", .refusal = "unknown model"};
    RunResult untimed{.id = "2", .group = "g"};
    untimed.predicted = Estimate::exactly(1_s);
    untimed.predicted_memory = 30_GiB;
    untimed.measured_memory = 40_GiB;
    const Statistics all = over({refused, untimed});
    EXPECT_EQ(all.rows, 1);
    EXPECT_EQ(all.skipped, 1);
    EXPECT_FALSE(all.mape);
    EXPECT_FALSE(all.p90);
    EXPECT_NEAR(*all.memory_mape, 0.25, 1e-12);
}

TEST(Statistics, CountRunsByWhetherTheyFit) {
    const auto run = [](std::optional<bool> ran, bool fits) {
        RunResult result{.id = "1", .group = "g"};
        result.ran = ran;
        result.fits = fits;
        return result;
    };
    const Statistics all = over({run(true, true), run(true, true), run(true, false), run(false, true),
                                 run(false, false), run(false, false), run(false, false), run({}, true)});
    EXPECT_EQ(all.fit.ran_fits, 2);
    EXPECT_EQ(all.fit.ran_not, 1);
    EXPECT_EQ(all.fit.oom_fits, 1);
    EXPECT_EQ(all.fit.oom_not, 3);
    EXPECT_EQ(all.fit.total(), 7) << "a row that does not say counts nowhere";
}

TEST(Statistics, SplitRunsByWhatWasAssumed) {
    RunResult assumed = timed("a", "1", 3_s, 2_s);
    assumed.assumed = true;
    const Statistics all = over({assumed, timed("b", "1", 1_s, 2_s), timed("c", "1", 2_s, 2_s)});
    EXPECT_EQ(all.assumed.rows, 1);
    EXPECT_NEAR(*all.assumed.mape, 0.5, 1e-12);
    EXPECT_EQ(all.stated.rows, 2);
    EXPECT_NEAR(*all.stated.mape, 0.25, 1e-12);
    EXPECT_FALSE(over({timed("b", "1", 1_s, 2_s)}).assumed.mape);
}

TEST(Statistics, TellComputationFromCommunication) {
    using step::TimePart;
    RunResult run = timed("a", "1", 10_s, 10_s);
    run.time[TimePart::forward] = 2_s;
    run.time[TimePart::backward] = 3_s;
    run.time[TimePart::optimizer] = 1_s;
    run.time[TimePart::halo] = 1.5_s;
    run.time[TimePart::gradients] = 0.5_s;
    run.time[TimePart::bubble] = 2_s;
    run.measured_compute = 8_s;
    run.measured_communication = 1_s;
    const Statistics all = over({run, timed("b", "1", 1_s, 2_s)});
    EXPECT_NEAR(*all.compute_mape, 0.25, 1e-12);
    EXPECT_NEAR(*all.communication_mape, 1.0, 1e-12);
}

}  // namespace statistics_test
}  // namespace dodona::validate
