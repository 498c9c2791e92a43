// Exchanges with neighbours: the numbers of workers that cross over to all-reduce, and what nodes share.
#include "exchange/neighbours.hpp"

#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "base/diagnostic.hpp"
#include "exchange/pattern_cost.hpp"

namespace dodona::exchange::testing {
namespace neighbours_test {

/// ResNet-18 in fp32 on 6 GB/s and 2 us; reductions cost nothing here.
constexpr Bytes kSize = Bytes::of_base(44.8e6);
constexpr Wire kLink{2_us, 6_GB_per_s};
constexpr BytesPerSecond kInstant = BytesPerSecond::of_base(1e30);

double milliseconds(Pattern pattern, std::int64_t workers) {
    const Exchange exchange{.pattern = pattern};
    const Network network = network_of(EqualWorkers{workers, kLink, kInstant, kInstant});
    return pattern_cost(exchange, network, {11.2e6, kSize}).together.in(1e-3 * unit::second);
}

TEST(Neighbours, TimeIsFlatInTheNumberOfWorkers) {
    for (const std::int64_t workers : {16, 64, 256, 1024}) {
        EXPECT_NEAR(milliseconds(Pattern::ring, workers), 14.937, 1e-3);
        EXPECT_NEAR(milliseconds(Pattern::torus, workers), 29.875, 1e-3);
    }
}

TEST(Neighbours, SendSixteenBytesAWeightOnATorus) {
    const Network network = network_of(EqualWorkers{16, kLink, kInstant, kInstant});
    EXPECT_EQ(pattern_cost({.pattern = Pattern::torus}, network, {11.2e6, kSize}).sent, 16 * 11.2e6 * 1_B);
}

TEST(Neighbours, AllReduceMovesFewerBytesUntilLatencyCounts) {
    EXPECT_NEAR(milliseconds(Pattern::all_reduce, 4), 11.212, 1e-3);
    EXPECT_NEAR(milliseconds(Pattern::all_reduce, 16), 14.060, 1e-3);
    EXPECT_NEAR(milliseconds(Pattern::all_reduce, 64), 14.952, 1e-3);
    EXPECT_NEAR(milliseconds(Pattern::all_reduce, 1024), 19.011, 1e-3);
    EXPECT_NEAR(milliseconds(Pattern::all_reduce, 4096), 31.310, 1e-3);
}

TEST(Neighbours, CrossOverWhereTheSeedSays) {
    const auto first_faster = [](Pattern pattern, std::int64_t workers, std::int64_t step) {
        while (milliseconds(pattern, workers) >= milliseconds(Pattern::all_reduce, workers)) {
            workers += step;
        }
        return workers;
    };
    EXPECT_EQ(first_faster(Pattern::ring, 3, 1), 63);
    EXPECT_NEAR(static_cast<double>(first_faster(Pattern::torus, 3600, 4)), 3738, 8);
}

TEST(Neighbours, NoTwoWorkersSendToTheSameOneInTheSameTurn) {
    for (const auto& [pattern, workers] : {std::pair{Pattern::ring, 4}, std::pair{Pattern::ring, 7},
                                           std::pair{Pattern::torus, 4}, std::pair{Pattern::torus, 12}}) {
        const std::size_t turns = neighbours({.pattern = pattern}, workers, 0).size();
        for (std::size_t turn = 0; turn < turns; ++turn) {
            std::set<std::int64_t> receivers;
            for (int worker = 0; worker < workers; ++worker) {
                receivers.insert(neighbours({.pattern = pattern}, workers, worker).at(turn));
            }
            EXPECT_EQ(receivers.size(), static_cast<std::size_t>(workers)) << name(pattern) << " " << workers;
        }
    }
}

TEST(Neighbours, OfAGridAreThoseNextToIt) {
    EXPECT_EQ(square_grid(16).width, 4);
    EXPECT_EQ(square_grid(12).height, 3);
    EXPECT_EQ(square_grid(7).height, 1);
    EXPECT_EQ(neighbours({.pattern = Pattern::torus}, 16, 0), (std::vector<std::int64_t>{1, 3, 4, 12}));
    EXPECT_EQ(neighbours({.pattern = Pattern::ring}, 2, 0), (std::vector<std::int64_t>{1}));
}

/// Two rows of eight: the same worker is above and below.
TEST(Neighbours, OfAGridWhoseRowsAreGiven) {
    const Exchange torus{.pattern = Pattern::torus, .rows = 2};
    EXPECT_EQ(neighbours(torus, 16, 0), (std::vector<std::int64_t>{1, 7, 8}));
    EXPECT_EQ(neighbours({.pattern = Pattern::torus, .rows = 4}, 16, 0),
              neighbours({.pattern = Pattern::torus}, 16, 0));
    EXPECT_THROW(neighbours(torus, 15, 0), InputError);
    const Network network = network_of(EqualWorkers{16, kLink, kInstant, kInstant});
    EXPECT_EQ(pattern_cost(torus, network, {11.2e6, kSize}).sent, 12 * 11.2e6 * 1_B);
}

/// Links of 6 GB/s, 60 in a node: a worker alone sends two inside and two outside at once, S each; the two outside count.
TEST(Neighbours, OfAWorkerAloneUseItsLinksAtOnce) {
    Network network = network_of(EqualWorkers{16, kLink, kInstant, kInstant});
    network.workers.per_node = 4;
    network.workers.inside = {1_us, 60_GB_per_s};
    const Seconds alone = pattern_cost({.pattern = Pattern::torus}, network, {11.2e6, kSize}).alone;
    EXPECT_NEAR(alone.in(unit::second), 2e-6 + 2 * 44.8e6 / 6e9, 1e-9);
}

/// 16 workers on 4 nodes, each a row of the torus: a worker sends 2 S inside, a node 4 * 2 S out of its one link.
TEST(Neighbours, ShareTheLinkOfTheirNode) {
    Network network = network_of(EqualWorkers{16, kLink, kInstant, kInstant});
    network.workers.per_node = 4;
    network.workers.inside = {1_us, 60_GB_per_s};
    const double seconds =
        pattern_cost({.pattern = Pattern::torus}, network, {11.2e6, kSize}).together.in(unit::second);
    EXPECT_NEAR(seconds, 4 * 2e-6 + 8 * 44.8e6 / 6e9, 1e-9);
}

}  // namespace neighbours_test
}  // namespace dodona::exchange::testing
