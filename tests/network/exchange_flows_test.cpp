// Lone collectives played on the topologies of machines, against the tables.
//
// The tables have the latency of the slowest level for each step, the fastest protocol for each size, measured curves
// and the fastest algorithm. So buffers here are large, curves are left out (cost::modelled_time), and a machine's
// exceptions have a tolerance and a reason of their own.
#include "play/exchange_flows.hpp"

#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "../simulate/fabrics.hpp"
#include "cluster/group_members.hpp"
#include "cost/collective_time.hpp"
#include "play/cluster_topology.hpp"
#include "simulate/play.hpp"

#include "files/library.hpp"

namespace dodona::play {
namespace exchange_flows_test {

using cluster::Collective;
using cluster::Group;

double flow_time(const cluster::Cluster& cluster, Collective collective, const Group& group, std::int64_t ranks,
                 Bytes size, cost::Flows flows) {
    simulate::Routes routes(cluster_topology(cluster, ranks));
    simulate::TaskGraphBuilder tasks;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        if (cluster::member_index(group, rank) == 0) {
            FlowBuilder(cluster, routes, tasks)
                .add({.collective = collective, .flows = flows, .ranks = cluster::members(group, rank), .size = size});
        }
    }
    return simulate::play(std::move(tasks).build(), &routes).makespan.in(1_us);
}

struct Case {
    std::string name;
    std::string machine;
    Group group;  ///< of collectives; a send goes to the next of its outermost stride
    std::int64_t ranks;
    double tolerance = 0.02;       ///< of every time, as a share of the table's
    std::set<Collective> apart{};  ///< collectives with ...
    double off = 0;                ///< ... this much more than the table, and why:
    std::string why{};
};

const std::vector<Case>& cases() {
    static const std::set<Collective> rings{Collective::all_reduce, Collective::all_gather};
    static const std::vector<Case> all{
        {"NvlinkSwitch", "selene", {{{1, 8}}}, 8},
        {"FatTreeOneRankANode", "selene", {{{8, 8}}}, 64},
        {"FatTreeWholeNodes", "selene", {{{1, 64}}}, 64, 0.03},
        {"FatTreeThreeLevels", "selene", {{{1, 320}}}, 320},
        {"Pairs",
         "abci",
         {{{1, 4}}},
         4,
         0.02,
         rings,
         0.5,
         "four devices have no three rings that use every pair once each way: two of the three links of a device work"},
        {"PairsAndTwoAdapters", "abci", {{{1, 16}}}, 16, 0.07},
        {"AdaptersShared", "abci", {{{4, 8}}}, 32},
        {"TaperedFatTree", "abci", {{{1, 272}}}, 272},
        {"CubeMesh", "dgx-1-v100-32gb", {{{1, 8}}}, 8},
        {"FourGpusANode", "perlmutter", {{{1, 64}}}, 64},
        {"DragonflyOfRails", "alps", {{{1, 64}}}, 64},
        {"Rails", "rail-optimised-h100", {{{8, 8}}}, 64},
        {"RailsWholeNodes",
         "rail-optimised-h100",
         {{{1, 64}}},
         64,
         0.02,
         rings,
         0,
         "switches reduce in the table, and gather faster than rings with LL128's latency"},
        {"OneRankANode", "theta", {{{1, 16}}}, 16},
        {"OneAdapter", "cloud-pcie", {{{1, 8}}}, 8},
    };
    return all;
}

class Machines : public ::testing::TestWithParam<Case> {};

TEST_P(Machines, FlowsTakeTheTimeOfTheTables) {
    const Case& at = GetParam();
    const cluster::Cluster cluster = files::Library(std::getenv("DODONA_SOURCE")).cluster(at.machine);
    for (const Collective collective :
         {Collective::all_reduce, Collective::all_gather, Collective::all_to_all, Collective::send}) {
        Group group = at.group;
        if (collective == Collective::send) {
            group.strides.back().size = 2;
        }
        const bool apart = at.apart.contains(collective);
        if (apart && at.off == 0) {
            continue;
        }
        const cost::CollectiveRequest request{
            .collective = collective, .group = group, .size = 1_GiB, .ranks = at.ranks};
        const double table = cost::modelled_time(cluster, request).in(1_us);
        const cost::Flows flows = cost::flows_of(collective, cost::collective_time(cluster, request).algorithm);
        ASSERT_NE(flows, cost::Flows::none) << cluster::name(collective);
        const double played = flow_time(cluster, collective, group, at.ranks, request.size, flows);
        EXPECT_NEAR(played / table, 1 + (apart ? at.off : 0), at.tolerance) << cluster::name(collective) << at.why;
    }
}

INSTANTIATE_TEST_SUITE_P(Hardware, Machines, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

TEST(ExchangeFlows, ARingAsOneFlowOnEachEdgeIsTheRingStepByStep) {
    cluster::Cluster cluster;
    cluster.levels = {{.name = "node", .size = 8, .bandwidth = 10_GB_per_s, .latency = 6_us}};
    const Group all{{{1, 8}}};
    const auto step_by_step = [&](std::size_t steps, Bytes size) {
        simulate::Routes routes(cluster_topology(cluster, 8));
        simulate::TaskGraphBuilder tasks;
        const auto ends = routes.topology().endpoints();
        pass_around(tasks, routes, {ends.begin(), ends.end()}, size, steps);
        return simulate::play(std::move(tasks).build(), &routes).makespan.in(1_us);
    };
    for (const Bytes size : {Bytes::of_base(1024), 1_MiB, 1_GiB}) {
        EXPECT_NEAR(flow_time(cluster, Collective::all_reduce, all, 8, size, cost::Flows::rings),
                    step_by_step(14, size), 1e-3);
        EXPECT_NEAR(flow_time(cluster, Collective::all_gather, all, 8, size, cost::Flows::rings), step_by_step(7, size),
                    1e-3);
    }
}

// Four devices with a link of 10 GB/s to each other one: a direct exchange uses all of them, S / 4 over each of a
// gather.
TEST(ExchangeFlows, DirectAlgorithmsUseAllPairs) {
    cluster::Cluster cluster;
    cluster.levels = {{.name = "node",
                       .size = 4,
                       .kind = cluster::LevelKind::all_to_all,
                       .links = 3,
                       .bandwidth = 10_GB_per_s,
                       .latency = 6_us}};
    const Group all{{{1, 4}}};
    for (const Collective collective :
         {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter, Collective::all_to_all}) {
        const cost::CollectiveTime table = cost::collective_time(
            cluster, {.collective = collective, .group = all, .size = 4_GB, .ranks = 4}, cluster::Algorithm::direct);
        ASSERT_EQ(table.algorithm, cluster::Algorithm::direct);
        const double steps = collective == Collective::all_reduce ? 2 : 1;
        const double by_hand = steps * (6 + 1e6 / 10);
        EXPECT_NEAR(table.time.value.in(1_us), by_hand, 1e-6) << cluster::name(collective);
        EXPECT_NEAR(flow_time(cluster, collective, all, 4, 4_GB, cost::flows_of(collective, table.algorithm)), by_hand,
                    1e-6)
            << cluster::name(collective);
    }
}

TEST(ExchangeFlows, EachAlgorithmHasItsOwn) {
    using cluster::Algorithm;
    using cost::Flows;
    EXPECT_EQ(cost::flows_of(Collective::all_reduce, Algorithm::double_tree), Flows::rings);
    EXPECT_EQ(cost::flows_of(Collective::all_to_all, Algorithm::direct), Flows::pairs);
    EXPECT_EQ(cost::flows_of(Collective::send, Algorithm::direct), Flows::message);
    EXPECT_EQ(cost::flows_of(Collective::all_to_all, Algorithm::hierarchical), Flows::none);
    EXPECT_EQ(cost::flows_of(Collective::all_gather, Algorithm::in_network), Flows::none);
    EXPECT_EQ(cost::flows_of(Collective::all_gather, Algorithm::tree), Flows::none) << "not implemented by it";
}

double seconds_of_send(simulate::Topology topology, std::size_t from, std::size_t to) {
    simulate::Routes routes(std::move(topology));
    simulate::TaskGraphBuilder tasks;
    const auto ends = routes.topology().endpoints();
    tasks.add({}, {.route = routes.between(ends[from], ends[to]), .bytes = 1_GB});
    return simulate::play(std::move(tasks).build(), &routes).makespan.in(unit::second);
}

/// Two nodes of two devices with an adapter each.
cluster::Cluster two_nodes() {
    cluster::Cluster cluster;
    cluster.levels = {{.name = "node", .size = 2, .bandwidth = 100_GB_per_s},
                      {.name = "net", .size = 2, .links = 2, .bandwidth = 10_GB_per_s}};
    return cluster;
}

/// Two devices of a node share its adapter, which is no route from one to the other: 100 MB at the 10 GB/s of the node.
TEST(ClusterTopology, DevicesOfANodeDoNotMeetInItsAdapter) {
    cluster::Cluster cluster;
    cluster.levels = {{.name = "node", .size = 4, .bandwidth = 10_GB_per_s},
                      {.name = "system", .size = 2, .bandwidth = 100_GB_per_s}};
    simulate::Routes routes(cluster_topology(cluster, 8));
    const auto nodes = routes.topology().endpoints();
    simulate::TaskGraphBuilder tasks;
    for (const std::size_t to : {0, 2, 3}) {
        tasks.add({}, {.route = routes.between(nodes[1], nodes[to]), .bytes = Bytes::of_base(100e6)}, {});
    }
    const simulate::TaskGraph graph = std::move(tasks).build();
    EXPECT_NEAR(simulate::play(graph, &routes).makespan.in(unit::second), 3 * 0.01, 1e-9);
}

TEST(ClusterTopology, DegradedLinksAreSlowAndDeadOnesAreAvoided) {
    simulate::Topology topology = cluster_topology(two_nodes(), 4);
    EXPECT_NEAR(seconds_of_send(topology, 0, 2), 0.1, 1e-9);
    degrade(topology, "node0/link0", 0.25);
    EXPECT_NEAR(seconds_of_send(topology, 0, 2), 0.4, 1e-9);
    EXPECT_NEAR(seconds_of_send(topology, 1, 3), 0.1, 1e-9);
    degrade(topology, "node0/link0", 0);
    EXPECT_NEAR(seconds_of_send(topology, 0, 2), 0.1, 1e-9) << "over the other device and its adapter";
    degrade(topology, "node0/link1", 0);
    EXPECT_THROW(static_cast<void>(seconds_of_send(topology, 0, 2)), InputError);
    EXPECT_NEAR(seconds_of_send(topology, 0, 1), 0.01, 1e-9);
    EXPECT_THROW(degrade(topology, "node7", 0.5), InputError);
}

}  // namespace exchange_flows_test
}  // namespace dodona::play
