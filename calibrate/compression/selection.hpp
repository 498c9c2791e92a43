// Which k elements of a vector are largest in magnitude: exactly, or by a search for the threshold.
//
//   exact       the k-th largest magnitude by radix selection: its bits from the top, 8 in each of four passes
//   threshold   a binary search, from the mean on, keeps two thresholds, one that fewer than k elements exceed and one that
//               at least k reach; all above the first are taken, and the first of those between until there are k
//
// Both take exactly k; the second may take others than the largest between its two thresholds. Of equal magnitudes the
// first in the vector are taken.
// Source: Shi et al., arXiv:2010.10458, algorithm 1 (MSTopK), which searches above the mean only: a k-th largest below the
// mean, or just above it, is then missed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dodona::calibrate {

/// Ascending. Domain: k of at most the number of values, none of which is NaN.
std::vector<std::uint32_t> largest_exactly(std::span<const float> values, std::size_t k);
std::vector<std::uint32_t> largest_by_threshold(std::span<const float> values, std::size_t k, int passes);

}  // namespace dodona::calibrate
