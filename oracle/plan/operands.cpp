#include "plan/operands.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::plan {

using graph::kNoLoop;
using graph::Loop;
using graph::Nest;
using graph::Operand;
using graph::Window;

namespace {

bool is_statistic(const Nest& nest, int loop) {
    return std::any_of(nest.statistics.begin(), nest.statistics.end(),
                       [loop](const graph::Statistic& statistic) { return contains(statistic.over, loop); });
}

bool in_inputs(const Nest& nest, int loop) {
    return std::any_of(nest.inputs.begin(), nest.inputs.end(), [loop](const Operand& o) { return o.has(loop); });
}

bool in_weights(const Nest& nest, int loop) {
    return any_of(nest.weights, [loop](const graph::Weight& w) { return w.operand.has(loop); });
}

/// Atoms of the split loops for which `holds`.
template <class Holds>
Atoms atoms_where(const AtomList& loops, const Holds& holds) {
    Atoms found = 0;
    int loop = 0;
    for (const Atoms atoms : loops) {
        if (atoms != 0 && holds(loop)) {
            found |= atoms;
        }
        ++loop;
    }
    return found;
}

/// Division of one dimension of a tensor, given the loop that indexes it.
Division division_of(const Nest& nest, int loop, const graph::TensorDimension& dimension) {
    const auto extent = static_cast<double>(dimension.extent);
    Division division{.extent = extent,
                      .granule = extent,
                      .density = dimension.density,
                      .imbalance = dimension.imbalance,
                      .fullest = dimension.fullest,
                      .routing = dimension.routing};
    if (loop != kNoLoop) {
        const Loop& l = nest.loops[static_cast<std::size_t>(loop)];
        division.granule = extent / static_cast<double>(l.extent) * static_cast<double>(l.granule);
    }
    return division;
}

/// Elements, rows and factors of a shard with these extents. Leading extents of 1 (a single group) do not count as
/// dimensions.
void count_elements(const graph::Weight& weight, const std::vector<double>& extents, WeightShard& shard) {
    std::size_t first = 0;
    while (first + 1 < extents.size() && weight.dimensions[first].extent == 1) {
        ++first;
    }
    shard.elements = std::accumulate(extents.begin(), extents.end(), 1.0, std::multiplies<>());
    const std::size_t last = extents.size() - 1;
    shard.rows = shard.elements / extents[last];
    shard.factors = last > first ? shard.rows + shard.elements / extents[last - 1] : shard.elements;
}

/// Dimensions before the rows.
std::size_t stacks(const graph::Weight& weight) { return weight.form == graph::MatrixForm::stacked ? 1 : 0; }

/// Rows and columns of the matrices in a weight; none: {0, 0}. `extent`: of a dimension, by index.
template <class Extent>
MatrixShape matrix_shape(const graph::Weight& weight, Extent extent) {
    const std::size_t row = stacks(weight);
    if (weight.form == graph::MatrixForm::none || weight.dimensions.size() < row + 2) {
        return {};
    }
    MatrixShape shape{extent(row), 1};
    for (std::size_t d = row + 1; d < weight.dimensions.size(); ++d) {
        shape.columns *= extent(d);
    }
    return shape;
}

/// The matrices of the part of a weight that has these extents.
Matrices part_of_matrices(const graph::Weight& weight, const std::vector<double>& extents, const AtomList& loops) {
    Matrices matrices = matrices_of(weight);
    matrices.local = matrix_shape(weight, [&](std::size_t d) { return extents[d]; });
    if (matrices.count > 0 && stacks(weight) > 0) {
        matrices.count = extents[0];
    }
    for (std::size_t d = stacks(weight); d < weight.dimensions.size(); ++d) {
        const int loop = weight.operand.loops[d];
        matrices.split |= loop == kNoLoop ? Atoms{0} : loops[static_cast<std::size_t>(loop)];
    }
    return matrices;
}

}  // namespace

Matrices matrices_of(const graph::Weight& weight) {
    const auto extent = [&](std::size_t d) { return static_cast<double>(weight.dimensions[d].extent); };
    const MatrixShape shape = matrix_shape(weight, extent);
    Matrices matrices{.shape = shape, .local = shape};
    if (shape.elements() > 0) {
        matrices.count = stacks(weight) > 0 ? extent(0) : 1;
    }
    return matrices;
}

const Window* window_of(const Operand& operand, std::size_t dimension) {
    const bool windowed = dimension < operand.windows.size() && operand.windows[dimension];
    return windowed ? &*operand.windows[dimension] : nullptr;
}

std::optional<std::size_t> dimension_of(const Operand& operand, int loop) {
    const auto found = std::find(operand.loops.begin(), operand.loops.end(), loop);
    return found == operand.loops.end() ? std::nullopt
                                        : std::optional(static_cast<std::size_t>(found - operand.loops.begin()));
}

