// Groups of a fully connected layer: bytes of a node by hand, and the best number of groups.
#include <gtest/gtest.h>

#include "exchange/hybrid_groups.hpp"

namespace dodona::exchange::testing {
namespace hybrid_groups_test {

// fc6 of VGG-A pooled to 9,216 features, 64 nodes, batch 256. G = 2: 8 * 9216 * 256 / 2 = 9.437 MB of activations and
// 8 * 9216 * 4096 * 2 / 64 = 9.437 MB of gradients.
TEST(HybridGroups, MoveTheBytesWorkedOutByHand) {
    const DenseLayer layer{9216, 4096};
    const auto megabytes = [&](std::int64_t groups) {
        return group_volume(layer, 64, 256, groups).in(Bytes::of_base(1e6));
    };
    EXPECT_NEAR(megabytes(1), 18.874, 1e-3);  // one group exchanges no gradients
    EXPECT_NEAR(megabytes(2), 18.874, 1e-3);
    EXPECT_NEAR(megabytes(4), 23.593, 1e-3);
    EXPECT_NEAR(megabytes(8), 40.108, 1e-3);
    EXPECT_NEAR(megabytes(64), 301.990, 1e-3);  // groups of one node exchange no activations
}

TEST(HybridGroups, AreAsManyAsTheirSquareRootSays) {
    EXPECT_EQ(best_groups({9216, 4096}, 16, 1024), 2);
    EXPECT_EQ(best_groups({9216, 4096}, 128, 512), 4);
    EXPECT_EQ(best_groups({9216, 4096}, 64, 256), 2);  // one group would move as much
}

TEST(HybridGroups, RatioDependsOnPositionsOnly) {
    EXPECT_DOUBLE_EQ(data_parallel_ratio(4, 56 * 56, 0), 1.5 * 4 * 56 * 56 / 2);
    EXPECT_DOUBLE_EQ(data_parallel_ratio(4, 1, 1), 6);
}

}  // namespace hybrid_groups_test
}  // namespace dodona::exchange::testing
