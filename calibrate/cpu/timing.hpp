// How long a job takes on a CPU that others share.
//
// The least of many samples; a sample in which the scheduler took the CPU away does not count ("switched"). Every
// sample begins with cold caches (CacheFlush), as a layer of a training step finds them; "hot" is the least time right
// after a run. Where none of the first samples goes unswitched, those of one thread are of its CPU time instead and the
// words say `clock: process`; those of several are of wall time, and the words say that they were switched.
// Source: rejecting switched samples and CPU time within 3 % where wall time spreads 87 %: see ARCHITECTURE.md.
#pragma once

#include "calibrate/cpu/caches.hpp"
#include "calibrate/cpu/job.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cpu {

/// `threads` is how many the job runs on. Values: "cpu" (CPU seconds of the best sample, of all threads), "hot" or, of
/// jobs that are measured warm, "cold", the parts of the best sample by name, and what stands beside the job.
Measurement measure(const Case& asked, const Job& job, int threads, const Settings& settings, const CacheFlush& flush);

/// CPU time of all threads of this process so far.
double cpu_seconds();

/// Least wall time of one run among runs back to back; short ones are timed many at a time.
Seconds hot_time(const Job& job, Seconds limit);

}  // namespace dodona::calibrate::cpu