namespace {

/// Whether a window slides along a loop that is split, on the input or on the output.
bool slides(const Nest& nest, const Operand& operand, const AtomList& loops) {
    if (operand.windows.empty() && nest.output.windows.empty()) {
        return false;
    }
    for (std::size_t d = 0; d < operand.loops.size(); ++d) {
        const int loop = operand.loops[d];
        if (loop == kNoLoop || loops[static_cast<std::size_t>(loop)] == 0) {
            continue;
        }
        const std::optional<std::size_t> y = dimension_of(nest.output, loop);
        if (window_of(operand, d) != nullptr || (y && window_of(nest.output, *y) != nullptr)) {
            return true;
        }
    }
    return false;
}

}  // namespace

Sharding operand_sharding(const Operand& operand, const AtomList& loops) {
    Sharding sharding;
    for (const int loop : operand.loops) {
        sharding.dimensions.push_back(loop == kNoLoop ? Atoms{0} : loops[static_cast<std::size_t>(loop)]);
    }
    return sharding;
}

bool passes_through(const Nest& nest, const Operand& operand, std::size_t dimension) {
    const int loop = operand.loops[dimension];
    const Window* window = window_of(operand, dimension);
    const bool windowed = window != nullptr && window->span() > window->stride;
    const Loop& l = nest.loops[static_cast<std::size_t>(loop)];
    return l.can_split && !windowed && !is_statistic(nest, loop) && nest.output.has(loop);
}

std::vector<Division> result_divisions(const Nest& nest, double batch) {
    std::vector<Division> divisions;
    divisions.reserve(nest.result.dimensions.size());
    for (std::size_t d = 0; d < nest.result.dimensions.size(); ++d) {
        const int loop = nest.output.loops[d];
        if (loop == 0) {
            divisions.push_back({.extent = batch});
        } else if (window_of(nest.output, d)) {  // output rows are divided on their own
            divisions.push_back({.extent = static_cast<double>(nest.result.dimensions[d].extent)});
        } else {
            divisions.push_back(division_of(nest, loop, nest.result.dimensions[d]));
        }
    }
    return divisions;
}

namespace {

/// Of one loop on one device; `extent`: of all devices.
double local_extent(const Loop& loop, double extent, std::int64_t ways) {
    const Division division{.extent = extent,
                            .granule = static_cast<double>(loop.granule),
                            .density = loop.density,
                            .imbalance = loop.imbalance,
                            .fullest = loop.fullest};
    return division.local(ways);
}

}  // namespace

double local_samples(const Nest& nest, const Mesh& mesh, const AtomList& loops, double batch) {
    return local_extent(nest.loops[graph::kBatch], batch, mesh.ways(loops[graph::kBatch]));
}

graph::LocalExtents local_extents(const Nest& nest, const Mesh& mesh, const AtomList& loops, double batch) {
    graph::LocalExtents local;
    for (std::size_t i = 0; i < nest.loops.size(); ++i) {
        const Loop& loop = nest.loops[i];
        const std::int64_t ways = mesh.ways(loops[i]);
        local.loops.push_back(local_extent(loop, i == 0 ? batch : static_cast<double>(loop.extent), ways));
        local.ways.push_back(static_cast<double>(ways));
    }
    return local;
}

Atoms partial_result(const Nest& nest, const AtomList& loops) {
    return atoms_where(loops, [&](int loop) {
        const bool read = in_inputs(nest, loop) || in_weights(nest, loop);
        return read && !nest.output.has(loop) && !is_statistic(nest, loop);
    });
}

Atoms partial_input_gradient(const Nest& nest, std::size_t i, const AtomList& loops) {
    return atoms_where(loops, [&](int loop) { return !nest.inputs[i].has(loop); });
}

WeightShard weight_shard(const Nest& nest, const graph::Weight& weight, const Mesh& mesh, const AtomList& loops) {
    WeightShard shard;
    std::vector<double> extents(weight.dimensions.size());
    for (std::size_t d = 0; d < weight.dimensions.size(); ++d) {
        const int loop = weight.operand.loops[d];
        const graph::TensorDimension& dimension = weight.dimensions[d];
        extents[d] = dimension.density * static_cast<double>(dimension.extent);
        if (loop == kNoLoop) {
            continue;
        }
        const Atoms atoms = loops[static_cast<std::size_t>(loop)];
        const std::int64_t ways = mesh.ways(atoms);
        extents[d] = division_of(nest, loop, dimension).local(ways);
        shard.laid |= atoms;
        const Loop& l = nest.loops[static_cast<std::size_t>(loop)];
        if (l.replicates && ways > l.extent / l.granule) {
            shard.replicas *= ways / (l.extent / l.granule);
        }
    }
    count_elements(weight, extents, shard);
    shard.matrices = part_of_matrices(weight, extents, loops);
    shard.partial = atoms_where(loops, [&](int loop) {
        const bool summed = nest.output.has(loop) || (in_inputs(nest, loop) && !in_weights(nest, loop));
        return summed && !weight.operand.has(loop);
    });
    return shard;
}

