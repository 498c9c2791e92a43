#include "calibrate/compression/quantisation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/ranges.hpp"

namespace dodona::calibrate {

namespace {

constexpr float kInt8Most = 127;
constexpr float kInt4Most = 7;
constexpr float kFp8Most = 448;
constexpr int kFp8Bias = 7;
constexpr int kFp8Mantissa = 3;
constexpr std::uint8_t kFp8Sign = 0x80;
constexpr std::uint8_t kFp8Largest = 0x7e;

std::size_t blocks_of(std::size_t elements, std::size_t block) { return (elements + block - 1) / block; }

float most_of(std::span<const float> values) {
    float most = 0;
    for (const float value : values) {
        most = std::max(most, std::abs(value));
    }
    return most;
}

float mean_magnitude(std::span<const float> values) {
    auto sum = sum_of<float>(values, [](const float value) { return std::abs(value); });
    return sum / static_cast<float>(values.size());
}

float scale_of(CodeFormat format, std::span<const float> values) {
    switch (format) {
        case CodeFormat::int8: return most_of(values) / kInt8Most;
        case CodeFormat::int4: return most_of(values) / kInt4Most;
        case CodeFormat::fp8: return most_of(values) / kFp8Most;
        case CodeFormat::one_bit: break;
    }
    return mean_magnitude(values);
}

/// The nearest whole number within `most`.
int nearest_whole(float value, float most) { return static_cast<int>(std::nearbyint(std::clamp(value, -most, most))); }

/// e4m3: the exponent is that of the magnitude, at least that of subnormal numbers; mantissas that round up to the next
/// power carry into the exponent by themselves.
std::uint8_t fp8_of(float value) {
    const std::uint8_t sign = std::signbit(value) ? kFp8Sign : 0;
    const float magnitude = std::min(std::abs(value), kFp8Most);
    const auto exponent = static_cast<int>(std::bit_cast<std::uint32_t>(magnitude) >> 23U) - 127;
    const int bounded = std::max(exponent, 1 - kFp8Bias);
    const auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, kFp8Mantissa - bounded)));
    const int code = ((bounded + kFp8Bias - 1) << kFp8Mantissa) + steps;
    return static_cast<std::uint8_t>(sign | std::min<int>(code, kFp8Largest));
}

std::array<float, 256> fp8_values() {
    std::array<float, 256> values{};
    for (int code = 0; code < 256; ++code) {
        const int exponent = (code >> kFp8Mantissa) & 0xf;
        const int mantissa = code & 0x7;
        const float magnitude = exponent == 0
                                    ? std::ldexp(static_cast<float>(mantissa), 1 - kFp8Bias - kFp8Mantissa)
                                    : std::ldexp(static_cast<float>(mantissa + 8), exponent - kFp8Bias - kFp8Mantissa);
        values[static_cast<std::size_t>(code)] = (code & kFp8Sign) != 0 ? -magnitude : magnitude;
    }
    return values;
}

float value_of(CodeFormat format, std::span<const std::uint8_t> codes, std::size_t i) {
    static const std::array<float, 256> fp8 = fp8_values();
    switch (format) {
        case CodeFormat::int8: return static_cast<float>(static_cast<std::int8_t>(codes[i]));
        case CodeFormat::fp8: return fp8[codes[i]];
        case CodeFormat::int4: return static_cast<float>(((codes[i / 2] >> (i % 2 * 4)) & 0xf) - kInt4Bias);
        case CodeFormat::one_bit: break;
    }
    return ((codes[i / 8] >> (i % 8)) & 1) != 0 ? -1.0F : 1.0F;
}

/// Codes of values over their scale, from element `first` on.
void encode(CodeFormat format, std::span<const float> values, float inverse, std::size_t first,
            std::span<std::uint8_t> codes) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const float value = values[i] * inverse;
        const std::size_t at = first + i;
        switch (format) {
            case CodeFormat::int8: codes[at] = static_cast<std::uint8_t>(nearest_whole(value, kInt8Most)); break;
            case CodeFormat::fp8: codes[at] = fp8_of(value); break;
            case CodeFormat::int4:
                codes[at / 2] |=
                    static_cast<std::uint8_t>((nearest_whole(value, kInt4Most) + kInt4Bias) << (at % 2 * 4));
                break;
            case CodeFormat::one_bit:
                codes[at / 8] |= static_cast<std::uint8_t>((std::signbit(value) ? 1 : 0) << (at % 8));
                break;
        }
    }
}

struct CodeWord {
    std::string_view word;
    CodeFormat format;
};

constexpr std::array kCodeWords{CodeWord{"int8", CodeFormat::int8}, CodeWord{"fp8", CodeFormat::fp8},
                                CodeWord{"int4", CodeFormat::int4}, CodeWord{"1-bit", CodeFormat::one_bit}};

}  // namespace

std::optional<CodeFormat> code_format_of(std::string_view word) {
    const auto* found = found_in(kCodeWords, &CodeWord::word, word);
    return found == nullptr ? std::nullopt : std::optional(found->format);
}

std::size_t code_bytes(CodeFormat format, std::size_t elements) {
    switch (format) {
        case CodeFormat::int4: return (elements + 1) / 2;
        case CodeFormat::one_bit: return (elements + 7) / 8;
        case CodeFormat::int8:
        case CodeFormat::fp8: break;
    }
    return elements;
}

std::size_t packed_bytes(CodeFormat format, std::size_t elements, std::size_t block) {
    return code_bytes(format, elements) + blocks_of(elements, block) * sizeof(float);
}

void quantise(CodeFormat format, std::span<const float> values, std::size_t block, std::span<std::uint8_t> packed) {
    const std::size_t codes = code_bytes(format, values.size());
    std::fill_n(packed.begin(), codes, std::uint8_t{0});
    for (std::size_t first = 0; first < values.size(); first += block) {
        const std::span<const float> part = values.subspan(first, std::min(block, values.size() - first));
        const float scale = scale_of(format, part);
        encode(format, part, scale > 0 ? 1 / scale : 0, first, packed.first(codes));
        std::memcpy(packed.data() + codes + first / block * sizeof(float), &scale, sizeof(float));
    }
}

void dequantise(CodeFormat format, std::span<const std::uint8_t> packed, std::size_t block, std::span<float> values) {
    const std::size_t codes = code_bytes(format, values.size());
    for (std::size_t first = 0; first < values.size(); first += block) {
        float scale = 0;
        std::memcpy(&scale, packed.data() + codes + first / block * sizeof(float), sizeof(float));
        for (std::size_t i = first; i < std::min(first + block, values.size()); ++i) {
            values[i] = scale * value_of(format, packed.first(codes), i);
        }
    }
}

}  // namespace dodona::calibrate
