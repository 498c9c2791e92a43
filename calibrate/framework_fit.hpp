// What software adds, fitted to published runs: the free parameters of a framework file inside their physical bounds.
//
//   minimise  sum_i w_g rho( log(predicted_i / measured_i) )  +  sum_k (x_k / 2)^2
//
// rho is the pseudo-Huber loss (outliers of a published table count linearly), w_g = n_g^(-1/2) of a group of n_g runs
// (a large group counts more than a small one, but not as its size), x_k the parameter's logit between its bounds: the
// last term keeps what the runs do not determine near the middle. Solved by Eigen's Levenberg-Marquardt with numerical
// derivatives. A parameter's interval (90 %) is that of the linearised least squares.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "input/run_table.hpp"
#include "plan/framework.hpp"
#include "validate/questions.hpp"

namespace dodona::calibrate {

struct FrameworkFit {
    plan::Framework framework;
    double error = 0;   ///< mean |predicted / measured - 1| of the runs it was fitted to
    double spread = 0;  ///< standard deviation of log(predicted / measured), outliers clipped
    int evaluations = 0;
};

using Told = std::function<void(const std::string&)>;

/// Mean |error| of each group with this framework in its place.
std::map<std::string, double> errors_by_group(const std::vector<input::Run>& runs, validate::Questions& questions,
                                              const plan::Framework& framework);

/// `runs`: all of them are asked with the framework. Runs without a time, or that cannot be asked, are left out.
FrameworkFit fit(const std::vector<input::Run>& runs, validate::Questions& questions, const plan::Framework& start,
                 const Told& told);

}  // namespace dodona::calibrate
