// The simulation of failures against the closed form, and what only it knows: spare nodes.
#include "reliability/failure_simulation.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace dodona::reliability::testing {
namespace failure_simulation_test {

std::vector<Component> components() {
    return {{"gpu", FailureUnit::device, 40'000_s, true}, {"software", FailureUnit::job, 10'000_s, false}};
}
constexpr JobSize kJob{4, 1};  // 4/40,000 + 1/10,000: a failure every 5,000 s

RunConditions conditions(Seconds pause, Seconds background, Seconds restart) {
    return {.mtbf = job_mtbf(components(), kJob), .pause = pause, .background = background, .restart = restart};
}

void expect_closed_form(const RunConditions& run, Seconds interval) {
    const SimulatedRuns simulated =
        simulate_failures(components(), kJob, run, interval, {.training = 500 * interval, .spares = {}, .runs = 400});
    const RunTime expected = expected_interval(run, interval);
    // Three times the distance of the 95 % confidence limits: one chance in 10^8.
    const double tolerance = 1.5 * (simulated.high - simulated.low) + 1e-3;
    EXPECT_NEAR(simulated.goodput, expected.goodput(), tolerance);
    EXPECT_LT(simulated.high - simulated.low, 0.02);
    const auto share = [](Seconds part, const RunTime& time) { return part / time.total(); };
    EXPECT_NEAR(share(simulated.mean.lost, simulated.mean), share(expected.lost, expected), 0.01);
    EXPECT_NEAR(share(simulated.mean.restarts, simulated.mean), share(expected.restarts, expected), 0.01);
    EXPECT_NEAR(share(simulated.mean.checkpoints, simulated.mean), share(expected.checkpoints, expected), 0.01);
    EXPECT_NEAR(simulated.mean.failures * (run.mtbf / simulated.mean.total()), 1, 0.03);
}

TEST(FailureSimulation, IsTheClosedFormOnAverage) {
    EXPECT_NEAR(job_mtbf(components(), kJob).in(1_s), 5000, 1e-9);
    expect_closed_form(conditions(60_s, {}, 300_s), 700_s);
    expect_closed_form(conditions(500_s, {}, 2000_s), 2500_s);
    expect_closed_form(conditions({}, {}, {}), 1000_s);
}

TEST(FailureSimulation, IsTheClosedFormWithBackgroundWrites) {
    expect_closed_form(conditions(10_s, 400_s, 300_s), 600_s);
    expect_closed_form(conditions(10_s, 1500_s, 100_s), 1500_s);
}

TEST(FailureSimulation, FindsTheBestIntervalOfTheClosedForm) {
    const RunConditions run = conditions(60_s, {}, 300_s);
    const Seconds best = best_interval(run);
    const std::vector<Seconds> intervals{0.25 * best, 0.5 * best, best, 2 * best, 4 * best};
    EXPECT_EQ(best_simulated(components(), kJob, run, intervals, {.training = 500 * best, .spares = {}}), best);
}

TEST(FailureSimulation, IsTheSameForTheSameSeed) {
    const RunConditions run = conditions(60_s, {}, 300_s);
    const auto goodput = [&](std::uint64_t seed) {
        return simulate_failures(components(), kJob, run, 700_s,
                                 {.training = 70'000_s, .spares = {}, .runs = 10, .seed = seed})
            .goodput;
    };
    EXPECT_EQ(goodput(1), goodput(1));
    EXPECT_NE(goodput(1), goodput(2));
}

TEST(FailureSimulation, WithoutFailuresIsTrainingAndPauses) {
    const std::vector<Component> never{{"gpu", FailureUnit::device, 1e15 * unit::second, true}};
    const SimulatedRuns simulated = simulate_failures(
        never, kJob, {.mtbf = 2.5e14 * unit::second, .pause = 10_s, .background = 5_s, .restart = 300_s}, 100_s,
        {.training = 950_s, .spares = {}, .runs = 2});
    // Ten checkpoints, the last of which is waited for.
    EXPECT_NEAR(simulated.mean.total().in(1_s), 950 + 10 * 10 + 5, 1e-9);
    EXPECT_EQ(simulated.mean.failures, 0);
}

TEST(FailureSimulation, WaitsForRepairWhereNoNodeIsSpare) {
    const std::vector<Component> nodes{{"node", FailureUnit::node, 5000_s, true}};
    const RunConditions run{.mtbf = 5000_s, .pause = 10_s, .background = {}, .restart = 100_s};
    const auto with = [&](std::int64_t spares) {
        return simulate_failures(nodes, kJob, run, 300_s,
                                 {.training = 100'000_s, .spares = Spares{spares, 2000_s}, .runs = 50});
    };
    const SimulatedRuns none = with(0);
    EXPECT_NEAR(none.mean.waiting / (none.mean.failures * 2000_s), 1, 1e-12) << "the whole repair after each failure";
    EXPECT_LT(with(1).mean.waiting, 0.5 * none.mean.waiting);
    EXPECT_EQ(with(100).mean.waiting, 0_s);
    EXPECT_GT(with(1).goodput, none.goodput);
}

TEST(FailureSimulation, TakesNoSpareForSoftware) {
    const std::vector<Component> software{{"software", FailureUnit::job, 5000_s, false}};
    const SimulatedRuns simulated =
        simulate_failures(software, kJob, {.mtbf = 5000_s, .pause = 10_s, .background = {}, .restart = 100_s}, 300_s,
                          {.training = 100'000_s, .spares = Spares{0, 1e6 * unit::second}, .runs = 10});
    EXPECT_EQ(simulated.mean.waiting, 0_s);
    EXPECT_GT(simulated.mean.failures, 10);
}

TEST(SparesNeeded, AreAQuantileOfPoisson) {
    // One node in repair on average: more than 3 with 1.9 %, more than 4 with 0.37 %.
    const std::vector<Component> nodes{{"node", FailureUnit::node, 1000_s, true}};
    EXPECT_EQ(spares_needed(nodes, {8, 1}, 1000_s, 0.01), 4);
    EXPECT_EQ(spares_needed(nodes, {8, 1}, 1000_s, 0.02), 3);
    EXPECT_EQ(spares_needed({{{"software", FailureUnit::job, 1000_s, false}}}, {8, 1}, 1000_s, 0.01), 0);
    EXPECT_NEAR(spares_needed(nodes, {8'000, 1'000}, 1000_s, 0.01), 1000 + 2.326 * std::sqrt(1000), 2);
}

}  // namespace failure_simulation_test
}  // namespace dodona::reliability::testing
