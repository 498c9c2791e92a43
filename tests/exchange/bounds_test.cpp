// The closed forms of patterns equal the lower bounds of Langer et al., arXiv:2007.03970, on equal workers without latency.
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "exchange/pattern_cost.hpp"

namespace dodona::exchange::testing {
namespace bounds_test {

/// VGG-A of their Figure 14 on 10 GbE: 491 MiB; reduction at 10 GiB/s, update at 2 GiB/s.
constexpr Bytes kSize = 491_MiB;
constexpr BytesPerSecond kLink = BytesPerSecond::of_base(10e9 / 8);
constexpr BytesPerSecond kReduce = BytesPerSecond::of_base(10 * 0x1p30);
constexpr BytesPerSecond kUpdate = BytesPerSecond::of_base(2 * 0x1p30);

struct Times {
    double n;
    double t;  ///< Tw
    double r;  ///< Rw
    double u;  ///< Uw
};

Times times_of(std::int64_t workers) {
    return {static_cast<double>(workers), (kSize / kLink).in(unit::second), (kSize / kReduce).in(unit::second),
            (kSize / kUpdate).in(unit::second)};
}

PatternCost cost_of(const Exchange& exchange, std::int64_t workers) {
    const Network network =
        network_of(EqualWorkers{.count = workers, .link = {{}, kLink}, .reduce = kReduce, .update = kUpdate});
    return pattern_cost(exchange, network, {kSize.in(unit::byte) / 4, kSize});
}

double together(const Exchange& exchange, std::int64_t workers) {
    return cost_of(exchange, workers).together.in(unit::second);
}

RC_GTEST_PROP(Bounds, HoldForEachPattern, ()) {
    const auto workers = *rc::gen::inRange<std::int64_t>(2, 65);
    const auto [n, t, r, u] = times_of(workers);
    const auto close = [](double made, double due) { RC_ASSERT(std::abs(made - due) < 1e-9 * due); };
    close(together({.pattern = Pattern::servers, .servers = 1}, workers), 2 * n * t + (n - 1) * r + u);
    close(together({.pattern = Pattern::tree}, workers),
          2 * std::ceil(std::log2(n + 1)) * t + std::ceil(std::log2(n)) * r + u);
    close(together({.pattern = Pattern::scatter_reduce}, workers), (2 + 2 * (n - 1) / n) * t + (n - 1) / n * r + u);
    close(together({.pattern = Pattern::servers}, workers), 2 * (n - 1) / n * t + (n - 1) / n * r + u / n);
    close(together({.pattern = Pattern::recursive_doubling}, workers), std::ceil(std::log2(n)) * (t + r));
    close(together({.pattern = Pattern::all_reduce}, workers), 2 * (n - 1) / n * t + (n - 1) / n * r);
}

/// More bytes never take less time, a faster link never more; nobody is faster among others than alone.
RC_GTEST_PROP(Patterns, GrowWithBytesAndShrinkWithBandwidth, ()) {
    Exchange exchange{.pattern = *rc::gen::elementOf(values_of(kPatternTable))};
    exchange.compression.kind = exchange.pattern == Pattern::all_reduce
                                    ? *rc::gen::elementOf(values_of(kCompressionKindTable))
                                    : CompressionKind::none;
    exchange.compression.scheme = *rc::gen::elementOf(values_of(kSparseSchemeTable));
    const auto nodes = *rc::gen::inRange<std::int64_t>(2, 9);
    const auto per_node = *rc::gen::inRange<std::int64_t>(1, 9);
    const auto time = [&](double elements, double bandwidth) {
        Network network = network_of(EqualWorkers{.count = nodes * per_node,
                                                  .link = {5_us, BytesPerSecond::of_base(bandwidth)},
                                                  .reduce = kReduce,
                                                  .update = kUpdate});
        network.workers.per_node = per_node;
        network.workers.inside = {1_us, BytesPerSecond::of_base(20 * bandwidth)};
        network.workers.near = network.workers.inside.bandwidth;
        return pattern_cost(exchange, network, {elements, elements * 4_B});
    };
    const PatternCost cost = time(1e6, 1e9);
    RC_ASSERT(cost.together > Seconds{});
    RC_ASSERT(time(2e6, 1e9).together >= cost.together);
    RC_ASSERT(time(1e6, 2e9).together <= cost.together);
    RC_ASSERT(cost.alone <= 1.000001 * cost.together);
    RC_ASSERT(cost.sent > Bytes{});
}

TEST(Bounds, OfAnAsynchronousServer) {
    const auto [n, t, r, u] = times_of(16);
    const PatternCost cost =
        cost_of({.pattern = Pattern::servers, .servers = 1, .scheduling = Scheduling::asynchronous}, 16);
    EXPECT_NEAR(cost.alone.in(unit::second), 2 * t + u, 1e-9);
    EXPECT_NEAR(cost.busiest.in(unit::second), n * t, 1e-9);  // each way; an update takes less than a transfer
    EXPECT_LT(u, t);
}

// S of 244 MB, servers of 1.25 GB/s: 4 workers of 2 s need 2 * 244 * 4 / (1250 * 2) = 0.78 servers, 16 of 1 s 6.25.
TEST(Bounds, ServersThatHideTheirTraffic) {
    const Bytes size = Bytes::of_base(244e6);
    EXPECT_EQ(servers_to_hide(size, 4, 1.25_GB_per_s, 2_s), 1);
    EXPECT_EQ(servers_to_hide(size, 16, 1.25_GB_per_s, 1_s), 7);
}

}  // namespace bounds_test
}  // namespace dodona::exchange::testing
