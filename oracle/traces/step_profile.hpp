// Where the steps of a trace went: compute by kind, communication, what of it compute does not cover, idle time.
//
// Every moment of a step belongs to one kind of work: to compute wherever some runs, shared equally where several kinds
// do; else to communication; else to copies; else the device is idle. These exposed times add up to the step.
//
// Steps end with the last kernel that was launched in them, since the host runs ahead of the device. The first of several
// steps only says where the second starts. Of a trace without marks the user says how many steps it has.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/quantity.hpp"
#include "traces/device_timeline.hpp"

namespace dodona::traces {

/// In one step.
struct WorkUse {
    Seconds busy;     ///< exposed and hidden
    Seconds exposed;  ///< what the step is longer for
    double calls = 0;
    std::string longest = {};  ///< the kernel that takes most of it
    Seconds longest_busy = {};
};

struct StepProfile {
    std::int64_t steps = 1;    ///< that times are means of
    Seconds step;              ///< adds up from `of` and `idle`
    Seconds fastest, slowest;  ///< single steps
    std::array<WorkUse, kDeviceWorks> of{};
    Seconds idle;
    bool collectives_wait = true;  ///< the time of a collective has the waiting for its slowest rank

    [[nodiscard]] const WorkUse& operator[](DeviceWork work) const { return of[index(work)]; }
    [[nodiscard]] Seconds exposed_communication() const;
};

/// `steps`: of a trace without marks; one of Chakra is of one step unless they say otherwise. Throws InputError where the
/// number of steps is not known, and where marks hold no kernels.
StepProfile step_profile(const DeviceTimeline& timeline, std::optional<std::int64_t> steps);

/// Whether it is a trace that can be read, by the start of a file.
bool is_trace(std::string_view start);

/// Reads a file of either format. Throws InputError.
StepProfile load_step_profile(const std::string& path, std::optional<std::int64_t> steps);

}  // namespace dodona::traces
