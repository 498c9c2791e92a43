// Rounds: of many micro-batches, as many as there are stages pass the steady state of a schedule like those before them.
#pragma once

#include <cstdint>

#include "schedule/schedule.hpp"

namespace dodona::schedule {

/// Rounds that show a schedule's steady state, its beginning and its end. Found by playing (tests/step, tests/schedule).
inline constexpr std::int32_t kRounds = 8;

/// Micro-batches of a shorter step with all but kRounds whole rounds left out and the same remainder.
constexpr std::int64_t without_rounds(std::int64_t micro_batches, std::int64_t stages) {
    const std::int64_t more = micro_batches / stages - kRounds;
    return more > 0 ? micro_batches - more * stages : micro_batches;
}

}  // namespace dodona::schedule
