// Trials played on nodes: when each runs, how long all take, and how far from the best possible that is.
//
//   lower = max(sum of times / m, longest time)           m: trials that run at once, where all take the same
//   list schedule <= (2 - 1/m) best,   longest first <= (4/3 - 1/(3 m)) best
//
// Where trials take different numbers of units, lower has the share of the scarcer unit in place of m, and no factor is
// guaranteed. Times are those given; waiting for a node's start and moving data are part of them or left out.
// Source: Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17(2), 1969, theorems 1 and 2.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/quantity.hpp"
#include "trials/scheduler.hpp"

namespace dodona::trials {

/// One attempt of a trial.
struct TrialRun {
    std::size_t job = 0;
    Place place;
    Seconds start;
    Seconds end;
    bool failed = false;
};

struct Schedule {
    std::vector<TrialRun> runs;  ///< in the order of their starts
    Seconds makespan;
    double utilisation = 0;            ///< share of the scarcer unit that runs hold until the makespan
    std::vector<std::size_t> gave_up;  ///< jobs whose last attempt failed
};

/// How long an attempt takes, and whether it fails then.
struct Attempt {
    Seconds time;
    bool fails = false;
};
/// `attempt`: 0 for the first.
using Attempts = std::function<Attempt(std::size_t job, int attempt)>;

/// Every job once, as long as it says.
Schedule schedule(const std::vector<Job>& jobs, const Pool& pool, Policy policy);
/// Attempts of any length; a job that fails is submitted again, `tries` times in all. What is expected are the jobs' times.
Schedule schedule(const std::vector<Job>& jobs, const Pool& pool, Policy policy, const Attempts& attempts, int tries);

struct Bounds {
    Seconds lower;                      ///< no schedule is shorter
    std::optional<double> list_factor;  ///< any list schedule over the best; none: not known
    std::optional<double> lpt_factor;   ///< longest first over the best
    std::optional<std::int64_t> slots;  ///< m; none: trials differ in what they take
};
Bounds bounds(const std::vector<Job>& jobs, const Pool& pool);

/// Share of the pool's scarcer unit that runs hold until `end`.
double utilisation(const std::vector<TrialRun>& runs, const std::vector<Job>& jobs, const Pool& pool, Seconds end);

}  // namespace dodona::trials
