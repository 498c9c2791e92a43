// What was measured of the kernels that compress gradients and of those that add what arrives.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"
#include "cluster/kernel_fit.hpp"

namespace dodona::cluster {

enum class CompressionKernel { exact_top_k, threshold_top_k, int8, fp8, int4, one_bit };
inline constexpr std::array kCompressionKernelTable{
    Enumerator(CompressionKernel::exact_top_k, "exact-top-k", "the largest elements, found exactly"),
    Enumerator(CompressionKernel::threshold_top_k, "threshold-top-k",
               "the largest elements, by a search for the threshold"),
    Enumerator(CompressionKernel::int8, "int8", "8-bit integers and back"),
    Enumerator(CompressionKernel::fp8, "fp8", "8-bit floating point and back"),
    Enumerator(CompressionKernel::int4, "int4", "4-bit integers and back"),
    Enumerator(CompressionKernel::one_bit, "1-bit", "signs and back")};
constexpr const auto& enumerators(CompressionKernel /*type*/) { return kCompressionKernelTable; }
constexpr std::string_view name(CompressionKernel kernel) { return name_of(kernel); }

/// Kernels of one kind. Their time is interpolated in log space over the bytes that they move, as
/// exchange/compression.hpp counts them without error feedback; beyond the points they keep the rate of the nearest.
struct CompressionCurve {
    struct Point {
        Bytes bytes;
        Seconds time;  ///< of compressing one buffer and of taking apart as much as that sends
        bool operator==(const Point&) const = default;
    };

    CompressionKernel kernel = CompressionKernel::int8;
    std::vector<Point> points;  ///< bytes ascend
    Provenance provenance;
    bool operator==(const CompressionCurve&) const = default;
};

}  // namespace dodona::cluster
