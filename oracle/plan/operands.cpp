#include "plan/operands.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/check.hpp"

namespace dodona::plan {

using graph::kNoLoop;
using graph::Loop;
using graph::Nest;
using graph::Operand;
using graph::Vertex;

namespace {

bool is_statistic(const Nest& nest, int loop) {
    return std::any_of(nest.statistics.begin(), nest.statistics.end(), [loop](const graph::Statistic& statistic) {
        return std::find(statistic.over.begin(), statistic.over.end(), loop) != statistic.over.end();
    });
}

bool in_inputs(const Nest& nest, int loop) {
    return std::any_of(nest.inputs.begin(), nest.inputs.end(), [loop](const Operand& o) { return o.has(loop); });
}

bool in_weights(const Nest& nest, int loop) {
    return std::any_of(nest.weights.begin(), nest.weights.end(),
                       [loop](const graph::Weight& w) { return w.operand.has(loop); });
}

/// How one dimension of a tensor divides, given the loop that indexes it.
Division division_of(const Nest& nest, int loop, double extent) {
    if (loop == kNoLoop) {
        return {.extent = extent, .unit = extent};
    }
    const Loop& l = nest.loops[static_cast<std::size_t>(loop)];
    return {.extent = extent, .unit = extent / static_cast<double>(l.extent) * static_cast<double>(l.unit)};
}

/// Elements, rows and factors of a shard with these extents. Extents of 1 in front (one group) do not make a matrix.
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

}  // namespace

std::vector<Vertex> producers_of(const graph::Graph& graph, Vertex v) {
    std::vector<Vertex> producers(in_degree(v, graph.network));
    for (auto [edge, end] = in_edges(v, graph.network); edge != end; ++edge) {
        producers.at(static_cast<std::size_t>(graph.network[*edge].operand)) = source(*edge, graph.network);
    }
    return producers;
}

Layout operand_layout(const Operand& operand, const std::vector<Atoms>& loops) {
    Layout layout;
    layout.dimensions.reserve(operand.loops.size());
    for (const int loop : operand.loops) {
        layout.dimensions.push_back(loop == kNoLoop ? Atoms{0} : loops[static_cast<std::size_t>(loop)]);
    }
    return layout;
}

bool passes_through(const Nest& nest, const Operand& operand, std::size_t dimension) {
    const int loop = operand.loops[dimension];
    const bool windowed = dimension < operand.windows.size() && operand.windows[dimension] &&
                          operand.windows[dimension]->span() > operand.windows[dimension]->stride;
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
        } else {
            divisions.push_back(division_of(nest, loop, static_cast<double>(nest.result.dimensions[d].extent)));
        }
    }
    return divisions;
}

graph::LocalExtents local_extents(const Nest& nest, const Mesh& mesh, const std::vector<Atoms>& loops, double batch) {
    graph::LocalExtents local;
    local.loops.reserve(nest.loops.size());
    for (std::size_t i = 0; i < nest.loops.size(); ++i) {
        const Loop& loop = nest.loops[i];
        const Division division{.extent = i == 0 ? batch : static_cast<double>(loop.extent),
                                .unit = static_cast<double>(loop.unit)};
        local.loops.push_back(division.local(mesh.ways(loops[i])));
    }
    return local;
}

Atoms partial_result(const Nest& nest, const std::vector<Atoms>& loops) {
    Atoms partial = 0;
    for (std::size_t i = 0; i < loops.size(); ++i) {
        const int loop = static_cast<int>(i);
        const bool read = in_inputs(nest, loop) || in_weights(nest, loop);
        if (loops[i] != 0 && read && !nest.output.has(loop) && !is_statistic(nest, loop)) {
            partial |= loops[i];
        }
    }
    return partial;
}

Atoms partial_input_gradient(const Nest& nest, std::size_t i, const std::vector<Atoms>& loops) {
    Atoms partial = 0;
    for (std::size_t l = 0; l < loops.size(); ++l) {
        const int loop = static_cast<int>(l);
        const bool elsewhere = nest.output.has(loop) || in_weights(nest, loop) || in_inputs(nest, loop);
        if (loops[l] != 0 && elsewhere && !nest.inputs[i].has(loop)) {
            partial |= loops[l];
        }
    }
    return partial;
}

WeightShard weight_shard(const Nest& nest, const graph::Weight& weight, const Mesh& mesh,
                         const std::vector<Atoms>& loops) {
    WeightShard shard;
    std::vector<double> extents(weight.dimensions.size());
    for (std::size_t d = 0; d < weight.dimensions.size(); ++d) {
        const int loop = weight.operand.loops[d];
        const auto extent = static_cast<double>(weight.dimensions[d].extent);
        extents[d] = extent;
        if (loop == kNoLoop) {
            continue;
        }
        const Atoms atoms = loops[static_cast<std::size_t>(loop)];
        const std::int64_t ways = mesh.ways(atoms);
        extents[d] = division_of(nest, loop, extent).local(ways);
        shard.laid |= atoms;
        const Loop& l = nest.loops[static_cast<std::size_t>(loop)];
        if (l.replicates && ways > l.extent / l.unit) {
            shard.replicas *= ways / (l.extent / l.unit);
        }
    }
    count_elements(weight, extents, shard);
    for (std::size_t i = 0; i < loops.size(); ++i) {
        const int loop = static_cast<int>(i);
        const bool summed = nest.output.has(loop) || (in_inputs(nest, loop) && !in_weights(nest, loop));
        if (loops[i] != 0 && summed && !weight.operand.has(loop)) {
            shard.partial |= loops[i];
        }
    }
    return shard;
}

double touched_elements(const Nest& nest, const graph::Weight& weight, double elements,
                        const graph::LocalExtents& local) {
    double touched = weight.touched * (elements / weight.elements()) * local[0];
    for (int loop = 1; loop < static_cast<int>(nest.loops.size()); ++loop) {
        if (!weight.operand.has(loop)) {
            touched *= local[loop] / static_cast<double>(nest.loops[static_cast<std::size_t>(loop)].extent);
        }
    }
    return std::min(elements, touched);
}

std::vector<HaloExchange> halo_exchanges(const Nest& nest, std::size_t input, const graph::Tensor& x, const Mesh& mesh,
                                         const std::vector<Atoms>& loops, double batch) {
    const Operand& operand = nest.inputs[input];
    std::vector<HaloExchange> exchanges;
    if (operand.windows.empty()) {
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
    const Layout y_layout = operand_layout(nest.output, loops);
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
    for (std::size_t d = 0; d < operand.windows.size(); ++d) {
        const int loop = operand.loops[d];
        if (!operand.windows[d] || loop == kNoLoop || loops[static_cast<std::size_t>(loop)] == 0) {
            continue;
        }
        const Atoms atoms = loops[static_cast<std::size_t>(loop)];
        const std::int64_t ways = mesh.ways(atoms);
        const std::int64_t outputs = nest.loops[static_cast<std::size_t>(loop)].extent;
        exchange(forward_halo(*operand.windows[d], x.dimensions[d].extent, outputs, ways), atoms, x_local, d,
                 Phase::forward);
        const auto y = std::find(nest.output.loops.begin(), nest.output.loops.end(), loop);
        check(y != nest.output.loops.end(), "a windowed loop is in the output");
        exchange(backward_halo(*operand.windows[d], x.dimensions[d].extent, outputs, ways), atoms, y_local,
                 static_cast<std::size_t>(y - nest.output.loops.begin()), Phase::backward);
    }
    return exchanges;
}

}  // namespace dodona::plan
