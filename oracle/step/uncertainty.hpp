// How far off a step may be, from the errors of what it rests on.
//
//   hi = T (1 + sqrt( sum_k (s_k a_k)^2 + (e^{q w} - 1)^2 ))      s_k  d log T / d log(source k)
//   lo = T (1 - sqrt( sum_k (s_k b_k)^2 + (1 - e^{-q w})^2 ))     a_k, b_k  what the source may be above, below; 90 %
//
// w is the framework's `spread`: what is left unexplained on runs that nothing was fitted to, a standard deviation of
// log time; q = kNormal90. A source of negative share (what hides more shows less) swaps its sides. a_k and b_k join
// the evidence of kernels and links with the interval of the framework's own parameter, as independent. What was
// observed takes away from the variance: sigma^2 -> sigma^2 - s' E s, E of the framework (plan/framework.hpp). The one
// place to make intervals wider or narrower on the whole is `spread` in the framework's file.
#pragma once

#include <array>

#include "cost/error_source.hpp"

namespace dodona::step {

/// Standard deviations of a normal distribution that hold 90 % on both sides together.
inline constexpr double kNormal90 = 1.6449;

/// Of `spread`, as variances, the part that is a layout's own: two plans for one job on one machine share the rest.
/// Source: published runs of 137 jobs with several layouts: 0.57 of the variance is inside jobs, 0.06-0.8 by group.
inline constexpr double kLayoutPart = 0.5;

struct SourceError {
    double share = 0;  ///< d log T / d log(source)
    double below = 0;  ///< the source may be smaller by this share of itself, at the interval's level
    double above = 0;
    /// Standard deviation, of both sides on the average.
    [[nodiscard]] double sigma() const { return (below + above) / 2 / kNormal90; }
};

struct Uncertainty {
    std::array<SourceError, cost::kErrorSources.size()> sources{};  ///< in the order of cost::kErrorSources
    double spread = 0;
};

Uncertainty uncertainty(const cost::StepTimes& sources, Seconds step, const plan::Framework& framework);

Estimate interval(const Uncertainty& uncertainty, Seconds step, const plan::Framework& framework);

/// Standard deviation of log(T_a / T_b) of two plans for one composed: sources that both rest on alike drop out.
///   sigma^2 = sum_k (s_k^a sigma_k^a - s_k^b sigma_k^b)^2 + 2 kLayoutPart spread^2
double difference(const Uncertainty& a, const Uncertainty& b, const plan::Framework& framework);

}  // namespace dodona::step
