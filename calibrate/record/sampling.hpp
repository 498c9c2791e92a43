// When there are enough samples, and which of them count.
//
// Not after a fixed number: once the relative width of the middle half has settled (the last kPlateau estimates of
// (q3 - q1) / median lie within kSettled of each other) and at least kFewest are there, or the time is spent. The
// caller
// shuffles the order of cases.
// Source: NVBench, docs/benchmarks.md, "stdrel" and "entropy" stopping criteria: stop when noise no longer falls.
#pragma once

#include <functional>
#include <string>

#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

inline constexpr int kFewest = 10;
inline constexpr int kPlateau = 5;
inline constexpr double kSettled = 0.02;

/// One sample: its time, or why it does not count ("throttled", "switched").
struct Timed {
    Seconds time;
    std::string rejected = {};
};

struct SamplingRule {
    Estimator estimator = Estimator::median;
    int fewest = kFewest;
    int most = 10'000;
    Seconds limit = 2_s;  ///< of wall time; `fewest` samples are taken all the same where one is short
};

/// Samples until the rule is met. Throws CannotMeasure where every sample was rejected.
Statistics sample(const SamplingRule& rule, const std::function<Timed()>& once);

}  // namespace dodona::calibrate
