// Norms of layers, for optimizers that scale each layer's update by them (LARS, LAMB), computed by all ranks in parts.
//
//   all   = sum over L tensors of (kernels launch + passes over the tensor)        on every rank, as it is usual
//   split = the same over the tensors of the rank with most of them + all-gather of 2 L numbers over P ranks
//
// Tensors go to ranks by the longest first. Weights are those of a rank without sharded states: where states are sharded
// each rank has its own part already.
// Not modelled: fused optimizers, which take all tensors in one launch.
// Source: Shi et al., arXiv:2010.10458, section 4.2 (parallel tensor operators); You et al., arXiv:1708.03888, algorithm 1.
#pragma once

#include <optional>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "step/prediction.hpp"

namespace dodona::step {

struct SplitNorms {
    std::int64_t tensors = 0;
    std::int64_t ranks = 1;
    Seconds all;     ///< every rank computes the norms of all tensors
    Seconds most;    ///< ... of its own tensors: the rank that takes longest
    Seconds gather;  ///< all-gather of the norms
    [[nodiscard]] Seconds split() const { return most + gather; }
};

/// None where the optimizer needs no norms, one data rank has nobody to share them with, or states are sharded or split.
std::optional<SplitNorms> split_norms(const graph::Graph& graph, const cluster::Cluster& cluster,
                                      const Prediction& prediction);

}  // namespace dodona::step
