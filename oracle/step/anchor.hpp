// Calibrates a framework to observed steps: a Bayesian linear update of its log parameters.
//
//   r_i = log(measured_i / predicted_i) = sum_k s_ik theta_k + noise        s_ik  d log T_i / d log parameter k
//   prior      theta = B z,  z ~ N(0, 1):  theta_k = sigma_k z_k + w z_c [k is a time]
//   posterior  z = A' K^-1 r,   K = A A' + N,   cov z = 1 - A' K^-1 A,   cov theta = B (cov z) B'
//
// A: a row for each run, d r_i / d z. sigma_k: from the evidence and the parameter's own interval (uncertainty.hpp).
// w^2: what no parameter explains, spread^2 + between_sources^2 of the framework. z_c: that error of the run that is asked
// about, as far as other runs know of it: all but kRunPart of spread^2; all of it where this very run was observed; all but
// kLayoutPart where any layout may be asked about (a search). Errors of two runs correlate by likeness.hpp: those of
// `spread` as runs do, those of `between_sources`, which all runs of a user share in any layout, as the square of
// what jobs do: with the powers 1, 1.5, 2 and 3 some 15.1, 14.4, 14.0 and 13.8 % are left after one step of each user on 515
// runs that nothing was fitted to, 10.2, 10.2, 10.3 and 10.5 % on 337 others. N: their covariance given z_c, and kRepeat^2
// for each run. Steps are predicted again after every update (Gauss-Newton), since the shares s_ik depend on the
// parameters. All errors are taken to be s times as large as was thought, s^2 = (v + r' K^-1 r) / (v + runs), v =
// kScaleFreedom: a user whose steps are far off, or scatter, gets wider intervals.
// Not modelled: separate errors of links inside and between nodes (they are one parameter); kernels of networks whose
// samples were measured as a whole are not adjusted.
#pragma once

#include <functional>

#include "step/likeness.hpp"
#include "step/uncertainty.hpp"

namespace dodona::step {

/// Standard deviation of a repeated run. Assumed: 2.5 %; published tables hardly ever repeat a run.
inline constexpr double kRepeat = 0.025;

/// Standard deviation of a log parameter that is uncertain by any factor: 90 % within a factor of 3.7.
inline constexpr double kMaxSigma = 0.8;

/// Degrees of freedom of what is thought of the size of errors before any run is observed. Our assumption. With it 90, 86
/// and 89 % of 1,825, 1,592 and 1,451 published runs lie in their 90 % intervals once 1, 3 and 5 others of each user are
/// observed, without it 88, 85 and 86 % (`dodona validate runs.csv --anchor K`).
inline constexpr double kScaleFreedom = 4;

/// Standard deviations that observed steps can move an error by: a run that is off by more had another fault, and narrows
/// no interval.
inline constexpr double kMaxShift = 2;

/// A measured step and its prediction.
struct Observation {
    Uncertainty uncertainty;
    Seconds predicted;
    Seconds measured;
    RunKind run;
};

/// Predicts all observed steps with a framework.
using Observe = std::function<std::vector<Observation>(const plan::Framework&)>;

/// The framework for the run that is asked about, with updated values and `observed` set. Values stay within the range of
/// their parameters. `asked`: its layout is empty where any may be asked about.
plan::Framework anchored(const plan::Framework& framework, const Observe& observe, const RunKind& asked = {});

/// Share of a measured step whose lack of an explanation is worth a sentence. Assumed: three times what repeated runs vary.
inline constexpr double kUnexplained = 3 * kRepeat;

/// Makes an `anchored` framework give a plan's own measured step, within kRepeat. `step`: the plan's step under a framework.
/// The time that parameters leave is a fixed one; a step shorter than they allow shortens all its parts by one factor.
void hold_to(plan::Framework& framework, Seconds measured, const std::function<Seconds(const plan::Framework&)>& step);

}  // namespace dodona::step
