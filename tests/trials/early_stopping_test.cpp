// Early stopping: rungs and expected values by hand, schedules against closed forms.
#include "trials/early_stopping.hpp"

#include <array>

#include <gtest/gtest.h>

namespace dodona::trials::testing {
namespace early_stopping_test {

std::vector<Job> equal_trials(std::size_t count, double seconds) {
    return std::vector<Job>(count, {seconds * unit::second, {.cores = 1}});
}

TEST(EarlyStopping, HalvesUntilTheRungsOrTheTrialsEnd) {
    EXPECT_EQ(halving(27, 3, 3), (std::vector<std::size_t>{27, 9, 3}));
    EXPECT_EQ(halving(10, 3, 4), (std::vector<std::size_t>{10, 3, 1}));
    EXPECT_EQ(halving(0, 3, 4), std::vector<std::size_t>{});
}

TEST(EarlyStopping, SuccessiveHalvingOfEqualTrialsIsByHand) {
    // 9 trials of 9 s on 3 slots, eta 3, 3 rungs: 9 x 1 s in 3 waves, 3 x 2 s in one, 1 x 6 s.
    const StoppedTrials stopped = stop_early(equal_trials(9, 9), {1, {.cores = 3}}, Policy::fifo, {});
    EXPECT_DOUBLE_EQ(stopped.makespan.mean.in(unit::second), 3 + 2 + 6);
    EXPECT_NEAR(stopped.makespan.high.in(unit::second), 11, 1e-9) << "nothing is left to chance";
    EXPECT_NEAR(stopped.work.in(unit::second), 9 * 1 + 3 * 2 + 1 * 6, 1e-9);
    EXPECT_DOUBLE_EQ(stopped.finished, 1);
    ASSERT_EQ(stopped.rungs.size(), 3U);
    EXPECT_DOUBLE_EQ(stopped.rungs[1].trials, 3);
    EXPECT_NEAR(stopped.rungs[1].share, 1.0 / 3, 1e-12);
}

TEST(EarlyStopping, ExpectedWorkOfUnequalTrialsIsTheClosedForm) {
    // n_k / n times the sum of t_i (f_k - f_k-1): 1 x 240/9 + 1/3 x 240 x 2/9 + 1/9 x 240 x 6/9.
    std::vector<Job> jobs;
    for (const int seconds : {10, 20, 50}) {
        for (const Job& job : equal_trials(3, seconds)) {
            jobs.push_back(job);
        }
    }
    const StoppedTrials stopped =
        stop_early(jobs, {1, {.cores = 2}}, Policy::lpt, {.kind = Stopping::successive_halving, .draws = 4000});
    EXPECT_NEAR(stopped.work.in(unit::second), 240.0 / 9 + 240.0 * 2 / 27 + 240.0 * 6 / 81, 0.6);
    EXPECT_LT(stopped.makespan.low, stopped.makespan.mean);
    EXPECT_GT(stopped.makespan.high, stopped.makespan.mean);
}

TEST(EarlyStopping, AshaGoesOnAsSoonAsATrialIsAmongTheBest) {
    // A, B, C and D of 2 s on two slots, eta 2, two rungs of 1 s. After 1 s the better of A and B goes on beside C. At 2 s
    // three have ended, of which one may have gone on: C goes on if it is the best, beside D; else D runs alone. At 3 s two
    // of four may have gone on: nothing is left if C went on and D is none of the best two, 1/3 x 1/2; else all ends at 4 s.
    const EarlyStopping stopping{.kind = Stopping::asha, .eta = 2, .rungs = 2, .draws = 4000};
    const StoppedTrials asha = stop_early(equal_trials(4, 2), {1, {.cores = 2}}, Policy::fifo, stopping);
    EXPECT_NEAR(asha.makespan.mean.in(unit::second), 4 - 1.0 / 6, 0.02);
    EXPECT_DOUBLE_EQ(asha.rungs.front().trials, 4) << "all begin";
    EXPECT_GT(asha.rungs[1].trials, 2) << "some go on before better ones have ended";
    // On one slot everything runs one after another.
    const StoppedTrials alone = stop_early(equal_trials(9, 2), {1, {.cores = 1}}, Policy::fifo, stopping);
    EXPECT_NEAR(alone.makespan.mean.in(unit::second), alone.work.in(unit::second), 1e-6);
}

TEST(EarlyStopping, HyperbandHasTheBracketsOfItsAlgorithm) {
    // Algorithm 1 with R = 81, eta = 3: n = ceil(5 x 3^s / (s + 1)) for s = 4 ... 0.
    const StoppedTrials stopped = stop_early(equal_trials(81, 81), {1, {.cores = 81}}, Policy::fifo,
                                             {.kind = Stopping::hyperband, .rungs = 5, .draws = 2});
    constexpr std::array<double, 5> kFirst{81, 34, 15, 8, 5};
    std::vector<double> first;
    int bracket = 5;
    for (const Rung& rung : stopped.rungs) {
        if (rung.bracket != bracket) {
            first.push_back(rung.trials);
            bracket = rung.bracket;
        }
    }
    EXPECT_EQ(first, std::vector<double>(kFirst.begin(), kFirst.end()));
    // Each bracket lasts as long as its last trial: 81 s, five times, as all fit at once.
    EXPECT_NEAR(stopped.makespan.mean.in(unit::second), 5 * 81, 1e-6);
}

TEST(EarlyStopping, WithOneRungNothingIsStopped) {
    const std::vector<Job> jobs = equal_trials(5, 10);
    for (const Stopping kind : {Stopping::successive_halving, Stopping::asha, Stopping::hyperband}) {
        const EarlyStopping one_rung{.kind = kind, .rungs = 1, .draws = 2};
        const StoppedTrials stopped = stop_early(jobs, {1, {.cores = 1}}, Policy::fifo, one_rung);
        const double trials = kind == Stopping::hyperband ? 1 : 5;  // a single bracket of ceil(1 x 1 / 1)
        EXPECT_DOUBLE_EQ(stopped.makespan.mean.in(unit::second), trials * 10);
        EXPECT_DOUBLE_EQ(stopped.finished, trials);
    }
}

}  // namespace early_stopping_test
}  // namespace dodona::trials::testing
