// Quantities keep their dimension and lose their unit.
#include "base/quantity.hpp"

#include <type_traits>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace dodona {
namespace quantity_test {

TEST(Quantity, ComesOutOnlyInAUnit) {
    EXPECT_DOUBLE_EQ((1_s).in(1_us), 1e6);
    EXPECT_DOUBLE_EQ((2_GiB).in(1_MiB), 2048);
    EXPECT_DOUBLE_EQ((1_GB).in(unit::byte), 1e9);
}

TEST(Quantity, ProductsAndQuotientsHaveTheirDimension) {
    static_assert(std::is_same_v<decltype(Bytes{} / BytesPerSecond::of_base(1)), Seconds>);
    static_assert(std::is_same_v<decltype(FlopPerSecond{} * Seconds{}), Flop>);
    static_assert(std::is_same_v<decltype(Seconds{} / Seconds::of_base(1)), double>);
    // 100 GB at 50 GB/s take 2 s.
    EXPECT_DOUBLE_EQ((100_GB / 50_GB_per_s).in(unit::second), 2);
    EXPECT_DOUBLE_EQ((3_TFLOP_per_s * 2_s).in(Flop::of_base(1e12)), 6);
}

TEST(Quantity, HasAnOrder) {
    EXPECT_LT(1_GB, 1_GiB);
    EXPECT_EQ(max(1_us, 2_us), 2_us);
    EXPECT_EQ(min(1_us, 2_us), 1_us);
    EXPECT_EQ(Seconds{}, 0_s);
}

RC_GTEST_PROP(Quantity, AddsAndScalesLikeNumbers, (int a, int b)) {
    const Bytes x = Bytes::of_base(a);
    const Bytes y = Bytes::of_base(b);
    RC_ASSERT(x + y == y + x);
    RC_ASSERT((x + y) - y == x);
    RC_ASSERT(x * 2.0 == x + x);
    RC_ASSERT(-x + x == Bytes{});
}

}  // namespace quantity_test
}  // namespace dodona
