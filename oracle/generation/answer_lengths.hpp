// Lengths of answers from their mean and the longest, and as many lengths as there are answers.
//
// With only the mean m and the longest L known, lengths have the distribution of the most entropy
// (Jaynes, Phys. Rev. 106, 620, 1957):
//
//   p(x) ~ exp(-k x) on (0, L],  k such that the mean is m
//
// At m = L / 2 all lengths are as likely; below it most are short, above it many are near L, as where answers are cut off there.
// Not modelled: answers to one prompt whose lengths are correlated.
#pragma once

#include <cstdint>
#include <vector>

#include "lengths/distribution.hpp"

namespace dodona::generation {

/// In whole tokens or more. Domain: 1 <= mean <= longest; all are as long where they are equal.
lengths::Distribution answer_lengths(double mean, double longest);

/// Lengths at `count` evenly spaced quantiles, in a fixed random order.
std::vector<double> drawn_lengths(const lengths::Distribution& lengths, std::int64_t count);

}  // namespace dodona::generation
