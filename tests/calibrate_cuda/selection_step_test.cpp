// Selections pass by pass, with the steps that the GPU's kernels take between passes: the elements that the host takes.
#include "calibrate/cuda/selection_step.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "calibrate/compression/selection.hpp"

namespace dodona::calibrate::cuda {
namespace selection_step_test {

using Indices = std::vector<std::uint32_t>;

std::uint32_t key_of(float value) { return std::bit_cast<std::uint32_t>(value) & 0x7fffffffU; }

/// One pass of the radix selection.
KeySearch with_next_digit(const std::vector<float>& values, const KeySearch& search, int shift) {
    std::array<std::uint32_t, kDigits> counts{};
    for (const float value : values) {
        counts[key_of(value) >> shift & (kDigits - 1U)] += competes(search, key_of(value)) ? 1 : 0;
    }
    KeySearch next = search;
    std::uint32_t above = 0;
    int found = 0;
    for (std::uint32_t digit = kDigits; digit-- > 0; above += counts[digit]) {
        if (has_rank(search, above, counts[digit])) {
            next = with_digit(search, digit, shift, above);
            ++found;
        }
    }
    EXPECT_EQ(found, 1) << "one thread only may write what it found";
    return next;
}

Taking exactly(const std::vector<float>& values, std::uint32_t k) {
    KeySearch search{0, 0, k};
    for (int shift = 32 - kDigitBits; shift >= 0; shift -= kDigitBits) {
        search = with_next_digit(values, search, shift);
    }
    return {search.found, search.found, search.left};
}

Taking by_threshold(const std::vector<float>& values, std::uint32_t k, int passes) {
    double sum = 0;
    float most = 0;
    for (const float value : values) {
        sum += static_cast<double>(std::abs(value));
        most = std::max(most, std::abs(value));
    }
    ThresholdSearch search{0, most, static_cast<float>(sum / static_cast<double>(values.size())), 0};
    for (int pass = 0; pass < passes; ++pass) {
        const auto above =
            std::count_if(values.begin(), values.end(), [&](float value) { return std::abs(value) > search.next; });
        search = narrowed(search, static_cast<std::uint32_t>(above), k);
    }
    return {key_of(search.least), key_of(search.sure), k - search.above_sure};
}

/// Each element's place is the number of those taken before it.
Indices taken(const std::vector<float>& values, const Taking& taking, std::size_t k) {
    Indices indices(k, ~0U);
    std::uint32_t sure = 0;
    std::uint32_t filling = 0;
    for (std::uint32_t i = 0; i < values.size(); ++i) {
        const std::uint32_t key = key_of(values[i]);
        if (is_sure(taking, key) || (may_fill(taking, key) && filling < taking.open)) {
            indices.at(sure + std::min(filling, taking.open)) = i;
        }
        sure += is_sure(taking, key) ? 1 : 0;
        filling += may_fill(taking, key) ? 1 : 0;
    }
    return indices;
}

struct Drawn {
    std::vector<float> values;
    std::uint32_t k;
};

Drawn drawn() {
    const auto shorts = *rc::gen::nonEmpty(rc::gen::arbitrary<std::vector<short>>());
    const std::vector<float> values(shorts.begin(), shorts.end());
    return {values, *rc::gen::inRange<std::uint32_t>(1, static_cast<std::uint32_t>(values.size()) + 1)};
}

RC_GTEST_PROP(SelectionStep, RadixSelectionTakesTheHostsElements, ()) {
    const Drawn of = drawn();
    RC_ASSERT(taken(of.values, exactly(of.values, of.k), of.k) == largest_exactly(of.values, of.k));
}

RC_GTEST_PROP(SelectionStep, TheSearchForTheThresholdTakesTheHostsElements, ()) {
    const Drawn of = drawn();
    const int passes = *rc::gen::inRange(1, 30);
    RC_ASSERT(taken(of.values, by_threshold(of.values, of.k, passes), of.k) ==
              largest_by_threshold(of.values, of.k, passes));
}

TEST(SelectionStep, OfEqualMagnitudesTheFirstAreTaken) {
    const std::vector<float> values{1, -1, 1, 1};
    EXPECT_EQ(taken(values, exactly(values, 2), 2), (Indices{0, 1}));
    EXPECT_EQ(taken(values, by_threshold(values, 2, 5), 2), (Indices{0, 1}));
}

}  // namespace selection_step_test
}  // namespace dodona::calibrate::cuda
