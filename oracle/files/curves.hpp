// Measured curves in device and cluster files, and what profiles share with them.
#pragma once

#include <array>
#include <vector>

#include "cluster/cluster.hpp"
#include "files/fields.hpp"

namespace dodona::files {

inline constexpr std::array kKernelKinds{graph::KernelKind::matmul,    graph::KernelKind::convolution,
                                         graph::KernelKind::attention, graph::KernelKind::stream,
                                         graph::KernelKind::gather,    graph::KernelKind::recurrent};

inline constexpr std::array kDirections{graph::Direction::forward, graph::Direction::backward_input,
                                        graph::Direction::backward_weight};

/// `source`, `date` and `conditions`, all optional.
cluster::Provenance read_provenance(Fields& fields);

std::vector<cluster::KernelCurve> read_kernel_curves(const Value& curves);

/// Curves of a link are of ranks side by side unless they say otherwise.
enum class RanksPerNode { required, all };
std::vector<cluster::CollectiveCurve> read_collective_curves(const Value& curves, RanksPerNode due);

}  // namespace dodona::files
