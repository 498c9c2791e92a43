// Axes that are split, joined and exchanged, against the positions of single numbers.
#include "files/traced/view.hpp"

#include <gtest/gtest.h>

namespace dodona::files::testing {
namespace view_test {

TEST(TensorView, HeadsOfFeaturesComeBackInOrder) {
    const TensorView whole = whole_view(0, {2, 5, 12});
    const auto split = reshaped(whole, {2, 5, 3, 4});
    ASSERT_TRUE(split);
    EXPECT_EQ(split->axes[2], (AxisFactors{{.dimension = 2, .step = 4, .extent = 3}}));
    const TensorView heads = transposed(*split, {0, 2, 1, 3});
    EXPECT_EQ(shape_of(heads), (Shape{2, 3, 5, 4}));
    // Joined as they lie, batch and heads are one axis; features are not.
    ASSERT_TRUE(reshaped(heads, {6, 5, 4}));
    EXPECT_FALSE(is_dimension(reshaped(heads, {2, 3, 20})->axes[2], 2, 20));
    const auto back = reshaped(transposed(heads, {0, 2, 1, 3}), {2, 5, 12});
    ASSERT_TRUE(back);
    EXPECT_EQ(back->axes, whole.axes);
}

TEST(TensorView, AxesThatAreNoProductsAreNone) {
    const TensorView heads = transposed(*reshaped(whole_view(0, {1, 6, 10}), {1, 6, 5, 2}), {0, 2, 1, 3});
    EXPECT_FALSE(reshaped(heads, {1, 4, 15}));
    EXPECT_TRUE(reshaped(heads, {1, 10, 6}));  // 5 x 2 of the sequence, 3 x 2: factors split further
    EXPECT_FALSE(reshaped(heads, {1, 60, 2}));
}

TEST(TensorView, PartsKeepTheirSteps) {
    const auto third = sliced(whole_view(0, {1, 4, 12}), 2, 4);
    ASSERT_TRUE(third);
    EXPECT_TRUE(third->is_part);
    EXPECT_EQ(extent_in(*third, 2), 4);
    // One of three, of features as 3 x 2 x 2.
    const auto one = sliced(*reshaped(whole_view(0, {1, 4, 12}), {1, 4, 3, 2, 2}), 2, 1);
    ASSERT_TRUE(one);
    EXPECT_EQ(shape_of(*one), (Shape{1, 4, 1, 2, 2}));
    EXPECT_EQ(factors_of(*one),
              (AxisFactors{{.dimension = 1, .step = 1, .extent = 4}, {.dimension = 2, .step = 1, .extent = 4}}));
}

TEST(TensorView, RepeatedAxesAreOfNoDimension) {
    const auto repeated = expanded(*reshaped(whole_view(0, {1, 4, 6}), {1, 4, 3, 1, 2}), {1, 4, 3, 2, 2});
    ASSERT_TRUE(repeated);
    EXPECT_EQ(extent_in(*repeated, kRepeated), 2);
    EXPECT_EQ(extent_in(*repeated, 2), 6);
    EXPECT_FALSE(expanded(whole_view(0, {1, 4}), {1, 5}));
}

}  // namespace view_test
}  // namespace dodona::files::testing
