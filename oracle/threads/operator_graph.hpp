// The operators of a network's forward pass, each with what it waits for.
//
// Repeated blocks are written out. A layer with a recurrence becomes its cells: of layers l and steps t
//
//   one direction      cell (l, t) waits for (l - 1, t) and (l, t - 1)
//   both directions    ... for (l, t - 1), and the first of each direction for all of l - 1
//
// and a cell does the products of its step with the layer below too. Layers without kernels pass on what they wait for.
// The depth of an operator is the number of operators on the longest way to it, the width of a depth the number of its
// operators:
//
//   average width = operators / depths        of L layers and T steps in one direction  L T / (L + T - 1)
//
// Not modelled: fused operators; a block in a block is one chain of its layers, each with all its instances; training's
// dropout and losses, where the network has them, are counted as operators.
// Source of the average width as a measure of what can run at once: Wang et al., arXiv:1908.04705.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.hpp"

namespace dodona::threads {

/// The kernels of one kind of operator: cells of one layer, instances of one layer.
struct OperatorKind {
    std::string layer;
    std::vector<graph::Kernel> kernels;
};

struct Operator {
    std::size_t kind = 0;
    std::vector<std::size_t> after;  ///< earlier operators
};

struct OperatorGraph {
    std::vector<OperatorKind> kinds;
    std::vector<Operator> operators;  ///< each after those that it waits for

    /// Of each operator, from 0.
    [[nodiscard]] std::vector<std::size_t> depths() const;
    /// Of each depth.
    [[nodiscard]] std::vector<std::int64_t> widths() const;
    [[nodiscard]] double average_width() const;
};

/// The most operators that are looked at; larger networks are refused.
inline constexpr std::size_t kMaxOperators = 10'000;

/// Throws InputError for a network with more than kMaxOperators, or none.
OperatorGraph operator_graph(const graph::Graph& graph, double samples);

/// Kernels of the cells of layers with recurrences, each of which does the products of its own step; some may be alike.
std::vector<graph::Kernel> cell_kernels(const graph::Graph& graph, double samples);

}  // namespace dodona::threads
