// Number formats of matrix products and the bytes that training keeps in them.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"

namespace dodona {

enum class Precision { fp32, tf32, fp16, bf16, fp8, mxfp8, nvfp4 };

inline constexpr std::array kPrecisionTable{
    Enumerator(Precision::fp32, "fp32", "IEEE single precision"),
    Enumerator(Precision::tf32, "tf32", "fp32 numbers whose products use 10 bits of mantissa"),
    Enumerator(Precision::fp16, "fp16", "IEEE half precision, mixed with fp32"),
    Enumerator(Precision::bf16, "bf16", "16 bits with the exponent of fp32, mixed with fp32"),
    Enumerator(Precision::fp8, "fp8", "products of 8-bit operands with one scale for each tensor"),
    Enumerator(Precision::mxfp8, "mxfp8", "products of 8-bit operands with one scale for each 32 elements"),
    Enumerator(Precision::nvfp4, "nvfp4", "products of 4-bit operands with one scale for each 16 elements")};
constexpr const auto& enumerators(Precision /*type*/) { return kPrecisionTable; }
inline constexpr std::array kPrecisions = values_of(kPrecisionTable);
constexpr std::string_view name(Precision precision) { return name_of(precision); }
constexpr std::optional<Precision> precision_from(std::string_view name) { return value_of<Precision>(name); }

/// Formats of 8 bits or fewer. Only products of layers in repeated blocks use them; attention, embeddings and heads
/// keep 16 bits (NVIDIA Transformer Engine, user guide: FP8 is for linear layers).
constexpr bool is_narrow(Precision precision) {
    return precision == Precision::fp8 || precision == Precision::mxfp8 || precision == Precision::nvfp4;
}

/// Bytes of one stored activation. Formats of 8 bits or fewer store bf16 activations and quantise them on the fly.
Bytes stored_bytes(Precision precision);

/// Bytes per parameter or element in mixed-precision training.
/// Source: Korthikanti et al., arXiv:2205.05198, section 4: 18 bytes per parameter = 2 + 4 + 12 for Adam.
struct TrainingBytes {
    Bytes activation;  ///< one activation element
    Bytes weight;      ///< one parameter in the precision of the products
    Bytes gradient;    ///< one element of the gradient buffer
    Bytes reduced;     ///< one element of a gradient in communication
    Bytes master;      ///< fp32 master copy of one parameter; zero when the weight itself is fp32
};

/// Defaults of mixed-precision training: gradients are accumulated and reduced in fp32.
TrainingBytes training_bytes(Precision precision);

}  // namespace dodona
