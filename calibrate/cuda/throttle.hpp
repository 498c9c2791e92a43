// Which samples a lowered clock spoils, and when a lowered clock is what the work really gets.
//
// A GPU runs below its clock for two reasons. For a moment (it was idle, or another program drew power): such a sample
// says nothing of the work. Or for as long as this work runs (its power limit): then the lower clock belongs to the
// answer, and rejecting every sample would leave none. So a sample counts whose clock is at least kThrottled of the
// settled one; where kSettledAfter samples in a row are below it, the clock has settled lower, at the best of those.
#pragma once

#include <vector>

namespace dodona::calibrate::cuda {

inline constexpr double kThrottled = 0.9;
inline constexpr int kSettledAfter = 8;

/// Clocks in Hz. One for each case: every case may settle at its own.
class ClockRule {
public:
    /// `best`: the highest clock that this device has shown so far, Hz; zero where none was read.
    explicit ClockRule(double best) : settled_(best) {}

    /// Whether a sample at that clock counts. A clock of zero was not read, and rejects nothing.
    bool accepts(double clock);
    /// What samples are compared with now, Hz.
    [[nodiscard]] double settled() const { return settled_; }

private:
    double settled_;
    std::vector<double> below_;
};

}  // namespace dodona::calibrate::cuda
