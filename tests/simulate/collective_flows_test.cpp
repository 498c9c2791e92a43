// Collectives as flows, against times worked out by hand.
#include "simulate/collective_flows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/diagnostic.hpp"
#include "simulate/double_tree.hpp"
#include "simulate/fabrics.hpp"
#include "simulate/play.hpp"

namespace dodona::simulate {
namespace collective_flows_test {

constexpr LinkRate kLink{.bandwidth = 10_GB_per_s, .latency = 5_us};
constexpr double kBandwidth = 10e9;
constexpr double kLatency = 5e-6;
constexpr double kBytes = 1e9;

struct Played {
    TaskGraph graph;
    Timeline timeline;
};

/// All endpoints in one collective.
Played run(const Topology& topology, CollectivePattern pattern, std::size_t chunks = 1) {
    Routes routes(topology);
    TaskGraphBuilder builder;
    const std::span<const NodeId> ends = routes.topology().endpoints();
    add_collective(builder, routes,
                   {.pattern = pattern, .members = {ends.begin(), ends.end()}, .bytes = 1_GB, .chunks = chunks});
    Played played{std::move(builder).build(), {}};
    played.timeline = play(played.graph, &routes);
    return played;
}

double seconds(const Topology& topology, CollectivePattern pattern, std::size_t chunks = 1) {
    return run(topology, pattern, chunks).timeline.makespan.in(unit::second);
}

TEST(CollectiveFlows, RingsOnARing) {
    for (const std::size_t members : {2, 3, 8, 33}) {
        const auto n = static_cast<double>(members);
        const Topology topology = ring(members, kLink);
        const double pass = (n - 1) / n * kBytes / kBandwidth + (n - 1) * kLatency;
        EXPECT_NEAR(seconds(topology, CollectivePattern::ring_all_reduce), 2 * pass, 1e-12);
        EXPECT_NEAR(seconds(topology, CollectivePattern::ring_reduce_scatter), pass, 1e-12);
        EXPECT_NEAR(seconds(topology, CollectivePattern::ring_all_gather), pass, 1e-12);
    }
}

TEST(CollectiveFlows, ARingSharesTheUplinksOfNothingButItsNeighbours) {
    // On a 4:1 fat tree of 4 leaves of 4 one flow of a ring leaves each leaf, and the uplink has the bandwidth of one
    // endpoint: no slower than on one switch, but for the latency of two more links.
    const Topology tree = fat_tree({{.size = 4}, {.size = 4, .taper = 4}}, kLink);
    const double expected = 30.0 / 16 * kBytes / kBandwidth + 30 * 4 * kLatency;
    EXPECT_NEAR(seconds(tree, CollectivePattern::ring_all_reduce), expected, 1e-12);
}

TEST(CollectiveFlows, AllToAll) {
    // Full mesh of 8: an eighth on each link. One switch: 7 / 8 out of each endpoint.
    EXPECT_NEAR(seconds(full_mesh(8, kLink), CollectivePattern::direct_all_to_all), kBytes / 8 / kBandwidth + kLatency,
                1e-12);
    EXPECT_NEAR(seconds(star(8, kLink), CollectivePattern::direct_all_to_all),
                7 * kBytes / 8 / kBandwidth + 2 * kLatency, 1e-12);
}

TEST(CollectiveFlows, AllToAllOnAFatTreeTaperedFourfold) {
    // 4 leaves of 4, uplinks of 10 GB/s. Out of each leaf go 4 * 12 parts of 1/16 GB: 3 GB, 0.3 s. Parts inside a leaf
    // are done long before, as they share only the links of endpoints.
    for (const std::size_t spines : {1, 2}) {
        const Topology tree = fat_tree({{.size = 4}, {.size = 4, .switches = spines, .taper = 4}}, kLink);
        EXPECT_NEAR(seconds(tree, CollectivePattern::direct_all_to_all), 0.3 + 4 * kLatency, 1e-12);
    }
    // Without a taper the endpoints' own links set the time: 15 parts. They are full from the first arrival on, which
    // comes from the same leaf after two links.
    const Topology whole = fat_tree({{.size = 4}, {.size = 4}}, kLink);
    EXPECT_NEAR(seconds(whole, CollectivePattern::direct_all_to_all), 15 * kBytes / 16 / kBandwidth + 2 * kLatency,
                1e-12);
}

TEST(CollectiveFlows, AChainPassesChunksOn) {
    const Topology line = ring(5, kLink);
    for (const std::size_t chunks : {1, 4, 10}) {
        const auto c = static_cast<double>(chunks);
        EXPECT_NEAR(seconds(line, CollectivePattern::chain_broadcast, chunks),
                    (3 + c) * (kBytes / c / kBandwidth + kLatency), 1e-12);
    }
    EXPECT_NEAR(seconds(ring(2, kLink), CollectivePattern::send), kBytes / kBandwidth + kLatency, 1e-12);
}

TEST(CollectiveFlows, DoubleTreesOfTwoAndOfFourMembers) {
    // 2 members: each is the root of one tree; half of the buffer up and down.
    EXPECT_NEAR(seconds(full_mesh(2, kLink), CollectivePattern::double_tree_all_reduce),
                2 * (kBytes / 2 / kBandwidth + kLatency), 1e-12);
    // 4 members: tree one 0 - 2 - {1, 3}, tree two 1 - 3 - {2, 0}, two steps up and two down, all on links of their
    // own in a full mesh.
    EXPECT_NEAR(seconds(full_mesh(4, kLink), CollectivePattern::double_tree_all_reduce),
                4 * (kBytes / 2 / kBandwidth + kLatency), 1e-12);
    // 5 chunks: each passes 4 links, 4 behind the first. The trees meet on the links between 2 and 3, so it takes longer
    // than without contention; yet less than in one piece.
    const double chunked = seconds(full_mesh(4, kLink), CollectivePattern::double_tree_all_reduce, 5);
    EXPECT_GT(chunked, 8 * (kBytes / 10 / kBandwidth + kLatency));
    EXPECT_LT(chunked, 4 * (kBytes / 2 / kBandwidth + kLatency) * 0.6);
}

TEST(CollectiveFlows, DoubleTreesAreTreesWithoutACommonParent) {
    for (std::size_t members = 1; members < 130; ++members) {
        std::vector<int> trees_with_children(members);
        for (const Tree& tree : double_tree(members)) {
            std::vector<int> children(members);
            std::size_t roots = 0;
            for (std::size_t member = 0; member < members; ++member) {
                roots += tree[member] == member ? 1 : 0;
                children[tree[member]] += tree[member] == member ? 0 : 1;
                std::size_t depth = 0;
                for (std::size_t at = member; tree[at] != at && depth <= members; at = tree[at]) {
                    ++depth;
                }
                EXPECT_LE(static_cast<double>(depth), 1 + std::log2(members));
            }
            EXPECT_EQ(roots, 1U);
            for (std::size_t member = 0; member < members; ++member) {
                EXPECT_LE(children[member], 2);
                // A root has one child; that does not count.
                trees_with_children[member] += children[member] > 0 && tree[member] != member ? 1 : 0;
            }
        }
        EXPECT_LE(*std::max_element(trees_with_children.begin(), trees_with_children.end()), 1) << members;
    }
}

TEST(CollectiveFlows, BytesAreThoseOfTheAlgorithm) {
    // Sent by all members together, in units of the buffer.
    const auto sent = [](CollectivePattern pattern, std::size_t members, std::size_t chunks) {
        const Played played = run(full_mesh(members, kLink), pattern, chunks);
        return std::accumulate(played.graph.flows.begin(), played.graph.flows.end(), 0.0,
                               [](double sum, const Flow& flow) { return sum + flow.bytes.in(1_GB); });
    };
    for (const std::size_t members : {2, 5, 8}) {
        const auto n = static_cast<double>(members);
        EXPECT_NEAR(sent(CollectivePattern::ring_all_reduce, members, 1), 2 * (n - 1), 1e-9);
        EXPECT_NEAR(sent(CollectivePattern::ring_all_gather, members, 1), n - 1, 1e-9);
        EXPECT_NEAR(sent(CollectivePattern::ring_reduce_scatter, members, 1), n - 1, 1e-9);
        EXPECT_NEAR(sent(CollectivePattern::double_tree_all_reduce, members, 3), 2 * (n - 1), 1e-9);
        EXPECT_NEAR(sent(CollectivePattern::direct_all_to_all, members, 1), n - 1, 1e-9);
        EXPECT_NEAR(sent(CollectivePattern::chain_broadcast, members, 3), n - 1, 1e-9);
    }
}

TEST(CollectiveFlows, OneMemberHasItsResultAtOnce) {
    for (const CollectivePattern pattern : kCollectivePatterns) {
        if (pattern != CollectivePattern::send) {
            EXPECT_EQ(seconds(star(1, kLink), pattern), 0);
        }
    }
}

TEST(CollectiveFlows, StreamsAreHeldUntilAllIsThereAndTheLastToBeginSetsTheTime) {
    // Four members on a ring; member 2 computes for 1 s first. A second collective follows on the same streams.
    Routes routes(ring(4, kLink));
    TaskGraphBuilder builder;
    std::vector<ResourceId> streams;
    for (int i = 0; i < 4; ++i) {
        streams.push_back(builder.add_resource({.name = "stream"}));
    }
    const TaskId late = builder.add({.duration = 1_s});
    CollectiveFlows collective{.pattern = CollectivePattern::ring_all_reduce,
                               .members = {routes.topology().endpoints().begin(), routes.topology().endpoints().end()},
                               .bytes = 1_GB,
                               .streams = streams,
                               .after = {kNoTask, kNoTask, late, kNoTask}};
    add_collective(builder, routes, collective);
    collective.after = {};
    const std::vector<TaskId> ends = add_collective(builder, routes, collective);
    const Timeline timeline = play(std::move(builder).build(), &routes);
    const double once = 6 * (kBytes / 4 / kBandwidth + kLatency);
    EXPECT_NEAR(timeline.makespan.in(unit::second), 1 + 2 * once, 1e-11);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(timeline.end[index(ends[i])].in(unit::second), 1 + 2 * once, 1e-11);
        EXPECT_NEAR(timeline.busy[i].in(unit::second), i == 2 ? 2 * once : 1 + 2 * once, 1e-11);
    }
}

TEST(CollectiveFlows, AStepOfARingWaitsForWhatItPassesOn) {
    // All-gather of 4 parts, u for each link but 2 u from 0 to 1. Ends of the steps, in u:
    //   0 -> 1: 2, 4, 6;  1 -> 2: 1, 3, 5;  2 -> 3: 1, 2, 4;  3 -> 0: 1, 2, 3
    Topology topology = ring(4, {.bandwidth = 10_GB_per_s});
    topology.degrade(LinkId{0}, 0.5);
    Routes routes(topology);
    const std::span<const NodeId> nodes = topology.endpoints();
    TaskGraphBuilder builder;
    const std::vector<TaskId> ends = add_collective(
        builder, routes,
        {.pattern = CollectivePattern::ring_all_gather, .members = {nodes.begin(), nodes.end()}, .bytes = 40_GB});
    const Timeline timeline = play(std::move(builder).build(), &routes);
    const std::vector<double> expected{6, 6, 5, 4};
    for (std::size_t member = 0; member < 4; ++member) {
        EXPECT_DOUBLE_EQ(timeline.end[index(ends[member])].in(unit::second), expected[member]);
    }
}

TEST(CollectiveFlows, NothingIsSentToAMemberThatHasNotBegun) {
    for (const CollectivePattern pattern : kCollectivePatterns) {
        Routes routes(full_mesh(2, kLink));
        const std::span<const NodeId> nodes = routes.topology().endpoints();
        TaskGraphBuilder builder;
        const TaskId late = builder.add({.duration = 1_s});
        add_collective(
            builder, routes,
            {.pattern = pattern, .members = {nodes.begin(), nodes.end()}, .bytes = 1_GB, .after = {kNoTask, late}});
        const TaskGraph graph = std::move(builder).build();
        const Timeline timeline = play(graph, &routes);
        for (std::size_t task = 0; task < graph.size(); ++task) {
            if (graph.flow_of[task] != TaskGraph::kNoFlow) {
                EXPECT_GE(timeline.start[task], 1_s) << name_of(pattern);
            }
        }
    }
}

TEST(CollectiveFlows, AWeightFoldsCollectivesOverTheSameLinks) {
    // 8 rings of 4 side by side, over the same links, are one of weight 8: the bandwidth is an eighth.
    Routes routes(ring(4, kLink));
    const std::span<const NodeId> ends = routes.topology().endpoints();
    CollectiveFlows collective{
        .pattern = CollectivePattern::ring_all_gather, .members = {ends.begin(), ends.end()}, .bytes = 1_GB};
    TaskGraphBuilder all;
    for (int i = 0; i < 8; ++i) {
        add_collective(all, routes, collective);
    }
    collective.weight = 8;
    TaskGraphBuilder folded;
    add_collective(folded, routes, collective);
    const double together = play(std::move(all).build(), &routes).makespan.in(unit::second);
    EXPECT_NEAR(together, 3 * (8 * kBytes / 4 / kBandwidth + kLatency), 1e-11);
    EXPECT_NEAR(play(std::move(folded).build(), &routes).makespan.in(unit::second), together, 1e-11);
}

TEST(CollectiveFlows, MembersAndChunksAreChecked) {
    const auto message = [](const CollectiveFlows& collective) {
        Routes routes(star(3, kLink));
        TaskGraphBuilder builder;
        try {
            add_collective(builder, routes, collective);
        } catch (const InputError& error) {
            return error.diagnostics().front().message;
        }
        return std::string("no error");
    };
    EXPECT_EQ(message({.pattern = CollectivePattern::send, .members = std::vector<NodeId>(3)}), "send: 3 members");
    EXPECT_EQ(message({.pattern = CollectivePattern::ring_all_gather}), "ring all-gather: 0 members");
    EXPECT_EQ(message({.pattern = CollectivePattern::chain_broadcast, .members = {NodeId{0}}, .chunks = 0}),
              "chain broadcast: 0 chunks");
}

}  // namespace collective_flows_test
}  // namespace dodona::simulate
