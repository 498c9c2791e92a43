// Parameters moved to steps that were observed: a Bayesian linear update of a framework's log parameters.
//
//   r_i = log(measured_i / predicted_i) = sum_k s_ik theta_k + noise        s_ik  d log T_i / d log parameter k
//   prior      theta = B z,  z ~ N(0, 1):  theta_k = sigma_k z_k + tau z_c [k is a time]
//   posterior  z = M^-1 (A B)' r / rho^2,   M = 1 + (A B)' (A B) / rho^2,   cov theta = B M^-1 B'
//
// sigma_k: evidence and the parameter's own interval (uncertainty.hpp). What the framework leaves unexplained,
// `spread`, has a part that all plans of this composed and machine share, tau^2 = (1 - kLayoutPart) spread^2, which moves
// all times alike, and a part of each layout's own, kLayoutPart spread^2; with kRepeat^2, the spread of one run
// repeated, that is rho^2. With one run this is  theta_k = sigma_k^2 s_k r / (sum_j sigma_j^2 s_j^2 + tau^2 + rho^2)
// and the shared part. Steps are predicted anew after every move (Gauss-Newton), since shares change as parameters do.
// Not modelled: errors of links inside nodes and between nodes move together (one parameter); where kernels were
// measured for the whole network nothing about them is moved.
#pragma once

#include <functional>
#include <span>

#include "step/uncertainty.hpp"

namespace dodona::step {

/// One run repeated spreads by two to three per cent where the published tables have repeats (ACCURACY, floors).
inline constexpr double kRepeat = 0.025;

/// A step that was measured, and what was predicted for it.
struct Observation {
    Uncertainty uncertainty;
    Seconds predicted;
    Seconds measured;
};

/// Predicts all that was observed anew.
using Observe = std::function<std::vector<Observation>(const plan::Framework&)>;

/// The framework with its values moved, and `observed` set. Values stay inside what their parameters may be.
plan::Framework anchored(const plan::Framework& framework, const Observe& observe);

}  // namespace dodona::step
