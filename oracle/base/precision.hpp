// Number formats of matrix products, and of what training keeps beside them.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/quantity.hpp"

namespace dodona {

enum class Precision { fp32, tf32, fp16, bf16, fp8, mxfp8, nvfp4 };

inline constexpr std::array kPrecisions{Precision::fp32, Precision::tf32,  Precision::fp16, Precision::bf16,
                                        Precision::fp8,  Precision::mxfp8, Precision::nvfp4};

/// Formats of one byte or less: only products of layers in repeated blocks run in them. Attention, embeddings and heads
/// keep 16 bits (NVIDIA Transformer Engine, user guide: FP8 is for linear layers).
constexpr bool is_narrow(Precision precision) {
    return precision == Precision::fp8 || precision == Precision::mxfp8 || precision == Precision::nvfp4;
}

std::string_view name(Precision precision);
std::optional<Precision> precision_from(std::string_view name);

/// Bytes of one element of a matrix-product operand kept in memory. Products of one byte or less read bf16 activations
/// (they are quantised on the fly), so their stored activations have two bytes.
Bytes stored_bytes(Precision precision);

/// Bytes per parameter or element that mixed-precision training keeps, by purpose.
/// Source: Korthikanti et al., arXiv:2205.05198, section 4: 18 bytes per parameter = 2 + 4 + 12 for Adam.
struct TrainingBytes {
    Bytes activation;  ///< one activation element
    Bytes weight;      ///< one parameter as the matrix products read it
    Bytes gradient;    ///< one element of the gradient buffer
    Bytes reduced;     ///< one element of a gradient as it is sent
    Bytes master;      ///< fp32 master copy of one parameter; zero when the weight itself is fp32
};

/// What mixed-precision training keeps by default: gradients accumulate and travel in fp32.
TrainingBytes training_bytes(Precision precision);

}  // namespace dodona
