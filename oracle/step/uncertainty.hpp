// The interval of a step's time, from the errors of its sources.
//
//   hi = T (1 + sqrt( sum_k (s_k a_k)^2 + (e^{q w} - 1)^2 ))      s_k  d log T / d log(source k)
//   lo = T (1 - sqrt( sum_k (s_k b_k)^2 + (1 - e^{-q w})^2 ))     a_k, b_k  relative errors of source k, up and down
//
// w^2 = spread^2 + between_sources^2 of the framework: standard deviations of the unexplained log time on runs that
// nothing was fitted to, of one source and of all runs of a source together; q = kNormal90. Sources with negative share (more hiding, less exposed time) swap sides. a_k and b_k combine the
// errors of kernels and links with the interval of the framework's own parameter, as independent errors. Observed steps
// reduce the variance: sigma^2 -> sigma^2 - s' E s, with E of the framework (plan/framework.hpp). `spread` in the
// framework's file scales all intervals.
#pragma once

#include <array>
#include <cmath>

#include "cost/error_source.hpp"

namespace dodona::step {

/// Standard deviations of a normal distribution for a two-sided interval of 90 %.
inline constexpr double kNormal90 = 1.6449;

/// Share of the variance spread^2 that is a layout's own; plans for one job on one machine share the rest. Source:
/// published runs of 137 jobs with several layouts: 0.57 of the variance is within jobs, 0.06 to 0.8 by group.
inline constexpr double kLayoutPart = 0.5;

struct SourceError {
    double share = 0;  ///< d log T / d log(source)
    double below = 0;  ///< relative error downwards, at the interval's level
    double above = 0;  ///< ... and upwards
    /// Standard deviation; the mean of both sides.
    [[nodiscard]] double sigma() const { return (below + above) / 2 / kNormal90; }
};

struct Uncertainty {
    std::array<SourceError, cost::kErrorSources.size()> sources{};  ///< in the order of cost::kErrorSources
    double spread = 0;
    double between_sources = 0;
    /// Standard deviation of all that no source of error explains.
    [[nodiscard]] double unexplained() const { return std::hypot(spread, between_sources); }
};

/// `is_beyond_fit`: of a plan, Plan::is_beyond_fit.
Uncertainty uncertainty(const cost::StepTimes& sources, Seconds step, const plan::Framework& framework,
                        bool is_beyond_fit = false);

Estimate interval(const Uncertainty& uncertainty, Seconds step, const plan::Framework& framework);

/// Standard deviation of log(T_a / T_b) of two plans for one job; equal shares of a source cancel, and what runs of one
/// source share (g, between_sources), which is more for plans beyond the fit.
///   sigma^2 = sum_k (s_k^a sigma_k^a - s_k^b sigma_k^b)^2 + 2 kLayoutPart spread^2 + |g_a^2 - g_b^2|
double difference(const Uncertainty& a, const Uncertainty& b, const plan::Framework& framework);

/// The same of two plans in different software, none of it observed: nothing that is unexplained is shared.
///   sigma^2 = sum_k (s_k^a sigma_k^a - s_k^b sigma_k^b)^2 + w_a^2 + w_b^2
double difference_of_software(const Uncertainty& a, const Uncertainty& b);

}  // namespace dodona::step
