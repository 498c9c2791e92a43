#include "trials/failures.hpp"

#include <cmath>

#include "simulate/noise.hpp"
#include "simulate/random_bits.hpp"

namespace dodona::trials {

Seconds expected_time(Seconds time, Seconds mtbf) { return std::expm1(time / mtbf) * mtbf; }

ExpectedSchedule expect_failures(const std::vector<Job>& jobs, const Pool& pool, Policy policy,
                                 const Failures& failures) {
    const auto draws = static_cast<double>(failures.draws);
    ExpectedSchedule expected;
    std::vector<Seconds> makespans;
    for (int i = 0; i < failures.draws; ++i) {
        const auto attempt = [&](std::size_t job, int number) {
            simulate::Draws of_attempt(simulate::random_bits(failures.seed, static_cast<std::uint64_t>(i), job,
                                                             static_cast<std::uint64_t>(number)));
            const Seconds fails_at = -std::log(of_attempt.uniform()) * failures.mtbf;
            return Attempt{min(fails_at, jobs[job].time), fails_at < jobs[job].time};
        };
        const Schedule played = schedule(jobs, pool, policy, attempt, failures.tries);
        makespans.push_back(played.makespan);
        expected.gave_up += static_cast<double>(played.gave_up.size()) / draws;
        for (const TrialRun& run : played.runs) {
            expected.failed += (run.failed ? 1 : 0) / draws;
            expected.work += (run.end - run.start) / draws;
        }
    }
    expected.makespan = mean_time(makespans);
    return expected;
}

}  // namespace dodona::trials
