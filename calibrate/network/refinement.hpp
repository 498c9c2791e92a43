// Which sizes to measure next: bisection where a table is not smooth.
//
// Each size between the first and the last of a table is asked of the others by the oracle's own interpolation
// (cost/collective_curve.hpp). Where they miss it by more than 5 %, something happens near it (a protocol ends, a cache
// is full), and the intervals on both its sides are halved, on the logarithm of the size. The caller measures those and
// asks again, until nothing is missed, intervals are finer than a quarter of an octave, or a table has 40 sizes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

inline constexpr double kMissed = 0.05;
inline constexpr double kFinestInterval = 1.19;  ///< the larger over the smaller size; a quarter of an octave
inline constexpr std::size_t kMaxSizes = 40;

/// Of collectives and of messages back and forth, one group alone, that `backend` measured (empty: any but imports,
/// which are nothing to measure again). Cases that its records hold already, failed ones too, are not asked again.
std::vector<Case> refinements(std::span<const Record> records, std::string_view backend = {});

}  // namespace dodona::calibrate
