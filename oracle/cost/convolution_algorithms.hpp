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
// Times are those of the device for these products and for the passes over memory that transform to and back, in fp32.
// All three passes of a layer use one algorithm; the workspace is that of one pass, and the three have equal ones.
// Winograd is for windows of 3 x 3, FFT for inputs of up to 256; both for strides and dilations of one.
// Not modelled: index arithmetic, which implicit-gemm repeats and precomputed-gemm does not (no published ratio: both
// take the same time here), transforms that are fused with products, tiled FFTs, tensor cores on transformed tiles.
// Sources: NVIDIA cuDNN developer guide, cudnnConvolutionFwdAlgo_t (algorithms, their domains, who needs workspace);
// Lavin and Gray, arXiv:1509.09308, section 4.1 and algorithm 1; Mathieu, Henaff and LeCun, arXiv:1312.5851, sections
// 2.2 and 2.3; Vasilache et al., arXiv:1412.7580, section 3.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/precision.hpp"
#include "cluster/device.hpp"
#include "graph/graph.hpp"

namespace dodona::cost {

enum class ConvolutionAlgorithm { implicit_gemm, precomputed_gemm, winograd, fft };
inline constexpr std::array kConvolutionAlgorithmTable{
    Enumerator(ConvolutionAlgorithm::implicit_gemm, "implicit-gemm", "an implicit matrix product without workspace"),
    Enumerator(ConvolutionAlgorithm::precomputed_gemm, "precomputed-gemm",
               "an implicit matrix product with a table of indices"),
    Enumerator(ConvolutionAlgorithm::winograd, "winograd", "Winograd transforms of tiles of 4 x 4"),
    Enumerator(ConvolutionAlgorithm::fft, "fft", "Fourier transforms of whole images")};
constexpr const auto& enumerators(ConvolutionAlgorithm /*type*/) { return kConvolutionAlgorithmTable; }
inline constexpr std::array kConvolutionAlgorithms = values_of(kConvolutionAlgorithmTable);
constexpr std::string_view name(ConvolutionAlgorithm algorithm) { return name_of(algorithm); }

/// A convolution of two dimensions, for all samples of a pass.
struct Convolution {
    double samples = 1;
    double groups = 1;
    double channels = 1;  ///< of a group
    double filters = 1;   ///< of a group
    double height = 1;    ///< of the padded input
    double width = 1;
    double rows = 1;  ///< of the output
    double columns = 1;
    double kernel_height = 1;
    double kernel_width = 1;
    bool dense = true;  ///< strides and dilations of one
    graph::Work work;   ///< of its implicit products
    bool input_gradient = true;
};

/// The layer for so many samples; none: no convolution of two dimensions. `graph` holds the layer.
std::optional<Convolution> convolution_of(const graph::Graph& graph, const graph::Layer& layer, double samples);

struct AlgorithmCost {
    ConvolutionAlgorithm algorithm{};
    Bytes workspace;
    Seconds time;  ///< forward, dX and dW
};

/// Of the algorithms that can run it, in the order of the table. `precision`: of the implicit products.
std::vector<AlgorithmCost> algorithm_costs(const cluster::Device& device, const Convolution& convolution,
                                           Precision precision);

}  // namespace dodona::cost
