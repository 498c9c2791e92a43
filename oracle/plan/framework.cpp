#include "plan/framework.hpp"

#include <numeric>

#include "base/check.hpp"

namespace dodona::plan {

Framework::Framework() {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double neutral = kFrameworkParameters[i].neutral;
        numbers[i] = {neutral, neutral, neutral, std::nullopt, {}};
    }
}

double Framework::Observed::explained(const ByParameter& d) const {
    double sum = 0;
    for (std::size_t i = 0; i < learnt.size(); ++i) {
        sum += d[i] * std::inner_product(d.begin(), d.end(), learnt[i].begin(), 0.0);
    }
    return sum;
}

double Framework::slow_down(graph::KernelKind kind) const {
    switch (kind) {
        case graph::KernelKind::matmul: return (*this)[FrameworkParameter::matmul];
        case graph::KernelKind::convolution: return (*this)[FrameworkParameter::convolution];
        case graph::KernelKind::attention: return (*this)[FrameworkParameter::attention];
        case graph::KernelKind::stream: return (*this)[FrameworkParameter::stream];
        case graph::KernelKind::gather: return (*this)[FrameworkParameter::gather];
        case graph::KernelKind::recurrent: return (*this)[FrameworkParameter::recurrent];
    }
    throw InternalError("a kind of kernel without a slow-down");
}

}  // namespace dodona::plan
