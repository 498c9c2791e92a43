// Block quantisation: b consecutive elements share one scale, an fp32 number.
//
//   int8, int4   code = round(x / scale), scale = max |x| / 127 or / 7        x' = code * scale
//   fp8          x / scale rounded to e4m3 (4 bits of exponent, 3 of mantissa), scale = max |x| / 448
//   1-bit        code = sign of x, scale = mean |x|                           x' = +scale or -scale
//
// Packed: the codes of all elements (2 or 8 of them in a byte for int4 and 1-bit), then the scales.
// Source: Wang et al., arXiv:2306.10209 (ZeRO++), for blocks; Micikevicius et al., arXiv:2209.05433, for e4m3 without
// infinities and its largest number, 448; Seide et al., Interspeech 2014, for signs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace dodona::calibrate {

enum class CodeFormat { int8, fp8, int4, one_bit };

inline constexpr int kInt4Bias = 8;  ///< what is added to a number from -7 to 7 to make its code

/// The format of that name: int8, fp8, int4 or 1-bit.
std::optional<CodeFormat> code_format_of(std::string_view word);

/// Of `elements` codes, without their scales.
std::size_t code_bytes(CodeFormat format, std::size_t elements);
/// Of `elements` codes and their scales. Domain: `block` of at least 1.
std::size_t packed_bytes(CodeFormat format, std::size_t elements, std::size_t block);

/// Domain: `packed` has packed_bytes() bytes.
void quantise(CodeFormat format, std::span<const float> values, std::size_t block, std::span<std::uint8_t> packed);

/// What the codes stand for. Domain: as above.
void dequantise(CodeFormat format, std::span<const std::uint8_t> packed, std::size_t block, std::span<float> values);

}  // namespace dodona::calibrate
