// Calibrates a framework to observed steps: a Bayesian linear update of its log parameters.
//
//   r_i = log(measured_i / predicted_i) = sum_k s_ik theta_k + noise        s_ik  d log T_i / d log parameter k
//   prior      theta = B z,  z ~ N(0, 1):  theta_k = sigma_k z_k + tau z_c [k is a time]
//   posterior  z = M^-1 (A B)' r / rho^2,   M = 1 + (A B)' (A B) / rho^2,   cov theta = B M^-1 B'
//
// sigma_k: from the evidence and the parameter's own interval (uncertainty.hpp). The unexplained error w of the
// framework, its `spread` and `between_sources`, has two parts. All plans of one job on one machine share
// tau^2 = (1 - kLayoutPart) w^2, which scales all times alike. Each layout has kLayoutPart w^2 of its own, which together
// with the repeatability kRepeat^2 is rho^2. For one run  theta_k = sigma_k^2 s_k r / (sum_j sigma_j^2 s_j^2 + tau^2 + rho^2)
// and the shared part. Steps are predicted again after every update (Gauss-Newton), since the shares s_ik depend on the parameters.
// Not modelled: separate errors of links inside and between nodes (they are one parameter); kernels of networks whose
// samples were measured as a whole are not adjusted.
#pragma once

#include <functional>
#include <span>

#include "step/uncertainty.hpp"

namespace dodona::step {

/// Standard deviation of a repeated run: 2 to 3 % where the published tables have repeats (the project's notes on
/// accuracy, floors).
inline constexpr double kRepeat = 0.025;

/// Standard deviation of a log parameter that is uncertain by any factor: 90 % within a factor of 3.7.
inline constexpr double kMostSigma = 0.8;

/// Standard deviations that observed steps can move an error by: a run that is off by more had another fault.
inline constexpr double kMostMoved = 2;

/// A measured step and its prediction.
struct Observation {
    Uncertainty uncertainty;
    Seconds predicted;
    Seconds measured;
};

/// Predicts all observed steps with a framework.
using Observe = std::function<std::vector<Observation>(const plan::Framework&)>;

/// The framework with updated values and `observed` set. Values stay within the range of their parameters.
plan::Framework anchored(const plan::Framework& framework, const Observe& observe);

}  // namespace dodona::step
