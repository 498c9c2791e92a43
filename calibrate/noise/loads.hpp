// The loops of the loads, each on a thread of the noise process. They never return: the process is ended from outside.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "calibrate/noise/noise.hpp"

namespace dodona::calibrate {

/// Counters that the loads write and the parent process reads.
struct LoadCounters {
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint64_t> spins{0};
};

/// The time of a pattern, which begins once every load is ready.
class PatternClock {
public:
    explicit PatternClock(const NoisePattern& pattern) : pattern_(pattern) {}
    /// Of a load's thread: it is ready. Returns once the pattern begins.
    void ready();
    /// Waits until so many are ready, and begins. Returns when that was.
    std::chrono::steady_clock::time_point begin(int loads);
    /// Whether the load is on now; sleeps to the phase's end where it is not.
    [[nodiscard]] bool on(Load load) const;

private:
    [[nodiscard]] NoisePattern::Now now() const;

    const NoisePattern& pattern_;
    std::atomic<int> ready_{0};
    std::atomic<bool> begun_{false};
    std::chrono::steady_clock::time_point begin_;
};

/// Starts every thread that the settings ask for, and returns how many will be ready. Throws std::system_error where a
/// socket or file can't be made.
int start_loads(const NoiseSettings& settings, PatternClock& clock, LoadCounters& counters);

}  // namespace dodona::calibrate
