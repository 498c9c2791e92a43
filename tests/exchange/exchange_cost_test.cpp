// What exchanges add to a step: by hand.
#include "exchange/exchange_cost.hpp"

#include <gtest/gtest.h>

#include "exchange/delays.hpp"

namespace dodona::exchange::testing {
namespace exchange_cost_test {

constexpr BytesPerSecond kInstant = BytesPerSecond::of_base(1e30);

/// 100 MB over 10 GB/s: 10 ms.
ExchangeCost cost_of(const Exchange& exchange, Seconds compute, std::int64_t workers = 4) {
    const Network network = network_of(EqualWorkers{workers, {{}, 10_GB_per_s}, kInstant, kInstant});
    return exchange_cost(exchange, network,
                         {.layers = {}, .compute = compute, .gradients = {25e6, Bytes::of_base(100e6)}});
}

// Ring of two workers: one neighbour, 10 ms every 4 steps on 12.5 ms of compute: 1 to 5.
TEST(ExchangeCost, OneToFiveLeavesFiveSixths) {
    const Exchange exchange{.pattern = Pattern::ring, .period = 4, .outer = Outer::average, .sends = Sent::weights};
    const ExchangeCost cost = cost_of(exchange, 0.0125_s, 2);
    EXPECT_NEAR(cost.exposed.in(unit::second), 0.0025, 1e-12);
    EXPECT_NEAR(cost.utilisation, 0.8333, 1e-4);
}

TEST(ExchangeCost, WeightsHideBesideTheWholeStep) {
    const Exchange exchange{.pattern = Pattern::ring, .outer = Outer::average, .sends = Sent::weights};
    EXPECT_EQ(cost_of(exchange, 0.05_s).exposed, Seconds{});
    EXPECT_NEAR(cost_of(exchange, 0.005_s).step.in(unit::second), 0.02, 1e-12);
}

TEST(ExchangeCost, AsynchronousIsBoundByWorkerOrServer) {
    const Exchange exchange{
        .pattern = Pattern::servers, .servers = 1, .scheduling = Scheduling::asynchronous, .overlap = false};
    EXPECT_NEAR(cost_of(exchange, 0.1_s).step.in(unit::second), 0.12, 1e-12);   // compute, push, pull
    EXPECT_NEAR(cost_of(exchange, 0.01_s).step.in(unit::second), 0.04, 1e-12);  // 4 workers through the server
    EXPECT_TRUE(cost_of(exchange, 0.1_s).is_bound);
    EXPECT_EQ(*cost_of(exchange, 0.1_s).staleness.mean, 3);
}

TEST(ExchangeCost, SaysHowManyServersHideTheirTraffic) {
    const Exchange exchange{.pattern = Pattern::servers, .servers = 1, .overlap = false};
    EXPECT_EQ(cost_of(exchange, 0.02_s, 4).servers_to_hide, 4);  // 2 * 100 MB * 4 / (10 GB/s * 20 ms)
    EXPECT_EQ(cost_of({.pattern = Pattern::all_reduce}, 0.02_s).servers_to_hide, std::nullopt);
}

// Figure 14 of Langer et al.: VGG-A, 491 MiB, 0.45 s, on 10 GbE. A single server delays most, a ring about 2 Tw.
TEST(Delays, OrderPatternsOnTenGigabit) {
    const DelayQuestion question{
        .size = 491_MiB, .link = {{}, BytesPerSecond::of_base(10e9 / 8)}, .compute = 0.45_s, .workers = {2, 64}};
    const std::vector<Delays> rows = delays({{.name = "server", .pattern = Pattern::servers, .servers = 1},
                                             {.name = "tree", .pattern = Pattern::tree},
                                             {.name = "ring", .pattern = Pattern::all_reduce}},
                                            question);
    EXPECT_EQ(rows[0].exchange.name, "ring");
    EXPECT_EQ(rows[2].exchange.name, "server");
    const double tw = 491 * 0x1p20 / 1.25e9;
    const double rw = 491.0 / 10 / 1024;
    EXPECT_NEAR(rows[0].by_workers[1].exposed.in(unit::second), 63.0 / 64 * (2 * tw + rw), 1e-9);
}

}  // namespace exchange_cost_test
}  // namespace dodona::exchange::testing
