// Accesses that follow Zipf's law, and what a cache of the most used rows hits of them.
//
//   p(i) ~ 1 / i^s,  i = 1 ... n         hit rate of the first c rows = H(c, s) / H(n, s)
//   H(n, s) = sum of 1 / i^s up to n
//
// s = 0: every row alike, and the hit rate is c / n. The sum is exact up to kExactTerms; the rest is its integral with the
// first correction of Euler and Maclaurin, relative error below 1e-9.
// Not modelled: what a real cache keeps (least recently used rows hit less), rows that change rank over time.
// Source: Breslau et al., "Web caching and Zipf-like distributions", INFOCOM 1999, section IV.
#pragma once

namespace dodona::tables {

inline constexpr double kExactTerms = 1000;

/// H(n, s); n at least 1, whole or not.
double generalised_harmonic(double n, double s);

/// Of a cache of `cached` of `rows` rows; 1 where it has all.
double hit_rate(double cached, double rows, double s);

}  // namespace dodona::tables
