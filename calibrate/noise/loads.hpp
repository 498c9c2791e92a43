// The loops of the loads, each on a thread of the noise process. They never return: the process is ended from outside.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "calibrate/noise/noise.hpp"

namespace dodona::calibrate {

/// What the loads write and whoever started them reads.
struct LoadCounters {
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint64_t> spins{0};
};

/// Seconds since the pattern began.
class PatternClock {
public:
    PatternClock(const NoisePattern& pattern, std::chrono::steady_clock::time_point begin)
        : pattern_(pattern), begin_(begin) {}
    /// Whether the load is on now; sleeps a little, or to the phase's end, where it is not.
    [[nodiscard]] bool on(Load load) const;
    [[nodiscard]] NoisePattern::Now now() const;

private:
    const NoisePattern& pattern_;
    std::chrono::steady_clock::time_point begin_;
};

/// Starts every thread that the settings ask for. Throws std::system_error where a socket or file can't be made.
void start_loads(const NoiseSettings& settings, const PatternClock& clock, LoadCounters& counters);

}  // namespace dodona::calibrate
