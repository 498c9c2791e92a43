// When every task ran, and what each one waited for.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.hpp"
#include "simulate/ids.hpp"

namespace dodona::simulate {

/// What a stretch of a task waited for last: the end of a task's last stretch (numbers below the number of tasks) or of
/// an earlier stretch (the others, in the order of Timeline::stretches).
enum class Cause : std::uint32_t {};
inline constexpr Cause kNoCause{0xffffffffU};

/// Part of a task that gave way to one of higher priority.
struct Stretch {
    TaskId task{};
    Seconds start;
    Seconds end;
    Cause cause = kNoCause;
};

struct Timeline {
    Seconds makespan;  ///< the end of the last task
    // Of each task:
    std::vector<Seconds> start;  ///< of its first stretch
    std::vector<Seconds> end;
    std::vector<Cause> cause;           ///< of its last stretch
    std::vector<Seconds> last_start;    ///< of its last stretch; empty: no task was interrupted
    std::vector<Stretch> stretches;     ///< all but the last ones of tasks that were interrupted
    std::vector<Seconds> busy;          ///< of each resource: time with a task or held
    std::vector<Seconds> time_of_kind;  ///< of each kind: running time of its tasks, added up
};

}  // namespace dodona::simulate
