// What software adds, fitted to published runs: the free parameters of a framework file inside their physical bounds.
//
//   minimise  sum_i w_g rho( log(predicted_i / measured_i) )  +  sum_k (x_k / 2)^2
//
// rho is the pseudo-Huber loss (outliers of a published table count linearly), w_g = n_g^(-1/2) of a group of n_g runs
// (a large group counts more than a small one, but not as its size), x_k the parameter's logit between its bounds: the
// last term keeps what the runs do not determine near the middle. A parameter's interval (90 %) is
// that of the linearised least squares.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "files/run_table.hpp"
#include "plan/framework.hpp"
#include "validate/questions.hpp"

namespace dodona::calibrate {

struct FrameworkFit {
    plan::Framework framework;
    double error = 0;   ///< mean |predicted / measured - 1| of the runs it was fitted to
    double spread = 0;  ///< of a normal distribution, whose 90 % hold as many of the runs it was fitted to
};

using Progress = std::function<void(const std::string&)>;

/// Of a group of runs: mean |predicted / measured - 1|, and the 90th percentile of |log(predicted / measured)|.
struct GroupError {
    double mean = 0;
    double most = 0;
    std::size_t runs = 0;
    void add(const GroupError& other);  ///< of other runs of the group: the mean of either, weighted by runs
};

/// Of each group, with this framework in its place.
std::map<std::string, GroupError> errors_by_group(const std::vector<files::MeasuredRun>& runs,
                                                  validate::Questions& questions, const plan::Framework& framework);

/// The same with frameworks fitted to all groups but the one; of an only group fitted to four fifths of it in turn. Fits
/// take times to be linear in each parameter (a prediction of all runs for each, not some hundred for each group); errors
/// are of predictions with what they find.
std::map<std::string, GroupError> errors_held_out(const std::vector<files::MeasuredRun>& runs,
                                                  validate::Questions& questions, const plan::Framework& start);

/// What is left unexplained, as the standard deviation of a normal distribution of log time: the larger of what the
/// runs fitted to leave and what the middle one of the groups leaves when it is held out.
double spread_of(const FrameworkFit& fitted, const std::map<std::string, GroupError>& held_out);

/// `runs`: all of them are asked with the framework. Runs without a time, or that cannot be asked, are left out.
FrameworkFit fit(const std::vector<files::MeasuredRun>& runs, validate::Questions& questions,
                 const plan::Framework& start, const Progress& progress);

}  // namespace dodona::calibrate
