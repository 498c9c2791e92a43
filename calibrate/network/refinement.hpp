// Which sizes to measure next: bisection where a table is not smooth.
//
// Each size between the first and the last of a table is asked of the others by the oracle's own interpolation
// (cost/collective_curve.hpp). Where they miss it by more than 5 %, something happens near it (a protocol ends, a cache
// is full), and the intervals on both its sides are halved, on the logarithm of the size. Whoever measures those asks
// again, until nothing is missed, intervals are finer than a quarter of an octave, or a table has 40 sizes.
#pragma once

#include <span>
#include <vector>

#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

inline constexpr double kMissed = 0.05;
inline constexpr double kFinestInterval = 1.19;  ///< the larger over the smaller size; a quarter of an octave
inline constexpr std::size_t kMostSizes = 40;

/// Of collectives and of messages back and forth, one group alone, that one back end measured; cases that the records
/// hold already, failed ones too, are not asked again. Imported records are nothing to measure again.
std::vector<Case> refinements(std::span<const Record> records);

}  // namespace dodona::calibrate
