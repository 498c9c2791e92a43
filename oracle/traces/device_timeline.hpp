// What ran on a device and when, as a trace has it, before it is cut into steps. Times count from the first event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/quantity.hpp"
#include "traces/device_work.hpp"

namespace dodona::traces {

/// Names of kernels, each with its number, without arguments of templates and functions.
class KernelNames {
public:
    std::uint32_t number_of(std::string_view name);
    [[nodiscard]] const std::string& operator[](std::uint32_t number) const { return all_[number]; }

    /// Kernels beyond the first so many names share the last number.
    static constexpr std::size_t kMax = 10'000;
    static constexpr std::size_t kLongest = 60;  ///< characters that are kept

private:
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<std::string> all_;
};

/// A step as the host saw it: the profiler's "ProfilerStep#7".
struct StepMark {
    Seconds start, end;
};

struct DeviceRun {
    Seconds start, end;
    std::int64_t launch = 0;  ///< its number; 0: not known
    std::uint32_t name = 0;
    DeviceWork work = DeviceWork::passes;
};

struct DeviceTimeline {
    Location whole;
    std::vector<StepMark> marks;
    std::vector<DeviceRun> runs;
    std::vector<std::pair<std::int64_t, Seconds>> launches;  ///< on the host: number, start
    KernelNames names;
    bool collectives_wait = true;  ///< the time of a collective has the waiting for its slowest rank

    void add(const DeviceRun& run);

    /// Kernels of a trace; more are refused.
    static constexpr std::size_t kMaxRuns = 4'000'000;
};

}  // namespace dodona::traces