void send_round(const Mesh& mesh, Atoms streams, LayerTransfer& transfer) {
    const cluster::Collective kind = transfer.transfer.collective;
    const bool gathers = kind == cluster::Collective::all_gather || kind == cluster::Collective::reduce_scatter;
    if (gathers && (transfer.transfer.atoms & ~streams) == 0) {
        const auto ways = static_cast<double>(mesh.ways(transfer.transfer.atoms));
        transfer.transfer.collective = cluster::Collective::send;
        transfer.transfer.elements /= ways;  // one block to the neighbour, ways - 1 times
        transfer.times = ways - 1;
        transfer.purpose = Purpose::stream;
    }
}

double touched_elements(const Nest& nest, const graph::Weight& weight, double elements,
                        const graph::LocalExtents& local) {
    double touched = weight.changed() * (elements / weight.elements()) * local[0];
    for (int loop = 1; loop < static_cast<int>(nest.loops.size()); ++loop) {
        if (!weight.operand.has(loop)) {
            const Loop& l = nest.loops[static_cast<std::size_t>(loop)];
            touched *= local[loop] / (l.density * static_cast<double>(l.extent));
        }
    }
    return std::min(elements, touched);
}

std::vector<HaloExchange> halo_exchanges(const Nest& nest, std::size_t input, const graph::Tensor& x, const Mesh& mesh,
                                         const AtomList& loops, double batch) {
    const Operand& operand = nest.inputs[input];
    std::vector<HaloExchange> exchanges;
    if (!slides(nest, operand, loops)) {
        return exchanges;
    }
    // Local extents of X and dY, widened dimension by dimension.
    std::vector<double> x_local;
    for (std::size_t d = 0; d < operand.loops.size(); ++d) {
        const int loop = operand.loops[d];
        const double extent = loop == 0 ? batch : static_cast<double>(x.dimensions[d].extent);
        const std::int64_t ways = loop == kNoLoop ? 1 : mesh.ways(loops[static_cast<std::size_t>(loop)]);
        x_local.push_back(Division{.extent = extent}.local(ways));
    }
    const std::vector<Division> y_divisions = result_divisions(nest, batch);
    const Sharding y_layout = operand_sharding(nest.output, loops);
    std::vector<double> y_local;
    for (std::size_t d = 0; d < y_divisions.size(); ++d) {
        y_local.push_back(y_divisions[d].local(mesh.ways(y_layout.dimensions[d])));
    }
    const auto exchange = [&](const Halo& halo, Atoms atoms, std::vector<double>& local, std::size_t d, Phase phase) {
        if (halo.rows == 0) {
            return;
        }
        double others = 1;
        for (std::size_t i = 0; i < local.size(); ++i) {
            others *= i == d ? 1.0 : local[i];
        }
        const double rows = static_cast<double>(halo.rows);
        exchanges.push_back({{cluster::Collective::halo, atoms, rows * others, halo.neighbours}, phase, halo.too_wide});
        local[d] += rows;
    };
    for (std::size_t d = 0; d < operand.loops.size(); ++d) {
        const int loop = operand.loops[d];
        if (loop == kNoLoop || loops[static_cast<std::size_t>(loop)] == 0) {
            continue;
        }
        const std::optional<std::size_t> y = dimension_of(nest.output, loop);
        const Atoms atoms = loops[static_cast<std::size_t>(loop)];
        const std::int64_t ways = mesh.ways(atoms);
        const std::int64_t in = x.dimensions[d].extent;
        if (const Window* window = window_of(operand, d)) {
            check(y.has_value(), "a windowed loop is in the output");
            const std::int64_t out = nest.loops[static_cast<std::size_t>(loop)].extent;
            exchange(forward_halo(*window, in, out, ways), atoms, x_local, d, Phase::forward);
            exchange(backward_halo(*window, in, out, ways), atoms, y_local, *y, Phase::backward);
        } else if (const Window* spread = y ? window_of(nest.output, *y) : nullptr) {
            // A window on the output (a transposed convolution): X and dY are exchanged.
            const std::int64_t out = nest.result.dimensions[*y].extent;
            exchange(backward_halo(*spread, out, in, ways), atoms, x_local, d, Phase::forward);
            exchange(forward_halo(*spread, out, in, ways), atoms, y_local, *y, Phase::backward);
        }
    }
    return exchanges;
}

}  // namespace dodona::plan
