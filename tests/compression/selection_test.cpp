// The k largest of a vector, exactly and by a threshold.
#include "calibrate/compression/selection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dodona::calibrate {
namespace selection_test {

constexpr int kPasses = 30;
using Indices = std::vector<std::uint32_t>;

/// By sorting: the largest magnitudes, of equal ones the first.
Indices by_sorting(const std::vector<float>& values, std::size_t k) {
    Indices all(values.size());
    std::iota(all.begin(), all.end(), 0U);
    std::stable_sort(all.begin(), all.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return std::abs(values[a]) > std::abs(values[b]); });
    all.resize(k);
    std::sort(all.begin(), all.end());
    return all;
}

TEST(Selection, TakesTheLargestMagnitudesWhateverTheirSign) {
    const std::vector<float> values{0.5F, -4, 0, 3, -0.25F, 4};
    EXPECT_EQ(largest_exactly(values, 3), (Indices{1, 3, 5}));
    EXPECT_EQ(largest_by_threshold(values, 3, kPasses), (Indices{1, 3, 5}));
}

TEST(Selection, OfEqualMagnitudesTheFirstAreTaken) {
    EXPECT_EQ(largest_exactly(std::vector<float>{1, -1, 1, 1}, 2), (Indices{0, 1}));
    EXPECT_EQ(largest_by_threshold(std::vector<float>{1, -1, 1, 1}, 2, kPasses), (Indices{0, 1}));
}

TEST(Selection, NoneAndAllCanBeTaken) {
    const std::vector<float> values{0, 0, 5};
    EXPECT_EQ(largest_exactly(values, 0), Indices{});
    EXPECT_EQ(largest_by_threshold(values, 0, kPasses), Indices{});
    EXPECT_EQ(largest_exactly(values, 3), (Indices{0, 1, 2}));
    EXPECT_EQ(largest_by_threshold(values, 3, kPasses), (Indices{0, 1, 2}));
}

RC_GTEST_PROP(Selection, ExactIsWhatSortingTakes, (const std::vector<short>& drawn)) {
    const std::vector<float> values(drawn.begin(), drawn.end());
    const auto k = *rc::gen::inRange<std::size_t>(0, values.size() + 1);
    RC_ASSERT(largest_exactly(values, k) == by_sorting(values, k));
}

// After the mean each of the other 7 passes halves what is open between zero and the largest.
RC_GTEST_PROP(Selection, AThresholdMissesOnlyWhatItsLastPassLeavesOpen, (const std::vector<short>& drawn)) {
    const std::vector<float> values(drawn.begin(), drawn.end());
    const auto k = *rc::gen::inRange<std::size_t>(0, values.size() + 1);
    const Indices taken = largest_by_threshold(values, k, 8);
    RC_ASSERT(taken.size() == k && std::is_sorted(taken.begin(), taken.end()));
    float most = 0;
    for (const float value : values) {
        most = std::max(most, std::abs(value));
    }
    float least = most;
    for (const std::uint32_t index : taken) {
        least = std::min(least, std::abs(values[index]));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool left = !std::binary_search(taken.begin(), taken.end(), static_cast<std::uint32_t>(i));
        RC_ASSERT(!left || std::abs(values[i]) <= least + most / 128 + 1e-3F);
    }
}

}  // namespace selection_test
}  // namespace dodona::calibrate
