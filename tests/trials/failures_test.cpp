// Trials that fail and are submitted again.
#include "trials/failures.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace dodona::trials::testing {
namespace failures_test {

TEST(TrialFailures, TakeTheExpectedTimeOfTheClosedForm) {
    const Seconds time = 10 * unit::second;
    const Seconds mtbf = 20 * unit::second;
    EXPECT_NEAR(expected_time(time, mtbf).in(unit::second), 20 * (std::exp(0.5) - 1), 1e-12);
    // 200 trials on one slot, one after another, with attempts without end.
    const std::vector<Job> jobs(200, {time, {.cores = 1}});
    const ExpectedSchedule expected =
        expect_failures(jobs, {1, {.cores = 1}}, Policy::fifo, {.mtbf = mtbf, .tries = 1000, .draws = 100});
    EXPECT_NEAR(expected.makespan.mean / (200 * expected_time(time, mtbf)), 1, 0.01);
    EXPECT_NEAR(expected.work / expected.makespan.mean, 1, 1e-9);
    EXPECT_EQ(expected.gave_up, 0);
    // Attempts that fail: exp(t / M) - 1 for each that ends well.
    EXPECT_NEAR(expected.failed / 200, std::exp(0.5) - 1, 0.02);
}

TEST(TrialFailures, EndAfterTheLastTry) {
    const std::vector<Job> jobs(1000, {10 * unit::second, {.cores = 1}});
    const ExpectedSchedule expected =
        expect_failures(jobs, {1, {.cores = 8}}, Policy::fifo, {.mtbf = 10 * unit::second, .tries = 2, .draws = 20});
    // Both attempts fail with (1 - exp(-1))^2.
    EXPECT_NEAR(expected.gave_up / 1000, std::pow(1 - std::exp(-1.0), 2), 0.02);
}

TEST(TrialFailures, OfNeverFailingTrialsChangeNothing) {
    const std::vector<Job> jobs(7, {10 * unit::second, {.cores = 1}});
    const ExpectedSchedule expected =
        expect_failures(jobs, {1, {.cores = 2}}, Policy::fifo, {.mtbf = 1e15 * unit::second});
    EXPECT_DOUBLE_EQ(expected.makespan.mean.in(unit::second), 40);
    EXPECT_EQ(expected.failed, 0);
}

}  // namespace failures_test
}  // namespace dodona::trials::testing
