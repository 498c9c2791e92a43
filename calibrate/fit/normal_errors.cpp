#include "calibrate/fit/normal_errors.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace dodona::calibrate {

std::optional<double> unlikeliness(const std::vector<double>& errors,
                                   const std::function<double(std::size_t, std::size_t)>& covariance) {
    const auto size = static_cast<Eigen::Index>(errors.size());
    Eigen::MatrixXd c(size, size);
    for (Eigen::Index i = 0; i < size; ++i) {
        for (Eigen::Index j = 0; j < size; ++j) {
            c(i, j) = covariance(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
        }
    }
    const Eigen::LLT<Eigen::MatrixXd> factors(c);
    if (factors.info() != Eigen::Success) {
        return std::nullopt;
    }
    const Eigen::VectorXd whitened = factors.matrixL().solve(Eigen::VectorXd::Map(errors.data(), size));
    return whitened.squaredNorm() / 2 + factors.matrixLLT().diagonal().array().log().sum();
}

}  // namespace dodona::calibrate
