// Pooled look-ups on the host, by hand.
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "calibrate/lookup/pooled_rows.hpp"

namespace dodona::calibrate {
namespace pooled_rows_test {

/// Three rows of two numbers; two samples of two look-ups each, of which one row twice.
struct Scene {
    std::vector<float> table{1, 2, 10, 20, 100, 200};
    std::array<std::int64_t, 4> indices{0, 2, 1, 1};
    [[nodiscard]] PooledRows rows() { return {.table = table.data(), .width = 2, .lookups = 2, .indices = indices}; }
};

TEST(PooledRows, AreAddedUpForEachSample) {
    Scene scene;
    std::vector<float> sums(4, -1);
    sum_rows(scene.rows(), 0, 2, sums.data());
    EXPECT_EQ(sums, (std::vector<float>{101, 202, 20, 40}));
    std::vector<float> second(4, -1);
    sum_rows(scene.rows(), 1, 2, second.data());
    EXPECT_EQ(second, (std::vector<float>{-1, -1, 20, 40})) << "only the second sample";
}

TEST(PooledRows, TakeTheirSamplesGradientOnceForEachLookUp) {
    Scene scene;
    const std::vector<float> gradients{1, 2, 3, 4};
    add_to_rows(scene.rows(), 0, 2, gradients.data(), 1);
    EXPECT_EQ(scene.table, (std::vector<float>{0, 0, 4, 12, 99, 198}));
}

}  // namespace pooled_rows_test
}  // namespace dodona::calibrate
