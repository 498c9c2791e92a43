// Block quantisation: codes of known values, and how far a value may be from what its code stands for.
#include "calibrate/compression/quantisation.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dodona::calibrate {
namespace quantisation_test {

std::vector<float> there_and_back(CodeFormat format, const std::vector<float>& values, std::size_t block) {
    std::vector<std::uint8_t> packed(packed_bytes(format, values.size(), block));
    quantise(format, values, block, packed);
    std::vector<float> back(values.size());
    dequantise(format, packed, block, back);
    return back;
}

TEST(Quantisation, CodesAndScalesTakeTheBytesThatPredictionsCount) {
    EXPECT_EQ(packed_bytes(CodeFormat::int8, 512, 256), 512 + 2 * 4);
    EXPECT_EQ(packed_bytes(CodeFormat::fp8, 512, 256), 512 + 2 * 4);
    EXPECT_EQ(packed_bytes(CodeFormat::int4, 512, 256), 256 + 2 * 4);
    EXPECT_EQ(packed_bytes(CodeFormat::one_bit, 512, 256), 64 + 2 * 4);
    EXPECT_EQ(packed_bytes(CodeFormat::int4, 3, 2), 2 + 2 * 4) << "a part of a byte and of a block count whole";
}

// The scale of 127, 64 and -1 is 1; that of 0.5 and -0.25 is 0.5 / 127.
TEST(Quantisation, WholeNumbersOfAScaleAreExact) {
    EXPECT_EQ(there_and_back(CodeFormat::int8, {127, 64, -1, 0}, 4), (std::vector<float>{127, 64, -1, 0}));
    EXPECT_EQ(there_and_back(CodeFormat::int4, {7, -7, 3, 0}, 4), (std::vector<float>{7, -7, 3, 0}));
}

// e4m3 with scale 1: three bits of mantissa, so 1.0625 is half way between 1 and 1.125 and goes to the even one; 2^-9 is
// the least subnormal number.
TEST(Quantisation, EightBitFloatsHaveThreeBitsOfMantissa) {
    EXPECT_EQ(there_and_back(CodeFormat::fp8, {448, 1.0625F, 1.0F, -1.2F, 0x1p-9F, 0x1p-11F}, 6),
              (std::vector<float>{448, 1.0F, 1.0F, -1.25F, 0x1p-9F, 0}));
    EXPECT_EQ(there_and_back(CodeFormat::fp8, {448, 15.9F, 0.0155F}, 3), (std::vector<float>{448, 16, 0.015625F}))
        << "a mantissa that rounds up carries into the exponent";
}

// The mean magnitude of 1, -2 and 3 is 2.
TEST(Quantisation, OneBitIsASignTimesTheMeanMagnitude) {
    EXPECT_EQ(there_and_back(CodeFormat::one_bit, {1, -2, 3}, 3), (std::vector<float>{2, -2, 2}));
}

TEST(Quantisation, ZerosStayZeros) {
    for (const CodeFormat format : {CodeFormat::int8, CodeFormat::fp8, CodeFormat::int4, CodeFormat::one_bit}) {
        EXPECT_EQ(there_and_back(format, {0, 0, 0}, 2), (std::vector<float>{0, 0, 0}));
    }
}

// Half a step: of int8 and int4 the largest over 254 or 14, of e4m3 a sixteenth of the value or half the least number.
RC_GTEST_PROP(Quantisation, IsOffByAtMostHalfAStepOfTheBlock, (const std::vector<short>& drawn)) {
    const std::vector<float> values(drawn.begin(), drawn.end());
    constexpr std::size_t kBlock = 5;
    struct Row {
        CodeFormat format;
        float of_most;
        float of_value;
    };
    for (const Row& row : {Row{CodeFormat::int8, 1 / 254.0F, 0}, Row{CodeFormat::int4, 1 / 14.0F, 0},
                           Row{CodeFormat::fp8, 0x1p-10F / 448, 1 / 16.0F}}) {
        const std::vector<float> back = there_and_back(row.format, values, kBlock);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::size_t first = i / kBlock * kBlock;
            float most = 0;
            for (std::size_t j = first; j < std::min(first + kBlock, values.size()); ++j) {
                most = std::max(most, std::abs(values[j]));
            }
            const float step = std::max(row.of_most * most, row.of_value * std::abs(values[i]));
            RC_ASSERT(std::abs(back[i] - values[i]) <= 1.001F * step);
        }
    }
}

}  // namespace quantisation_test
}  // namespace dodona::calibrate
