// The network of a group of workers on a machine: 4 nodes of 8 devices, 100 GB/s inside, two links of 25 GB/s a node.
#include "exchange/network.hpp"

#include <gtest/gtest.h>

#include "exchange/pattern_cost.hpp"

namespace dodona::exchange::testing {
namespace network_test {

cluster::Cluster four_nodes() {
    cluster::Cluster cluster;
    cluster.device.memory_bandwidth = 1000_GB_per_s;
    cluster.levels = {{.name = "node", .size = 8, .bandwidth = 100_GB_per_s, .latency = 2_us},
                      {.name = "system", .size = 4, .links = 2, .bandwidth = 25_GB_per_s, .latency = 5_us}};
    return cluster;
}

Workers workers_of(cluster::Group group, std::int64_t ranks) { return network_of(four_nodes(), group, ranks).workers; }

TEST(Network, SharesTheLinksOfANodeAmongItsWorkers) {
    const Workers workers = workers_of({{{1, 32}}}, 32);
    EXPECT_EQ(workers.per_node, 8);
    EXPECT_EQ(workers.nodes(), 4);
    EXPECT_EQ(workers.inside.bandwidth, 100_GB_per_s);
    EXPECT_EQ(workers.between.bandwidth, 50_GB_per_s);
    EXPECT_EQ(workers.far, 25_GB_per_s);  // one worker drives one link
    EXPECT_EQ(workers.to_far().latency, 5_us);
}

TEST(Network, SharesThemWithTheGroupsBeside) {
    const Workers workers = workers_of({{{8, 4}}}, 32);  // eight such groups
    EXPECT_EQ(workers.per_node, 1);
    EXPECT_EQ(workers.between.bandwidth, 50_GB_per_s / 8);
    EXPECT_EQ(workers.far, 50_GB_per_s / 8);
}

TEST(Network, OfOneNodeIsItsOwnLinks) {
    const Workers workers = workers_of({{{1, 8}}}, 8);
    EXPECT_FALSE(workers.leaves_nodes());
    EXPECT_EQ(workers.outermost().bandwidth, 100_GB_per_s);
    EXPECT_EQ(workers.to_far().bandwidth, 100_GB_per_s);
}

// 32 workers push 100 MB each to one server: 3.2 GB over its 50 GB/s; four servers: 800 MB from each node over 50 GB/s.
TEST(Network, ServersAreAsFastAsTheBusiestLink) {
    const cluster::Cluster cluster = four_nodes();
    const Network network = network_of(cluster, {{{1, 32}}}, 32);
    const auto seconds = [&](std::int64_t servers) {
        const Exchange exchange{.pattern = Pattern::servers, .servers = servers};
        return pattern_cost(exchange, network, {25e6, Bytes::of_base(100e6)}).busiest.in(unit::second);
    };
    EXPECT_NEAR(seconds(1), 3.2 / 50, 1e-9);
    EXPECT_NEAR(seconds(4), 0.8 / 50, 1e-9);
    EXPECT_NEAR(seconds(16), 0.8 / 50, 1e-9);  // more servers do not widen the nodes' own links
}

}  // namespace network_test
}  // namespace dodona::exchange::testing
