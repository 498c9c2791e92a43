// Reduction in the switches, and parameter servers.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cost/collective_time.hpp"
#include "scenes.hpp"

namespace dodona::cost {
namespace in_network_test {

using cluster::Algorithm;
using cluster::Collective;
using Place = cluster::ParameterServers::Place;

double micro(const CollectiveTime& found) { return found.time.value.in(1_us); }

CollectiveRequest on(std::int64_t ranks, cluster::Group group, Collective collective, Bytes size) {
    return {.collective = collective, .group = std::move(group), .size = size, .ranks = ranks};
}

void reduce_at(cluster::Cluster& cluster, std::size_t level) {
    const cluster::Level& links = cluster.levels[level];
    cluster.levels[level].in_network = {.bandwidth = static_cast<double>(links.links) * links.bandwidth / links.taper,
                                        .latency = links.latency};
}

cluster::Cluster reducing(bool inside, bool across) {
    cluster::Cluster cluster = scene::two_levels(8);
    if (inside) {
        reduce_at(cluster, 0);
    }
    if (across) {
        reduce_at(cluster, 1);
    }
    return cluster;
}

constexpr auto kForced = Algorithm::in_network;

// 8 devices, 300 MB over 300 GB/s each way once: 1000 us and one step, where a ring takes 14 steps and 1750 us.
TEST(InNetwork, all_reduce_sends_the_buffer_once) {
    const auto found = collective_time(reducing(true, false), on(8, {{{1, 8}}}, Collective::all_reduce, 300'000'000_B));
    EXPECT_EQ(found.algorithm, Algorithm::in_network) << "the cheapest";
    EXPECT_NEAR(micro(found), 3 + 1000, 1e-9);
    EXPECT_EQ(found.sent, 300'000'000_B);
}

TEST(InNetwork, runs_at_the_rate_of_the_reduction) {
    cluster::Cluster cluster = reducing(true, false);
    cluster.levels[0].in_network = {.bandwidth = 200_GB_per_s, .latency = 10_us};
    const auto found = collective_time(cluster, on(8, {{{1, 8}}}, Collective::all_reduce, 300'000'000_B), kForced);
    EXPECT_NEAR(micro(found), 10 + 1500, 1e-9);
}

// A member still receives 7/8 of the result, but sends its own eighth once.
TEST(InNetwork, gather_receives_as_much_as_any_but_sends_its_part_once) {
    const auto gather =
        collective_time(reducing(true, false), on(8, {{{1, 8}}}, Collective::all_gather, 300'000'000_B), kForced);
    EXPECT_NEAR(micro(gather), 3 + 875, 1e-9);
    EXPECT_NEAR(gather.sent.in(unit::byte), 37.5e6, 1e-3);
    const auto scatter =
        collective_time(reducing(true, false), on(8, {{{1, 8}}}, Collective::reduce_scatter, 300'000'000_B), kForced);
    EXPECT_EQ(scatter.time.value, gather.time.value);
    EXPECT_NEAR(scatter.sent.in(unit::byte), 262.5e6, 1e-3);
}

// NCCL's all-gathers and reduce-scatters over nodes are rings where the network between them does not reduce.
TEST(InNetwork, passes_over_nodes_need_a_reduction_on_every_level) {
    for (const Collective pass : {Collective::all_gather, Collective::reduce_scatter}) {
        const CollectiveRequest request = on(128, {{{1, 128}}}, pass, 160'000'000_B);
        EXPECT_NE(collective_time(reducing(true, false), request, kForced).algorithm, Algorithm::in_network);
        EXPECT_NE(collective_time(reducing(false, true), request, kForced).algorithm, Algorithm::in_network);
        EXPECT_EQ(collective_time(reducing(true, true), request, kForced).algorithm, Algorithm::in_network);
    }
}

// 16 nodes: reduce-scatter and all-gather inside by rings, 14 steps and 7/4 of 160 MB over 300 GB/s; each node sends
// 160 MB over 200 GB/s once, 800 us, at the same time as 933 us inside.
TEST(InNetwork, across_nodes_follows_a_reduction_inside) {
    const auto found =
        collective_time(reducing(false, true), on(128, {{{1, 128}}}, Collective::all_reduce, 160'000'000_B), kForced);
    EXPECT_EQ(found.algorithm, Algorithm::in_network);
    EXPECT_NEAR(micro(found), 14 * 3 + 10 + 280e6 / 300e3, 1e-9);
    EXPECT_NEAR(found.sent.in(unit::byte), 280e6 + 20e6, 1e-3);
}

TEST(InNetwork, on_all_levels_sends_the_buffer_once_out_of_every_child) {
    const auto found =
        collective_time(reducing(true, true), on(128, {{{1, 128}}}, Collective::all_reduce, 160'000'000_B), kForced);
    EXPECT_NEAR(micro(found), 3 + 10 + 800, 1e-9);
    EXPECT_EQ(found.level, 1u);
    EXPECT_NEAR(found.sent.in(unit::byte), 180e6, 1e-3) << "160 MB to the node's switch, an eighth of it outside";
}

// Eight groups of one member a node share its 2 rails.
TEST(InNetwork, groups_at_once_share_the_links_into_the_reduction) {
    cluster::Cluster cluster = scene::two_levels(2);
    reduce_at(cluster, 1);
    const auto found = collective_time(cluster, on(128, {{{8, 16}}}, Collective::all_reduce, 25'000'000_B), kForced);
    EXPECT_DOUBLE_EQ(found.contention, 4);
    EXPECT_NEAR(micro(found), 10 + 4000, 1e-9);
}

TEST(InNetwork, needs_a_switch_that_reduces_and_groups_that_lie_alike) {
    const CollectiveRequest inside = on(128, {{{1, 8}}}, Collective::all_reduce, 1_MiB);
    EXPECT_NE(collective_time(reducing(false, false), inside, kForced).algorithm, kForced);
    EXPECT_NE(collective_time(reducing(false, true), inside, kForced).algorithm, kForced) << "stays in the node";
    EXPECT_NE(
        collective_time(reducing(true, false), on(128, {{{8, 16}}}, Collective::all_reduce, 1_MiB), kForced).algorithm,
        kForced)
        << "meets nobody in the node";
    EXPECT_NE(
        collective_time(reducing(true, true), on(24, {{{1, 3}}}, Collective::all_reduce, 1_MiB), kForced).algorithm,
        kForced);
}

RC_GTEST_PROP(InNetworkProperty, never_sends_or_takes_more_than_rings_in_its_place, ()) {
    const auto members = *rc::gen::element<std::int64_t>(1, 2, 4, 8);
    const auto nodes = *rc::gen::inRange<std::int64_t>(1, 17);
    const cluster::Cluster cluster = reducing(*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>());
    const auto collective =
        *rc::gen::element(Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter);
    const CollectiveRequest request =
        on(8 * nodes, {{{1, members}, {8, nodes}}}, collective, *rc::gen::inRange(1, 1 << 30) * 1_B);
    const auto found = collective_time(cluster, request, kForced);
    RC_CLASSIFY(found.algorithm == kForced, "in the network");
    if (found.algorithm == kForced) {
        RC_ASSERT(found.sent <= (1 + 1e-12) * sent_bytes(collective, members * nodes, request.size));
        const auto rings = collective_time(cluster, request, Algorithm::hierarchical);
        RC_ASSERT(found.time.value <= (1 + 1e-12) * rings.time.value);
    }
}

RC_GTEST_PROP(InNetworkProperty, an_all_reduce_is_never_slower_than_its_larger_half, ()) {
    const cluster::Cluster cluster = reducing(true, true);
    const auto nodes = *rc::gen::inRange<std::int64_t>(1, 17);
    CollectiveRequest request =
        on(8 * nodes, {{{1, 8 * nodes}}}, Collective::all_reduce, *rc::gen::inRange(1, 1 << 30) * 1_B);
    const auto whole = collective_time(cluster, request, kForced).time.value;
    request.collective = Collective::all_gather;
    const auto half = collective_time(cluster, request, kForced).time.value;
    RC_ASSERT(half <= whole);
    RC_ASSERT(whole <= (1 + 1e-12) * 2.0 * half);
}

constexpr auto kServers = Algorithm::parameter_server;

// Two nodes of 8, a server each: it takes 15/2 n over its 300 GB/s, 30 MB: 750 us; a node's 8 rails 8/2 n: 600 us.
TEST(ParameterServer, waits_for_its_server_s_link) {
    const auto found =
        collective_time(scene::two_levels(8), on(16, {{{1, 16}}}, Collective::all_reduce, 30'000'000_B), kServers);
    EXPECT_EQ(found.algorithm, kServers);
    EXPECT_NEAR(micro(found), 2 * (10 + 750), 1e-9);
    EXPECT_EQ(found.level, 0u);
}

// One node, one server beside worker 0: 7 n in, 7 n out.
TEST(ParameterServer, in_one_node_serves_all_others_from_one_device) {
    const CollectiveRequest request = on(8, {{{1, 8}}}, Collective::all_reduce, 30'000'000_B);
    EXPECT_NEAR(micro(collective_time(scene::two_levels(8), request, kServers)), 2 * (3 + 700), 1e-9);
    cluster::Cluster eight = scene::two_levels(8);
    eight.parameter_servers.count = 8;
    EXPECT_EQ(collective_time(eight, request, kServers).time.value,
              collective_time(eight, request, Algorithm::direct).time.value)
        << "a server on every device is a direct all-reduce";
}

TEST(ParameterServer, on_one_worker_a_node_is_a_direct_exchange_between_nodes) {
    const CollectiveRequest request = on(128, {{{8, 16}}}, Collective::all_reduce, 25'000'000_B);
    for (const std::int64_t rails : {2, 8}) {
        EXPECT_EQ(collective_time(scene::two_levels(rails), request, kServers).time.value,
                  collective_time(scene::two_levels(rails), request, Algorithm::direct).time.value);
    }
}

// Workers push n over 10 GB/s each to their hosts, which pass on 8/2 n over 200 GB/s.
TEST(ParameterServer, on_the_host_takes_the_workers_links_to_it) {
    cluster::Cluster cluster = scene::two_levels(8);
    cluster.host = cluster::Host{.memory = 1_GiB, .bandwidth = 10_GB_per_s, .source = ""};
    cluster.parameter_servers.place = Place::host;
    const auto found = collective_time(cluster, on(16, {{{1, 16}}}, Collective::all_reduce, 30'000'000_B), kServers);
    EXPECT_NEAR(micro(found), 2 * (10 + 3000), 1e-9);
    EXPECT_EQ(found.sent, 30'000'000_B);
    cluster.levels[1].links = 1;
    const auto thin = collective_time(cluster, on(16, {{{1, 16}}}, Collective::all_reduce, 30'000'000_B), kServers);
    EXPECT_NEAR(micro(thin), 2 * (10 + 4800), 1e-9) << "120 MB over one rail";
}

// 16 workers on 2 nodes, servers elsewhere: 8 n out of a node; one server takes 16 n over 200 GB/s, four 4 n.
TEST(ParameterServer, on_nodes_of_its_own_is_the_bottleneck_until_there_are_enough) {
    cluster::Cluster cluster = scene::two_levels(8);
    cluster.parameter_servers = {.place = Place::nodes, .count = 1};
    const CollectiveRequest request = on(16, {{{1, 16}}}, Collective::all_reduce, 30'000'000_B);
    EXPECT_NEAR(micro(collective_time(cluster, request, kServers)), 2 * (10 + 2400), 1e-9);
    cluster.parameter_servers.count = 4;
    EXPECT_NEAR(micro(collective_time(cluster, request, kServers)), 2 * (10 + 1200), 1e-9);
    const CollectiveRequest inside = on(8, {{{1, 8}}}, Collective::all_reduce, 30'000'000_B);
    EXPECT_NEAR(micro(collective_time(cluster, inside, kServers)), 2 * (10 + 1200), 1e-9)
        << "leaves the node all the same";
}

RC_GTEST_PROP(ParameterServerProperty, more_servers_are_never_slower, ()) {
    cluster::Cluster cluster = scene::two_levels(*rc::gen::inRange<std::int64_t>(1, 9));
    cluster.host = cluster::Host{.memory = 1_GiB, .bandwidth = 16_GB_per_s, .source = ""};
    cluster.parameter_servers.place = *rc::gen::elementOf(cluster::kServerPlaces);
    const auto nodes = *rc::gen::inRange<std::int64_t>(1, 17);
    const CollectiveRequest request =
        on(8 * nodes, {{{1, 8 * nodes}}}, Collective::all_reduce, *rc::gen::inRange(1, 1 << 30) * 1_B);
    const auto few = collective_time(cluster, request, kServers);
    ++cluster.parameter_servers.count;
    const auto more = collective_time(cluster, request, kServers);
    RC_ASSERT(more.time.value <= (1 + 1e-12) * few.time.value);
}

}  // namespace in_network_test
}  // namespace dodona::cost
