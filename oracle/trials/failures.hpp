// Trials that fail and are submitted again, as expected values.
//
// An attempt fails at a time that is exponential with mean M, and starts over from its beginning, at the end of the
// queue. With any number of attempts a trial that takes t holds its place for, in all,
//
//   expected time = M (exp(t / M) - 1)
//
// The makespan is the mean of schedules with drawn failures. Not modelled: nodes that stay down, checkpoints.
// Source: Young, "A first order approximation to the optimum checkpoint interval", CACM 17(9), 1974, for exponential
// failures; the expectation is that of a geometric number of failed attempts.
#pragma once

#include <cstdint>

#include "base/quantity.hpp"
#include "trials/mean_time.hpp"
#include "trials/schedule.hpp"

namespace dodona::trials {

struct Failures {
    Seconds mtbf;     ///< M, of a running trial
    int tries = 3;    ///< attempts of a trial, the first included
    int draws = 100;  ///< at least 2
    std::uint64_t seed = 1;
};

struct ExpectedSchedule {
    MeanTime makespan;   ///< over draws
    double failed = 0;   ///< mean number of attempts that fail
    double gave_up = 0;  ///< mean number of trials that never end well
    Seconds work;        ///< mean time of all attempts, added up
};

/// Expected time of one trial with any number of attempts.
Seconds expected_time(Seconds time, Seconds mtbf);

ExpectedSchedule expect_failures(const std::vector<Job>& jobs, const Pool& pool, Policy policy,
                                 const Failures& failures);

}  // namespace dodona::trials
