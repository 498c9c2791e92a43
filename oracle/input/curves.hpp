// Measured curves in device and cluster files.
#pragma once

#include <vector>

#include "cluster/cluster.hpp"
#include "input/fields.hpp"

namespace dodona::input {

std::vector<cluster::KernelCurve> read_kernel_curves(const Value& curves);

/// Curves of a link are of ranks side by side unless they say otherwise.
enum class RanksPerNode { required, all };
std::vector<cluster::CollectiveCurve> read_collective_curves(const Value& curves, RanksPerNode due);

}  // namespace dodona::input
