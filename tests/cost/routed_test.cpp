// All-to-alls of tokens to experts that cross each level once.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>

#include "cost/collective_time.hpp"

namespace dodona::cost {
namespace routed_test {

using cluster::Algorithm;
using cluster::Collective;
using graph::Routing;
using namespace dodona::literals;

/// `nodes` of `size` devices with a port each.
cluster::Cluster nodes_of(std::int64_t size, std::int64_t nodes, BytesPerSecond inside, BytesPerSecond port) {
    cluster::Cluster cluster;
    cluster.levels = {{.name = "node", .size = size, .bandwidth = inside, .latency = Seconds{}},
                      {.name = "system", .size = nodes, .links = size, .bandwidth = port, .latency = Seconds{}}};
    return cluster;
}

CollectiveTime exchange(const cluster::Cluster& cluster, Bytes size, const Routing& routing) {
    const std::int64_t ranks = cluster.devices();
    return collective_time(cluster, {.collective = Collective::all_to_all,
                                     .group = {{{1, ranks}}},
                                     .size = size,
                                     .ranks = ranks,
                                     .routing = routing});
}

TEST(Routed, SendsATokenToANodeOnce) {
    // Two nodes of 2, one of 4 experts each, 2 of them for a token, 12 MB: 6 MB of tokens, twice. Of 6 pairs of experts
    // one misses a node: 2 * 5/6 = 5/3 nodes a token, half of them the other one: 5 MB of a rank, 10 MB of a node over
    // 50 GB/s. Inside: 2 ranks a token, half of them the other one: 6 MB over 300 GB/s.
    cluster::Cluster cluster = nodes_of(2, 2, 300_GB_per_s, 25_GB_per_s);
    const Routing routing{.experts = 4, .chosen = 2};
    const CollectiveTime found = exchange(cluster, 12'000'000_B, routing);
    EXPECT_EQ(found.algorithm, Algorithm::hierarchical);
    EXPECT_EQ(found.level, 1u);
    EXPECT_NEAR(found.time.value.in(1_us), 200, 1e-9);
    EXPECT_NEAR(found.sent.in(unit::byte), 5e6 + 6e6, 1e-6);
    EXPECT_NEAR(exchange(cluster, 12'000'000_B, {}).time.value.in(1_us), 240, 1e-9) << "directly: 2 x 2/4 x 12 MB";
    // A step of each level.
    cluster.levels[0].latency = 3_us;
    cluster.levels[1].latency = 10_us;
    EXPECT_NEAR(exchange(cluster, 12'000'000_B, routing).time.value.in(1_us), 220, 1e-9);
}

// On a ring of 4 devices in one direction a message goes 4/2 links in the mean. Two nodes, 8 experts, one a token, 8 MB:
// inside, 3 of 4 ranks are others, 6 MB of a rank over 2 links of 100 GB/s.
TEST(Routed, CrossesTheLinksOfARingSeveralTimes) {
    cluster::Cluster cluster = nodes_of(4, 2, 100_GB_per_s, 1000_GB_per_s);
    cluster.levels[0].kind = cluster::LevelKind::ring;
    const CollectiveTime found = collective_time(cluster,
                                                 {.collective = Collective::all_to_all,
                                                  .group = {{{1, 8}}},
                                                  .size = 8'000'000_B,
                                                  .ranks = 8,
                                                  .routing = {.experts = 8, .chosen = 1}},
                                                 Algorithm::hierarchical);
    EXPECT_NEAR(found.time.value.in(1_us), 2 * 6e6 / 100e3, 1e-9);
}

TEST(Routed, IsOfLibrariesThatHaveIt) {
    cluster::Cluster cluster = nodes_of(2, 2, 300_GB_per_s, 25_GB_per_s);
    for (const cluster::CollectiveLibrary library : cluster::kCollectiveLibraries) {
        cluster.collectives = library;
        const CollectiveTime found = exchange(cluster, 12'000'000_B, {.experts = 4, .chosen = 2});
        EXPECT_EQ(found.algorithm == Algorithm::hierarchical, library == cluster::CollectiveLibrary::deepep)
            << name(library);
    }
}

// Of 8 experts on 4 ranks a token chooses 2, which are on 4 (1 - 6/8 5/7) = 1.857 ranks: 12 MB of two copies each become
// 11.14 MB, of which 3/4 leave the rank.
TEST(Routed, InsideANodeARankGetsATokenOnce) {
    cluster::Cluster cluster = nodes_of(4, 1, 300_GB_per_s, 25_GB_per_s);
    const auto found = [&](cluster::CollectiveLibrary library) {
        cluster.collectives = library;
        return exchange(cluster, 12'000'000_B, {.experts = 8, .chosen = 2});
    };
    EXPECT_NEAR(found(cluster::CollectiveLibrary::deepep).sent / found(cluster::CollectiveLibrary::nccl).sent,
                2.0 * (1 - 30.0 / 56), 1e-9);
}

/// Nodes that tokens go to in the mean, of all choices of groups and then of experts.
double counted_nodes(const Routing& routing, std::int64_t nodes) {
    const auto count = [](std::uint32_t set) { return static_cast<std::int64_t>(std::popcount(set)); };
    const std::int64_t of_group = routing.experts / routing.groups;
    double sum = 0;
    double choices = 0;
    for (std::uint32_t groups = 0; groups < (1U << routing.groups); ++groups) {
        if (count(groups) != routing.chosen_groups) {
            continue;
        }
        for (std::uint32_t experts = 0; experts < (1U << routing.experts); ++experts) {
            std::set<std::int64_t> reached;
            bool open = count(experts) == routing.chosen;
            for (std::int64_t e = 0; open && e < routing.experts; ++e) {
                if ((experts >> e & 1U) != 0) {
                    open = (groups >> (e / of_group) & 1U) != 0;
                    reached.insert(e * nodes / routing.experts);
                }
            }
            sum += open ? static_cast<double>(reached.size()) : 0;
            choices += open ? 1 : 0;
        }
    }
    return sum / choices;
}

TEST(Routed, CountsNodesAsAllChoicesTogetherDo) {
    for (const std::int64_t nodes : {2, 3, 4, 6}) {
        for (const Routing& routing :
             {Routing{.experts = 12, .chosen = 3}, Routing{.experts = 12, .chosen = 3, .groups = 2, .chosen_groups = 1},
              Routing{.experts = 12, .chosen = 4, .groups = 6, .chosen_groups = 3},
              Routing{.experts = 12, .chosen = 2, .groups = 12, .chosen_groups = 5}}) {
            if (nodes % routing.groups != 0 && routing.groups % nodes != 0) {
                continue;
            }
            // Links inside nodes take no time.
            const cluster::Cluster cluster = nodes_of(2, nodes, 1e6 * 1_GB_per_s, 1_GB_per_s);
            const double once = 1e9 / static_cast<double>(routing.chosen);
            const auto n = static_cast<double>(nodes);
            EXPECT_NEAR(exchange(cluster, 1'000'000'000_B, routing).time.value.in(unit::second),
                        (n - 1) / n * counted_nodes(routing, nodes) * once / 1e9, 1e-9)
                << nodes << " nodes, " << routing.chosen_groups << " of " << routing.groups << " groups";
        }
    }
}

// Groups of experts that nodes cut through: as if a token chose among all experts.
TEST(Routed, TakesNoGroupsThatDoNotFitNodes) {
    const cluster::Cluster cluster = nodes_of(2, 3, 300_GB_per_s, 1_GB_per_s);
    const Routing groups{.experts = 12, .chosen = 3, .groups = 2, .chosen_groups = 1};
    const Routing all{.experts = 12, .chosen = 3};
    EXPECT_EQ(exchange(cluster, 1'000'000_B, groups).time.value, exchange(cluster, 1'000'000_B, all).time.value);
}

// 4,096 tokens of 7,168 features in 16 bits, 8 of 256 experts in at most 4 nodes, H800 with 160 GB/s of NVLink and a port
// of 50 GB/s of which 0.96 is reached (hardware/links/infiniband-ndr.yaml). Bandwidths count what stays in a node, of
// combining: 43, 57 and 50 GB/s on 2, 4 and 8 nodes. Source: deepseek-ai/DeepEP, docs/legacy.md, normal kernels.
// On two nodes kernels are furthest from what links let through.
TEST(Routed, ReachesTheBandwidthOfDeepEP) {
    struct Measured {
        std::int64_t nodes;
        double bandwidth;  ///< GB/s
        double tolerance;
    };
    for (const Measured& row : {Measured{2, 43, 0.32}, Measured{4, 57, 0.13}, Measured{8, 50, 0.13}}) {
        const cluster::Cluster cluster = nodes_of(8, row.nodes, 160_GB_per_s, 48_GB_per_s);
        const Routing routing{
            .experts = 256, .chosen = 8, .groups = row.nodes, .chosen_groups = std::min<std::int64_t>(row.nodes, 4)};
        const double tokens = 4096 * 7168 * 2;
        const CollectiveTime found = exchange(cluster, Bytes::of_base(8 * tokens), routing);
        // Of the nodes that a token may go to, all but those that none of its 8 experts is in.
        const auto open = static_cast<double>(routing.chosen_groups);
        const double experts = 256 * open / static_cast<double>(row.nodes);
        double missed = 1;
        for (int i = 0; i < 8; ++i) {
            missed *= (experts * (1 - 1 / open) - i) / (experts - i);
        }
        const double logical = open * (1 - missed) * tokens / found.time.value.in(unit::second) / 1e9;
        EXPECT_NEAR(logical / row.bandwidth, 1, row.tolerance) << row.nodes << " nodes: " << logical << " GB/s";
    }
}

}  // namespace routed_test
}  // namespace dodona::cost
