// Kernels of compression on a device of 1 TB/s, as passes over memory and as measured.
#include "exchange/compression_time.hpp"

#include <gtest/gtest.h>

#include "cost/device_time.hpp"
#include "exchange/replica_exchange.hpp"

namespace dodona::exchange::testing {
namespace compression_time_test {

using cluster::CompressionKernel;

/// 1 MB takes 1 ms, 4 MB 8 ms: between them the time grows with the bytes to the power of 1.5.
cluster::Device measured() {
    cluster::Device device;
    device.memory_bandwidth = 1000_GB_per_s;
    device.compressions = {{.kernel = CompressionKernel::int8,
                            .points = {{Bytes::of_base(1e6), 1000_us}, {Bytes::of_base(4e6), 8000_us}},
                            .provenance = {}}};
    return device;
}

/// A buffer that int8 with one scale for all, of 4 bytes, moves `bytes` for: 2 (4 d + d) = 10 bytes an element.
Buffer moving(double bytes) { return {bytes / 10, Bytes::of_base(0.4 * bytes)}; }

Compression int8() { return {.kind = CompressionKind::int8, .block = std::int64_t{1} << 50}; }

double milliseconds(const Compression& how, const Buffer& buffer, const cluster::Device& device) {
    return compression_time(how, buffer, device).in(1000_us);
}

TEST(CompressionTime, OfAPointIsItsOwn) {
    EXPECT_NEAR(milliseconds(int8(), moving(1e6), measured()), 1, 1e-9);
    EXPECT_NEAR(milliseconds(int8(), moving(4e6), measured()), 8, 1e-9);
}

// 2^1.5 = 2.828
TEST(CompressionTime, BetweenPointsIsInterpolatedInLogSpace) {
    EXPECT_NEAR(milliseconds(int8(), moving(2e6), measured()), 2.8284, 1e-4);
}

TEST(CompressionTime, BeyondThePointsTheRateStays) {
    EXPECT_NEAR(milliseconds(int8(), moving(1e5), measured()), 0.1, 1e-9);
    EXPECT_NEAR(milliseconds(int8(), moving(4e7), measured()), 80, 1e-9);
}

TEST(CompressionTime, ErrorFeedbackIsAPassMore) {
    Compression fed = int8();
    fed.error_feedback = true;
    const cluster::Device device = measured();
    const Buffer buffer = moving(1e6);
    const Seconds pass = cost::stream_time(device, 2.0 * buffer.bytes).time.value;
    EXPECT_GT(pass, Seconds{});
    EXPECT_NEAR(milliseconds(fed, buffer, device), 1 + pass.in(1000_us), 1e-9);
}

TEST(CompressionTime, OfWhatWasNotMeasuredIsThatOfPasses) {
    const Compression fp8{.kind = CompressionKind::fp8};
    const cluster::Device device = measured();
    const Buffer buffer = moving(1e6);
    EXPECT_EQ(compression_time(fp8, buffer, device), cost::stream_time(device, kernel_traffic(fp8, buffer)).time.value);
    EXPECT_EQ(measured_compression(fp8, device), nullptr);
}

TEST(CompressionTime, SelectionsAreKernelsOfTheirOwn) {
    const auto kernel = [](Selection selection) {
        return compression_kernel({.kind = CompressionKind::top_k, .selection = selection});
    };
    EXPECT_EQ(kernel(Selection::exact), CompressionKernel::exact_top_k);
    EXPECT_EQ(kernel(Selection::threshold), CompressionKernel::threshold_top_k);
}

// A machine that is slow at int8 exchanges gradients in more time than one that was not measured.
TEST(CompressionTime, CountsInTheExchange) {
    cluster::Cluster cluster;
    cluster.device = measured();
    cluster.levels = {{.name = "node", .size = 2, .bandwidth = 100_GB_per_s, .latency = 2_us}};
    Exchange exchange{.pattern = Pattern::all_reduce, .overlap = false};
    exchange.compression = int8();
    const ReplicaWork work{.layers = {}, .compute = 1000_us, .gradients = moving(1e6)};
    const ExchangeCost slow = exchange_cost(exchange, network_of(cluster, {{{1, 2}}}, 2), work);
    cluster.device.compressions.clear();
    const ExchangeCost quick = exchange_cost(exchange, network_of(cluster, {{{1, 2}}}, 2), work);
    EXPECT_NEAR(slow.compression.in(1000_us), 1, 1e-9);
    EXPECT_NEAR((slow.step - quick.step).in(1000_us), (slow.compression - quick.compression).in(1000_us), 1e-9);
    EXPECT_LT(quick.compression, slow.compression);
}

}  // namespace compression_time_test
}  // namespace dodona::exchange::testing
