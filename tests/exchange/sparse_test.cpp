// Sums of sparse gradients on 16 nodes of 8 workers that share a NIC of 25 Gb/s: 102.4 MB of gradients, density 0.001.
#include <gtest/gtest.h>

#include "exchange/exchange_cost.hpp"

namespace dodona::exchange::testing {
namespace sparse_test {

constexpr Buffer kGradients{25.6e6, Bytes::of_base(102.4e6)};

Network tencent() {
    Network network;
    network.workers = {.count = 128,
                       .per_node = 8,
                       .inside = {10_us, BytesPerSecond::of_base(1 / 2e-11)},
                       .between = {50_us, BytesPerSecond::of_base(25e9 / 8)},
                       .near = BytesPerSecond::of_base(1 / 2e-11),
                       .far = BytesPerSecond::of_base(25e9 / 8)};
    return network;
}

double milliseconds(SparseScheme scheme) {
    Exchange exchange{.pattern = Pattern::all_reduce};
    exchange.compression = {.kind = CompressionKind::top_k, .density = 0.001, .scheme = scheme};
    return pattern_cost(exchange, tencent(), kGradients).together.in(1e-3 * unit::second);
}

// 7 (10 us + 12.8 MB / 50 GB/s) = 1.862;  15 (50 us + 8 * 25.6 kB / 3.125 GB/s) = 1.733;
// 7 (10 us + 16 * 25.6 kB / 50 GB/s) = 0.127.
TEST(Sparse, HierarchicalByHand) { EXPECT_NEAR(milliseconds(SparseScheme::hierarchical), 3.72, 0.005); }

// 127 * 50 us + 120 * 8 * 204.8 kB / 3.125 GB/s: eight workers share each NIC.
TEST(Sparse, AllGatherCountsThatWorkersShareTheNic) {
    EXPECT_NEAR(milliseconds(SparseScheme::all_gather), 69.26, 0.005);
    Network alone = tencent();
    alone.workers.per_node = 1;
    Exchange exchange{.pattern = Pattern::all_reduce};
    exchange.compression = {.kind = CompressionKind::top_k, .scheme = SparseScheme::all_gather};
    EXPECT_NEAR(pattern_cost(exchange, alone, kGradients).together.in(1e-3 * unit::second),
                127 * (0.05 + 204.8e3 / 3.125e9 * 1e3), 1e-6);
}

// 2 (3 (10 us + 204.8 kB / 50 GB/s) + 4 (50 us + 204.8 kB / 3.125 GB/s)).
TEST(Sparse, TreeByHand) { EXPECT_NEAR(milliseconds(SparseScheme::tree), 1.0089, 0.0005); }

TEST(Sparse, KeepsExactlyTheDensity) {
    const Compression compression{.kind = CompressionKind::top_k, .density = 0.001};
    EXPECT_EQ(compressed(compression, kGradients), 8 * 25600_B);
    EXPECT_EQ(compressed(compression, {10, 40_B}), 8_B);  // at least one element
    EXPECT_EQ(compressed({.kind = CompressionKind::int8, .block = 256}, {1024, 4096_B}), 1024_B + 16_B);
    EXPECT_EQ(compressed({.kind = CompressionKind::one_bit, .block = 256}, {1024, 4096_B}), 128_B + 16_B);
    EXPECT_EQ(compressed({}, {1024, 2048_B}), 2048_B);
}

// Threshold: 20 passes and one for mean and maximum read the gradient; one more takes the elements; residual twice.
TEST(Sparse, KernelsMoveTheBytesOfTheirPasses) {
    const Compression threshold{.kind = CompressionKind::top_k, .passes = 20, .error_feedback = true};
    EXPECT_EQ(kernel_traffic(threshold, {1000, 4000_B}), 22 * 4000_B + 2 * 8_B + 2 * 4000_B);
    EXPECT_EQ(kernel_traffic({.kind = CompressionKind::int8, .block = 250}, {1000, 4000_B}), 2 * (4000_B + 1016_B));
    EXPECT_EQ(kernel_traffic({}, {1000, 4000_B}), Bytes{});
}

}  // namespace sparse_test
}  // namespace dodona::exchange::testing
