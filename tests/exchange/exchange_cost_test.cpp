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
    const double uw = 491.0 / 2 / 1024;  // each worker updates all its weights
    EXPECT_NEAR(rows[0].by_workers[1].exposed.in(unit::second), 63.0 / 64 * (2 * tw + rw) + uw, 1e-9);
}

/// T = 44.8 MB / 6 GB/s = 7.467 ms, R = 44.8 MB / 10 GiB/s = 4.172 ms: a ring of neighbours takes 2 (2 us + T) + 2 R = 23.28
/// ms, a ring all-reduce 2 (P - 1) (2 us + T / P) + (P - 1) / P R, which is 23.27 at 1,049 workers and 23.29 at 1,050.
TEST(Delays, OfNeighboursCrossThoseOfAnAllReduce) {
    const DelayQuestion question{
        .size = Bytes::of_base(44.8e6), .link = {2_us, 6_GB_per_s}, .compute = 0.1_s, .workers = {16}};
    const auto delay = [&](Pattern pattern, std::int64_t workers) {
        DelayQuestion at = question;
        at.workers = {workers};
        return delays({{.pattern = pattern}}, at)[0].by_workers[0].exposed;
    };
    const std::vector<Crossover> found =
        crossovers({{.name = "near", .pattern = Pattern::ring},
                    {.name = "torus", .pattern = Pattern::torus},
                    {.name = "all", .pattern = Pattern::all_reduce},
                    {.name = "late", .pattern = Pattern::servers, .scheduling = Scheduling::asynchronous}},
                   question);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].workers, 1050);
    EXPECT_GE(delay(Pattern::ring, 1049), delay(Pattern::all_reduce, 1049));
    EXPECT_LT(delay(Pattern::ring, 1050), delay(Pattern::all_reduce, 1050));
    EXPECT_EQ(found[1].workers, 83 * 83);
    EXPECT_GE(delay(Pattern::torus, 82 * 82), delay(Pattern::all_reduce, 82 * 82));
    DelayQuestion without = question;
    without.link.latency = {};
    EXPECT_FALSE(crossovers({{.pattern = Pattern::ring}, {.pattern = Pattern::all_reduce}}, without)[0].workers)
        << "a ring all-reduce never sends more";
}

}  // namespace exchange_cost_test
}  // namespace dodona::exchange::testing
