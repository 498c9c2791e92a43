// What was measured of convolutions by each of the algorithms that libraries have.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/precision.hpp"
#include "base/quantity.hpp"
#include "cluster/kernel_fit.hpp"
#include "graph/kernel.hpp"

namespace dodona::cluster {

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

/// Edge of the largest padded image that Fourier transforms take (cost/convolution_algorithms.hpp).
inline constexpr std::int64_t kLargestTransform = 256;

/// One pass of convolutions of two dimensions by an algorithm that was asked for. What a library takes unasked is in the
/// device's curves of kernels.
struct ConvolutionCurve {
    struct Point {
        double samples = 1;
        double groups = 1;
        double channels = 1;  ///< of all groups
        double filters = 1;   ///< of all groups
        double height = 1;    ///< of the padded input
        double width = 1;
        double rows = 1;  ///< of the output
        double columns = 1;
        double kernel_height = 1;
        double kernel_width = 1;
        Bytes workspace;
        Seconds time;
        bool operator==(const Point&) const = default;
    };

    ConvolutionAlgorithm algorithm = ConvolutionAlgorithm::winograd;
    Precision precision = Precision::fp32;
    graph::Direction direction = graph::Direction::forward;
    std::vector<Point> points;  ///< in any order
    Provenance provenance;
    bool operator==(const ConvolutionCurve&) const = default;
};

}  // namespace dodona::cluster
