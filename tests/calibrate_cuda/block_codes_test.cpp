// What a thread of the GPU's kernels of quantisation computes, compiled for the host: the host's codes bit by bit.
#include "calibrate/cuda/block_codes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dodona::calibrate::cuda {
namespace block_codes_test {

Octet octet_of(const std::vector<float>& values, std::size_t first, std::size_t end) {
    Octet octet{};
    octet.count = static_cast<int>(std::min<std::size_t>(kOctet, end - first));
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), octet.count, octet.at);
    return octet;
}

struct Packed {
    std::vector<std::uint8_t> bytes;
    std::vector<float> back;
};

/// As the kernels do it, one thread after the other. Domain: a block of a multiple of 8.
template <CodeFormat format>
Packed by_octets(const std::vector<float>& values, std::size_t block) {
    const std::size_t codes = code_bytes(format, values.size());
    Packed packed{std::vector<std::uint8_t>(packed_bytes(format, values.size(), block)), values};
    for (std::size_t first = 0; first < values.size(); first += block) {
        const std::size_t end = std::min(first + block, values.size());
        float all = 0;
        for (std::size_t i = first; i < end; ++i) {
            all = joined<format>(all, std::abs(values[i]));
        }
        const float scale = scale_of<format>(all, static_cast<float>(end - first));
        std::memcpy(&packed.bytes[codes + first / block * sizeof(float)], &scale, sizeof(float));
        for (std::size_t i = first; i < end; i += kOctet) {
            const Octet octet = octet_of(values, i, end);
            const std::uint64_t word = encoded<format>(octet, inverse_of(scale));
            for (int byte = 0; byte < (octet.count * kBits<format> + 7) / 8; ++byte) {
                packed.bytes[i / kOctet * kBits<format> + static_cast<std::size_t>(byte)] =
                    static_cast<std::uint8_t>(word >> (8 * byte));
            }
            const Octet back = decoded<format>(word, scale, octet.count);
            std::copy_n(back.at, back.count, packed.back.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    return packed;
}

Packed by_host(CodeFormat format, const std::vector<float>& values, std::size_t block) {
    Packed packed{std::vector<std::uint8_t>(packed_bytes(format, values.size(), block)), values};
    quantise(format, values, block, packed.bytes);
    dequantise(format, packed.bytes, block, packed.back);
    return packed;
}

template <CodeFormat format>
void expect_the_hosts(const std::vector<float>& values, std::size_t block) {
    const Packed here = by_octets<format>(values, block);
    const Packed there = by_host(format, values, block);
    RC_ASSERT(here.bytes == there.bytes);
    RC_ASSERT(here.back == there.back);
}

RC_GTEST_PROP(BlockCodes, AreTheHostsBitByBit, (const std::vector<int>& drawn)) {
    std::vector<float> values(drawn.size());
    std::transform(drawn.begin(), drawn.end(), values.begin(),
                   [](int some) { return static_cast<float>(some) * std::exp2(static_cast<float>(some % 40)); });
    const std::size_t block = 8 * *rc::gen::inRange<std::size_t>(1, 5);
    expect_the_hosts<CodeFormat::int8>(values, block);
    expect_the_hosts<CodeFormat::fp8>(values, block);
    expect_the_hosts<CodeFormat::int4>(values, block);
    expect_the_hosts<CodeFormat::one_bit>(values, block);
}

// A block of one value with the largest number beside it has the scale 1: the other seven are coded as they are.
TEST(BlockCodes, EightBitFloatsAreTheHostsOfEveryRounding) {
    for (std::uint32_t bits = 0; bits < 0x43e10000; bits += 0x7f31) {  // up to 450, every exponent
        const float value = std::bit_cast<float>(bits);
        const std::vector<float> values{448, value, -value, 1.0625F, -0.0F, 0x1p-10F, 0x1.8p-9F, 0x1p-11F};
        EXPECT_EQ(by_octets<CodeFormat::fp8>(values, 8).bytes, by_host(CodeFormat::fp8, values, 8).bytes) << value;
    }
}

TEST(BlockCodes, WhatIsPastTheEndHasNoBits) {
    Octet octet{};
    octet.at[0] = 1;
    octet.count = 1;
    EXPECT_EQ(encoded<CodeFormat::int4>(octet, 1), 9U) << "the other half of the byte is 0, not the code of 0";
    EXPECT_EQ(encoded<CodeFormat::int8>(octet, 1), 1U);
}

}  // namespace block_codes_test
}  // namespace dodona::calibrate::cuda
