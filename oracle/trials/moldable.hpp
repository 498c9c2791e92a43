// Trials that may run on different numbers of cores or GPUs: how many each takes, so that all end soonest.
//
// For every time d that some choice takes: each trial takes its choice of least work (units x time) among those no longer
// than d; what follows is scheduled. So are all trials on the same number of units. The schedule with the shortest
// makespan counts. One of these d is the longest trial
// of an optimal schedule, for which no choice of less work exists: with times that fall and work that grows with the
// units, a list schedule of it takes no more than twice the best (trials that fit on one node in any mixture).
// Source: Turek, Wolf and Yu, "Approximate algorithms for scheduling parallelizable tasks", SPAA 1992.
#pragma once

#include <vector>

#include "base/quantity.hpp"
#include "trials/schedule.hpp"

namespace dodona::trials {

/// What one trial may be run as; at least one fits.
using Choices = std::vector<Job>;

struct Molded {
    std::vector<std::size_t> chosen;  ///< of each trial, the index of its choice
    std::vector<Job> jobs;            ///< those
    Schedule schedule;
    Seconds lower;  ///< no choice and no schedule is shorter
};

/// At most so many values of d are tried, evenly among all.
inline constexpr std::size_t kMaxDeadlines = 200;

Molded mold(const std::vector<Choices>& trials, const Pool& pool, Policy policy);

}  // namespace dodona::trials
