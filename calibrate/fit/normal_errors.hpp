// How likely correlated normal errors are, on Eigen.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace dodona::calibrate {

/// -log of the density of errors with mean 0, without its constant: (e' C^-1 e + log det C) / 2. None where C is not
/// positive definite.
std::optional<double> unlikeliness(const std::vector<double>& errors,
                                   const std::function<double(std::size_t, std::size_t)>& covariance);

}  // namespace dodona::calibrate
