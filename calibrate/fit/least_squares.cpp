#include "calibrate/fit/least_squares.hpp"

#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

namespace dodona::calibrate {

namespace {

/// A function as Eigen asks for it.
struct EigenFunction {
    using Scalar = double;
    using InputType = Eigen::VectorXd;
    using ValueType = Eigen::VectorXd;
    using JacobianType = Eigen::MatrixXd;
    static constexpr int InputsAtCompileTime = Eigen::Dynamic;
    static constexpr int ValuesAtCompileTime = Eigen::Dynamic;

    const Residuals* function;
    int parameters;
    int residuals;

    [[nodiscard]] int inputs() const { return parameters; }
    [[nodiscard]] int values() const { return residuals; }
    int operator()(const Eigen::VectorXd& at, Eigen::VectorXd& found) const {
        (*function)(at, found);
        return 0;
    }
};

}  // namespace

LeastSquares least_squares(const Residuals& function, Eigen::Index residuals, Eigen::VectorXd start,
                           const LeastSquaresOptions& options) {
    using Derived = Eigen::NumericalDiff<EigenFunction>;
    Derived derived(EigenFunction{&function, static_cast<int>(start.size()), static_cast<int>(residuals)},
                    options.derivative_step);
    Eigen::LevenbergMarquardt<Derived> solver(derived);
    solver.parameters.factor = options.first_step;
    solver.parameters.ftol = options.tolerance_of_residuals;
    solver.parameters.xtol = options.tolerance_of_parameters;
    solver.parameters.maxfev = options.most_evaluations;
    auto status = solver.minimizeInit(start);
    for (int step = 1; step <= options.most_steps && status != Eigen::LevenbergMarquardtSpace::ImproperInputParameters;
         ++step) {
        status = solver.minimizeOneStep(start);
        if (options.report) {
            options.report(step, solver.fnorm);
        }
        if (status != Eigen::LevenbergMarquardtSpace::Running) {
            break;
        }
    }
    Eigen::MatrixXd jacobian(residuals, start.size());
    derived.df(start, jacobian);
    return {
        .at = std::move(start), .residuals = solver.fvec, .covariance = (jacobian.transpose() * jacobian).inverse()};
}

Eigen::VectorXd non_negative_least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
    // Columns of like size: a start and a time per byte differ by nine orders of magnitude.
    const Eigen::VectorXd scale = a.cwiseAbs().colwise().maxCoeff().transpose();
    const Eigen::MatrixXd scaled = a * scale.cwiseInverse().asDiagonal();
    Eigen::VectorXd best = Eigen::VectorXd::Zero(a.cols());
    double least = std::numeric_limits<double>::infinity();
    for (unsigned chosen = 1; chosen < 1U << a.cols(); ++chosen) {
        std::vector<Eigen::Index> columns;
        for (Eigen::Index i = 0; i < a.cols(); ++i) {
            if ((chosen >> i & 1U) != 0) {
                columns.push_back(i);
            }
        }
        const Eigen::VectorXd found = scaled(Eigen::all, columns).colPivHouseholderQr().solve(b);
        const double misfit = (scaled(Eigen::all, columns) * found - b).squaredNorm();
        if (found.minCoeff() >= 0 && misfit < least) {
            least = misfit;
            best.setZero();
            best(columns) = found;
        }
    }
    return best.cwiseQuotient(scale);
}

}  // namespace dodona::calibrate
