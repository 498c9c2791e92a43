// Least squares on Eigen, for every fit: of any function by Levenberg-Marquardt, and of linear ones that stay positive.
//
// Source: Eigen's unsupported module NonLinearOptimization (MINPACK's lmder) with numerical derivatives; Lawson and
// Hanson, Solving Least Squares Problems (1974), chapter 23 (non-negative least squares; here by trying all subsets).
#pragma once

#include <cmath>
#include <functional>

#include <Eigen/Core>

namespace dodona::calibrate {

/// A parameter that stays between two bounds: the logistic function of a free number, of its logarithm where it may
/// differ by orders of magnitude.
struct Bounds {
    double least = 0;
    double most = 0;
    bool logarithmic = false;

    [[nodiscard]] double value(double free) const {
        const double reciprocal = 1 + std::exp(-free);
        return logarithmic ? least * std::pow(most / least, 1 / reciprocal) : least + (most - least) / reciprocal;
    }
    [[nodiscard]] double share(double value) const {
        return logarithmic ? std::log(value / least) / std::log(most / least) : (value - least) / (most - least);
    }
    /// The free number of a share between 0 and 1.
    [[nodiscard]] static double free(double share) { return std::log(share / (1 - share)); }
};

/// Writes the residuals at a point; their number is always the same.
using Residuals = std::function<void(const Eigen::VectorXd& at, Eigen::VectorXd& residuals)>;

struct LeastSquaresOptions {
    double derivative_step = 1e-8;  ///< relative, squared
    double tolerance_of_residuals = 1e-6;
    double tolerance_of_parameters = 1e-6;
    int most_evaluations = 400;
    int most_steps = 400;
    double first_step = 100;                            ///< its bound, in lengths of the start
    std::function<void(int step, double norm)> report;  ///< after each step; may be empty
};

struct LeastSquares {
    Eigen::VectorXd at;
    Eigen::VectorXd residuals;
    /// The covariance of the parameters over the variance of the residuals, linearised: (J'J)^-1.
    Eigen::MatrixXd covariance;
};

LeastSquares least_squares(const Residuals& function, Eigen::Index residuals, Eigen::VectorXd start,
                           const LeastSquaresOptions& options = {});

/// The x with no negative element and the least |A x - b|. A has few columns.
Eigen::VectorXd non_negative_least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

}  // namespace dodona::calibrate
