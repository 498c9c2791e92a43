// Halo formulas, by hand and against counting every row that every window reads.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "plan/halo.hpp"
#include "rows.hpp"

namespace dodona::plan::test {
namespace halo_test {

using graph::Window;

// K = 5: two rows from each neighbour; between two shards each has one neighbour only.
TEST(AHalo, OfStrideOneIsHalfTheKernelFromEachNeighbour) {
    const Window window{.kernel = 5, .pad = 2};
    EXPECT_EQ(forward_halo(window, 32, 32, 4), (Halo{.rows = 4, .neighbours = 2}));
    EXPECT_EQ(backward_halo(window, 32, 32, 4), (Halo{.rows = 4, .neighbours = 2}));
    EXPECT_EQ(forward_halo(window, 32, 32, 2), (Halo{.rows = 2, .neighbours = 1}));
}

// Shard i of 4 owns outputs 4i..4i+3 and inputs 8i..8i+7; output 4i reads from 8i-1, output 4i+3 up to 8i+7. Input row
// 8i+7 is read by outputs up to 4i+4, the first of the next shard.
TEST(AHalo, OfStrideTwoComesFromOneSide) {
    const Window window{.kernel = 3, .stride = 2, .pad = 1};
    EXPECT_EQ(forward_halo(window, 32, 16, 4), (Halo{.rows = 1, .neighbours = 1}));
    EXPECT_EQ(backward_halo(window, 32, 16, 4), (Halo{.rows = 1, .neighbours = 1}));
}

TEST(AHalo, IsNothingWhereWindowsDoNotOverlap) {
    EXPECT_EQ(forward_halo({.kernel = 2, .stride = 2}, 32, 16, 4), Halo{});
    EXPECT_EQ(forward_halo({.kernel = 1}, 32, 32, 4), Halo{});
    EXPECT_EQ(forward_halo({.kernel = 3, .pad = 1}, 32, 32, 1), Halo{});
}

// Dilation 4 of a kernel of 3 spans 9: four rows from each side, but a shard of 32/16 = 2 has only two.
TEST(AHalo, IsTooWideWhereItReachesPastTheNeighbour) {
    EXPECT_TRUE(forward_halo({.kernel = 3, .pad = 4, .dilation = 4}, 32, 32, 16).too_wide);
    EXPECT_FALSE(forward_halo({.kernel = 3, .pad = 4, .dilation = 4}, 32, 32, 8).too_wide);
}

// 2 outputs on 3 ranks: the third has none and reads nothing; the second, output 1, reads rows 3..7 and owns 4..7.
TEST(AHalo, IsNothingForAShardWithoutOutputs) {
    EXPECT_EQ(forward_halo({.kernel = 5, .stride = 3}, 10, 2, 3), (Halo{.rows = 1, .neighbours = 1}));
}

struct Case {
    Window window;
    std::int64_t inputs = 1, outputs = 1, ways = 1;
};

/// Padding is narrower than the kernel: every window reads at least one row.
Case random_case() {
    Case c;
    c.window.kernel = *rc::gen::inRange<std::int64_t>(1, 8);
    c.window.stride = *rc::gen::inRange<std::int64_t>(1, 5);
    c.window.pad = *rc::gen::inRange<std::int64_t>(0, c.window.kernel);
    c.inputs = *rc::gen::inRange<std::int64_t>(1, 60);
    c.ways = *rc::gen::inRange<std::int64_t>(2, 9);
    RC_PRE(c.window.span() <= c.inputs + 2 * c.window.pad);
    c.outputs = (c.inputs + 2 * c.window.pad - c.window.span()) / c.window.stride + 1;
    return c;
}

bool reads(const Window& window, std::int64_t output, std::int64_t input) {
    const std::int64_t first = window.stride * output - window.pad;
    return first <= input && input < first + window.kernel;
}

RC_GTEST_PROP(AForwardHalo, HoldsEveryInputThatAShardReadsAndDoesNotOwn, ()) {
    const Case c = random_case();
    Halo counted;
    for (std::int64_t shard = 0; shard < c.ways; ++shard) {
        Rows needed;
        for (const std::int64_t output : owned(c.outputs, c.ways, shard)) {
            for (std::int64_t input = 0; input < c.inputs; ++input) {
                if (reads(c.window, output, input)) {
                    needed.insert(input);
                }
            }
        }
        note(needed, owned(c.inputs, c.ways, shard), divide_up(c.inputs, c.ways), counted);
    }
    RC_ASSERT(forward_halo(c.window, c.inputs, c.outputs, c.ways) == counted);
}

RC_GTEST_PROP(ABackwardHalo, HoldsEveryGradientThatAShardsInputsWentInto, ()) {
    const Case c = random_case();
    Halo counted;
    for (std::int64_t shard = 0; shard < c.ways; ++shard) {
        Rows needed;
        for (const std::int64_t input : owned(c.inputs, c.ways, shard)) {
            for (std::int64_t output = 0; output < c.outputs; ++output) {
                if (reads(c.window, output, input)) {
                    needed.insert(output);
                }
            }
        }
        note(needed, owned(c.outputs, c.ways, shard), divide_up(c.outputs, c.ways), counted);
    }
    RC_ASSERT(backward_halo(c.window, c.inputs, c.outputs, c.ways) == counted);
}

}  // namespace halo_test
}  // namespace dodona::plan::test
