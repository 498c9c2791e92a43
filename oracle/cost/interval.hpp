// How far off a time may be, by the evidence behind it.
#pragma once

#include "base/estimate.hpp"

namespace dodona::cost {

/// A time that held-out points missed by at most `error` (a ratio) at the interval's level: the truth may be as much
/// above as below, in proportion.
constexpr Estimate within(Seconds time, double error) { return {time, time / (1 + error), time * (1 + error)}; }

}  // namespace dodona::cost
