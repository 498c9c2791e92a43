// What a convolution takes by each of four algorithms, in time and in workspace. N samples, C channels, K filters,
// windows of r x r, outputs of p x q; of a group.
//
//   implicit-gemm     the implicit product of the layer; no workspace
//   precomputed-gemm  the same with a table of indices, assumed to have one for each row and column of the product:
//                     4 (C r^2 + N p q)
//   winograd          F(4 x 4, 3 x 3), not fused: 36 products of N t x K x C, t = ceil(p/4) ceil(q/4) tiles
//                     36 4 (N t C + N t K + C K)
//   fft               n x n transforms, n the power of two that holds the padded input: n (n/2 + 1) complex products
//                     of N x K x C, each of four real ones        8 n (n/2 + 1) (N C + N K + C K)
//
// By these formulas times are those of the device for these products and for the passes over memory that transform to and
// back, in fp32. All three passes of a layer use one algorithm; the workspace is the largest of the three, and by the
// formulas they have equal ones. Winograd is for windows of 3 x 3, FFT for inputs of up to 256; both for strides and
// dilations of one.
//
// A device may have measured convolutions by algorithm (cluster::ConvolutionCurve). Formulas of transforms are 0.4 to 1.4
// times what a CPU took (reports/convolutions): the quickest of several formulas and one measured time is easily the
// formula that is furthest off. Therefore
//   - a pass of a layer that was measured takes what was measured, for its samples (convolution_curve.hpp);
//   - other layers of that algorithm take its formula times e, how far the formula is off in the four measured layers that
//     are nearest in log space, of the same pass if there are any:
//         log e = sum_j w_j log(t_j / formula_j) / sum_j w_j,   w_j = d_j^-2   as between kernels (kernel_curve.hpp)
//   - of algorithms that transform only those are left that were measured in some layer, in this precision: of the
//     others nobody knows how far their formula is off, and the library that was measured may not have them;
//   - implicit-gemm and precomputed-gemm are one product: where one was measured, it is the other's time, too. Where
//     neither was, it is the device's time of the layer's kernels, measured by whatever the library takes unasked where
//     that was measured. Without workspace that is an implicit product (on a CPU, oneDNN's direct convolution).
// Not modelled: index arithmetic, which implicit-gemm repeats and precomputed-gemm does not (no published ratio: both
// take the same time here), transforms that are fused with products, tiled FFTs, tensor cores on transformed tiles.
// Sources: NVIDIA cuDNN developer guide, cudnnConvolutionFwdAlgo_t (algorithms, their domains, who needs workspace);
// Lavin and Gray, arXiv:1509.09308, section 4.1 and algorithm 1; Mathieu, Henaff and LeCun, arXiv:1312.5851, sections
// 2.2 and 2.3; Vasilache et al., arXiv:1412.7580, section 3.
#pragma once

#include <optional>
#include <vector>

#include "base/estimate.hpp"
#include "base/precision.hpp"
#include "cluster/device.hpp"
#include "cost/convolution.hpp"
#include "graph/graph.hpp"

namespace dodona::cost {

using cluster::ConvolutionAlgorithm;

/// The layer for so many samples; none: no convolution of two dimensions. `graph` holds the layer.
std::optional<Convolution> convolution_of(const graph::Graph& graph, const graph::Layer& layer, double samples);

struct AlgorithmCost {
    ConvolutionAlgorithm algorithm{};
    Bytes workspace;
    Seconds time;                      ///< forward, dX and dW
    std::optional<Evidence> evidence;  ///< of the worst pass; none: a formula that nothing was measured for
};

/// Of the algorithms that can run it, in the order of the table. `precision`: of the implicit products.
std::vector<AlgorithmCost> algorithm_costs(const cluster::Device& device, const Convolution& convolution,
                                           Precision precision);

}  // namespace dodona::cost
