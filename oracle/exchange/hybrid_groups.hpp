// A fully connected layer on N nodes in G groups: its features are split over the N / G nodes of a group, samples over the
// groups.
//
//   V(G) = 2 * 4 ifm mb / G + 2 * 4 ifm ofm G / N        bytes of a node: activations in a group, gradients between groups
//
// The first term is 0 where a group is one node, the second where there is one group. Without these cases the least is at
// G* = sqrt(N mb / ofm). mb is the global mini-batch; ifm and ofm are features in and out; elements have 4 bytes.
//
// Data parallelism alone: of a convolution the arithmetic over the bytes exchanged is
//
//   6 mb_node ifm ofm k^2 ow oh / (4 ifm ofm k^2 (2 - overlap)) = 1.5 mb_node ow oh / (2 - overlap)      FLOP/byte
//
// whatever k, ifm, ofm and the number of nodes: large for convolutions, small for fully connected layers (ow = oh = 1).
// Source: derived in the manner of Das et al., arXiv:1602.06709.
#pragma once

#include <cstdint>

#include "base/quantity.hpp"

namespace dodona::exchange {

struct DenseLayer {
    double inputs = 1;   ///< ifm
    double outputs = 1;  ///< ofm
};

/// V(G). Domain: G divides N.
Bytes group_volume(const DenseLayer& layer, std::int64_t nodes, std::int64_t batch, std::int64_t groups);

/// The divisor of N with the least volume; of equals the largest, whose groups
/// are smallest.
std::int64_t best_groups(const DenseLayer& layer, std::int64_t nodes, std::int64_t batch);

/// FLOP per byte of a layer under data parallelism; `positions`: ow * oh.
double data_parallel_ratio(double node_batch, double positions, double overlap);

}  // namespace dodona::exchange
