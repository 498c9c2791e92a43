// Levels that are neither switch nor ring: bus, rail, dragonfly; and groups that do not fit a node.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cost/collective_time.hpp"
#include "scenes.hpp"

namespace dodona::cost {
namespace topology_test {

using cluster::Algorithm;
using cluster::Collective;
using cluster::LevelKind;
using cluster::Routing;

double micro(const CollectiveTime& found) { return found.time.value.in(1_us); }

CollectiveRequest on(std::int64_t ranks, cluster::Group group, Collective collective, Bytes size) {
    return {.collective = collective, .group = std::move(group), .size = size, .ranks = ranks};
}

/// Four devices on one host bridge of 10 GB/s, one NIC of 12.5 GB/s a node.
cluster::Cluster cloud() {
    cluster::Cluster cluster;
    cluster.levels = {{.name = "node", .size = 4, .kind = LevelKind::bus, .bandwidth = 10_GB_per_s, .latency = 10_us},
                      {.name = "system", .size = 8, .bandwidth = 12.5_GB_per_s, .latency = 20_us}};
    return cluster;
}

// Each of four sends 2 * 3/4 * 1 MB; all 6 MB pass the bridge: 600 us.
TEST(Bus, carries_what_all_its_children_send) {
    const auto found =
        collective_time(cloud(), on(4, {{{1, 4}}}, Collective::all_reduce, 1'000'000_B), Algorithm::ring);
    EXPECT_NEAR(micro(found), 60 + 600, 1e-9);
    EXPECT_EQ(found.contention, 1) << "the group is alone";
}

// Two pairs: each has 2 * 1 MB to carry, and half the bridge.
TEST(Bus, is_shared_by_the_groups_on_it) {
    const auto alone =
        collective_time(cloud(), on(2, {{{1, 2}}}, Collective::all_reduce, 1'000'000_B), Algorithm::ring);
    EXPECT_NEAR(micro(alone), 20 + 200, 1e-9);
    for (const std::int64_t stride : {1, 2}) {
        const auto both =
            collective_time(cloud(), on(4, {{{stride, 2}}}, Collective::all_reduce, 1'000'000_B), Algorithm::ring);
        EXPECT_NEAR(micro(both), 20 + 400, 1e-9) << stride;
        EXPECT_DOUBLE_EQ(both.contention, 2) << stride;
    }
}

// Four groups of one member a node: 4 * 1 MB pass each bridge, 400 us, and each NIC, 320 us.
TEST(Bus, is_passed_on_the_way_out_of_the_node) {
    const auto found =
        collective_time(cloud(), on(8, {{{4, 2}}}, Collective::all_reduce, 1'000'000_B), Algorithm::ring);
    EXPECT_NEAR(micro(found), 40 + 400, 1e-9);
    EXPECT_EQ(found.level, 0u);
}

TEST(Bus, of_two_links_is_twice_as_fast) {
    cluster::Cluster two = cloud();
    two.levels[0].links = 2;
    const auto found = collective_time(two, on(4, {{{1, 4}}}, Collective::all_reduce, 1'000'000_B), Algorithm::ring);
    EXPECT_NEAR(micro(found), 60 + 300, 1e-9);
}

cluster::Cluster railed(LevelKind kind = LevelKind::rail) {
    cluster::Cluster cluster = scene::two_levels(8);
    cluster.levels[1].kind = kind;
    return cluster;
}

TEST(Rail, is_a_switch_for_ranks_at_equal_positions) {
    for (const Collective collective : cluster::kCollectives) {
        const CollectiveRequest request = on(32, {{{8, 4}}}, collective, 25'000'000_B);
        EXPECT_EQ(collective_time(railed(), request).time.value,
                  collective_time(railed(LevelKind::switched), request).time.value);
    }
    const CollectiveRequest ring = on(32, {{{1, 32}}}, Collective::all_reduce, 25'000'000_B);
    EXPECT_EQ(collective_time(railed(), ring).time.value, collective_time(railed(LevelKind::switched), ring).time.value)
        << "rings enter and leave a node by the same rail";
}

// Rank 7 to rank 8: over the node's switch to position 0, then rail 0: 3 us more.
TEST(Rail, reaches_other_positions_through_the_node) {
    for (const Collective collective : {Collective::send, Collective::all_to_all}) {
        const CollectiveRequest request = on(32, {{{1, 32}}}, collective, 25'000'000_B);
        EXPECT_NEAR(micro(collective_time(railed(), request)),
                    3 + micro(collective_time(railed(LevelKind::switched), request)), 1e-9);
    }
    const CollectiveRequest three = on(24, {{{1, 3}}}, Collective::all_gather, 25'000'000_B);
    EXPECT_NEAR(micro(collective_time(railed(), three, Algorithm::ring)),
                2 * 3 + micro(collective_time(railed(LevelKind::switched), three, Algorithm::ring)), 1e-9)
        << "ranks 6, 7 and 8 are at positions 6, 7 and 0";
}

/// Nine groups of 16 nodes; a group has 16 global links of 10 GB/s, two to each other.
cluster::Cluster dragonfly(Routing routing) {
    cluster::Cluster cluster;
    cluster.levels = {{.name = "group", .size = 16, .bandwidth = 400_GB_per_s, .latency = 1_us},
                      {.name = "system",
                       .size = 9,
                       .kind = LevelKind::dragonfly,
                       .links = 16,
                       .bandwidth = 10_GB_per_s,
                       .latency = 2_us,
                       .routing = routing}};
    return cluster;
}

// 144 ranks, 1.44 MB each: 16 members owe 128/144 of it, 20.48 MB out of a group; minimal routing spreads it over all
// 16 links, Valiant's takes two links for each message.
TEST(Dragonfly, uniform_traffic_takes_all_links_by_minimal_routing) {
    const CollectiveRequest request = on(144, {{{1, 144}}}, Collective::all_to_all, 1'440'000_B);
    for (const Routing routing : {Routing::minimal, Routing::adaptive}) {
        EXPECT_NEAR(micro(collective_time(dragonfly(routing), request)), 2 + 128, 1e-9);
    }
    EXPECT_NEAR(micro(collective_time(dragonfly(Routing::valiant), request)), 2 + 256, 1e-9);
}

// A ring leads from each group to the next: 2 of 16 links directly, 8 by any third group.
TEST(Dragonfly, traffic_to_the_next_group_is_better_spread) {
    const CollectiveRequest request = on(144, {{{1, 144}}}, Collective::all_gather, 144'000'000_B);
    const auto minimal = collective_time(dragonfly(Routing::minimal), request, Algorithm::ring);
    EXPECT_NEAR(micro(minimal), 143 * 2 + 143e6 / 20e3, 1e-9);
    for (const Routing routing : {Routing::valiant, Routing::adaptive}) {
        const auto spread = collective_time(dragonfly(routing), request, Algorithm::ring);
        EXPECT_NEAR(micro(spread), 143 * 2 + 143e6 / 80e3, 1e-9);
    }
}

// Between two groups there is no third one: 2 ranks of 16 to a group, 1 MB over all 16 links.
TEST(Dragonfly, of_two_groups_has_one_way_only) {
    for (const Routing routing : {Routing::minimal, Routing::valiant, Routing::adaptive}) {
        cluster::Cluster two = dragonfly(routing);
        two.levels[1].size = 2;
        const CollectiveRequest request = on(32, {{{16, 2}}}, Collective::send, 160'000_B);
        EXPECT_NEAR(micro(collective_time(two, request)), 2 + 16 * 160e3 / 160e3, 1e-9);
    }
}

// 16 sends to the next group at once share two direct links.
TEST(Dragonfly, groups_at_once_share_the_links_between_two_groups) {
    const CollectiveRequest request = on(144, {{{16, 9}}}, Collective::send, 1'000'000_B);
    const auto found = collective_time(dragonfly(Routing::minimal), request);
    EXPECT_DOUBLE_EQ(found.contention, 8);
    EXPECT_NEAR(micro(found), 2 + 800, 1e-9);
}

RC_GTEST_PROP(DragonflyProperty, adaptive_routing_is_the_better_of_the_two, ()) {
    const auto size = *rc::gen::inRange<std::int64_t>(1, 10);
    const CollectiveRequest request = on(16 * size, {{{1, 16 * size}}}, *rc::gen::elementOf(cluster::kCollectives),
                                         *rc::gen::inRange(1, 1 << 30) * 1_B);
    const auto algorithm = *rc::gen::elementOf(cluster::kAlgorithms);
    const auto time = [&](Routing routing) {
        return collective_time(dragonfly(routing), request, algorithm).time.value;
    };
    RC_ASSERT(time(Routing::adaptive) == min(time(Routing::minimal), time(Routing::valiant)));
}

// Tensor 24 over three nodes of 8 with 8 rails: 2 * 23/24 of 24 MB over 200 GB/s is 230 us, 46 steps of 10 us.
TEST(UnevenDegree, of_whole_nodes_lies_alike_in_all_of_them) {
    const cluster::Cluster cluster = scene::two_levels(8);
    const auto spans = cluster::spans(cluster, {{{1, 24}}}, 24);
    ASSERT_EQ(spans.size(), 2u);
    EXPECT_TRUE(spans[1].alike);
    EXPECT_EQ(spans[1].members, 8);
    EXPECT_EQ(spans[1].groups, 1);
    const auto found =
        collective_time(cluster, on(24, {{{1, 24}}}, Collective::all_reduce, 24'000'000_B), Algorithm::ring);
    EXPECT_NEAR(micro(found), 460 + 230, 1e-9);
    EXPECT_EQ(found.level, 1u);
}

TEST(UnevenDegree, costs_between_the_even_ones_around_it) {
    const cluster::Cluster cluster = scene::two_levels(8);
    for (const Algorithm algorithm : {Algorithm::ring, Algorithm::hierarchical, Algorithm::direct}) {
        for (const Collective collective : {Collective::all_reduce, Collective::all_gather}) {
            CollectiveTime last;
            for (const std::int64_t p : {8, 16, 24, 32}) {
                const auto found =
                    collective_time(cluster, on(96 / p * p, {{{1, p}}}, collective, 100'000'000_B), algorithm);
                EXPECT_GT(found.time.value, last.time.value) << p;
                EXPECT_GT(found.sent, last.sent) << p;
                last = found;
            }
        }
    }
}

// Groups of 3 on nodes of 8: some straddle two nodes, so all are taken to; not faster than within, nor slower than with
// one member a node.
TEST(UnevenDegree, that_straddles_nodes_costs_between_inside_and_spread) {
    const cluster::Cluster cluster = scene::two_levels(8);
    const auto time = [&](const cluster::Group& group, std::int64_t ranks) {
        return collective_time(cluster, on(ranks, group, Collective::all_reduce, 30'000'000_B), Algorithm::ring)
            .time.value;
    };
    EXPECT_LT(time({{{1, 3}}}, 6), time({{{1, 3}}}, 24));
    EXPECT_LE(time({{{1, 3}}}, 24), time({{{8, 3}}}, 24));
    EXPECT_EQ(cluster::spans(cluster, {{{1, 3}}}, 24)[1].alike, false);
}

}  // namespace topology_test
}  // namespace dodona::cost
