// Flows on topologies.
#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "base/diagnostic.hpp"
#include "fabrics.hpp"
#include "simulate/active_flows.hpp"
#include "simulate/critical_path.hpp"
#include "simulate/play.hpp"

namespace dodona::simulate {
namespace flows_test {

constexpr LinkRate kLink{.bandwidth = 10_GB_per_s, .latency = 1_us};

double end(const Timeline& timeline, TaskId task) { return timeline.end[index(task)].in(unit::second); }

struct World {
    Routes routes;
    TaskGraphBuilder builder;

    explicit World(Topology topology, Spreading spreading = Spreading::even) : routes(std::move(topology), spreading) {}
    NodeId at(std::size_t endpoint) const { return routes.topology().endpoints()[endpoint]; }
    TaskId send(std::size_t from, std::size_t to, Bytes bytes, double weight = 1, BytesPerSecond most = {}) {
        return builder.add({},
                           {.route = routes.between(at(from), at(to)), .bytes = bytes, .weight = weight, .most = most});
    }
    Timeline play() { return simulate::play(std::move(builder).build(), &routes); }
};

TEST(Flows, OneFlowTakesLatencyOnceAndBytesOverBandwidth) {
    World world(star(2, kLink));
    const TaskId a = world.send(0, 1, 20_GB);
    EXPECT_DOUBLE_EQ(end(world.play(), a), 2 + 2e-6);
}

TEST(Flows, TwoFlowsOnOneLinkGetHalfEach) {
    World world(star(4, kLink));
    const TaskId a = world.send(0, 2, 10_GB);
    const TaskId b = world.send(1, 2, 20_GB);
    const TaskId elsewhere = world.send(2, 3, 10_GB);
    const Timeline timeline = world.play();
    EXPECT_DOUBLE_EQ(end(timeline, a), 2 + 2e-6);  // 10 GB at 5 GB/s
    EXPECT_DOUBLE_EQ(end(timeline, b), 3 + 2e-6);  // then 10 GB are left at 10 GB/s
    EXPECT_DOUBLE_EQ(end(timeline, elsewhere), 1 + 2e-6);
}

TEST(Flows, AFlowOfWeightStandsForIdenticalOnes) {
    World folded(star(3, kLink));
    const TaskId three = folded.send(0, 1, 10_GB, 3);
    const TaskId one = folded.send(2, 1, 10_GB);
    const Timeline timeline = folded.play();
    World all(star(3, kLink));
    std::vector<TaskId> each;
    for (int i = 0; i < 3; ++i) {
        each.push_back(all.send(0, 1, 10_GB));
    }
    const TaskId other = all.send(2, 1, 10_GB);
    const Timeline unfolded = all.play();
    EXPECT_DOUBLE_EQ(end(timeline, three), 4 + 2e-6);
    EXPECT_EQ(end(timeline, one), end(unfolded, other));
    for (const TaskId task : each) {
        EXPECT_EQ(end(timeline, three), end(unfolded, task));
    }
}

TEST(Flows, WhatALimitedFlowLeavesGoesToTheOthers) {
    World world(star(3, kLink));
    const TaskId limited = world.send(0, 2, 2_GB, 1, 2_GB_per_s);
    const TaskId other = world.send(1, 2, 8_GB);
    const Timeline timeline = world.play();
    EXPECT_DOUBLE_EQ(end(timeline, limited), 1 + 2e-6);
    EXPECT_DOUBLE_EQ(end(timeline, other), 1 + 2e-6);
}

TEST(Flows, OversubscriptionOfFourLeavesAQuarter) {
    // 4 leaves of 4; each endpoint of leaf 0 sends to its counterpart in leaf 1.
    for (const std::size_t spines : {1, 2, 4}) {
        World world(fat_tree({{.size = 4}, {.size = 4, .switches = spines, .taper = 4}}, kLink));
        std::vector<TaskId> sends;
        for (std::size_t i = 0; i < 4; ++i) {
            sends.push_back(world.send(i, 4 + i, 10_GB));
        }
        const Timeline timeline = world.play();
        for (const TaskId task : sends) {
            EXPECT_NEAR(end(timeline, task), 4 + 4e-6, 1e-11);
        }
    }
}

TEST(Flows, AFlowTakesTheLongWayAroundADeadLink) {
    Topology topology = ring(5, kLink);
    topology.cut(LinkId{0});  // from 0 to 1
    ASSERT_EQ(topology.link(LinkId{0}).from, topology.endpoints()[0]);
    ASSERT_EQ(topology.link(LinkId{0}).to, topology.endpoints()[1]);
    World world(topology);
    const TaskId forth = world.send(0, 1, 10_GB);
    const TaskId back = world.send(1, 0, 10_GB);
    const Timeline timeline = world.play();
    EXPECT_DOUBLE_EQ(end(timeline, forth), 1 + 4e-6);
    EXPECT_DOUBLE_EQ(end(timeline, back), 1 + 1e-6);
}

TEST(Flows, ADegradedLinkIsSlower) {
    Topology topology = ring(3, kLink);
    topology.degrade(LinkId{0}, 0.25);
    World world(topology);
    const TaskId send = world.send(0, 1, 10_GB);
    EXPECT_DOUBLE_EQ(end(world.play(), send), 4 + 1e-6);
}

std::string message(const std::function<void()>& work) {
    try {
        work();
    } catch (const InputError& error) {
        return error.diagnostics().front().message + "; " + error.diagnostics().front().help;
    }
    return "no error";
}

TEST(Flows, NoRouteNamesBothEndsAndTheDeadLinks) {
    Topology topology = star(3, kLink);
    topology.cut(LinkId{2});  // from endpoint 1 up to the switch
    Routes routes(topology);
    const std::span<const NodeId> ends = routes.topology().endpoints();
    EXPECT_EQ(message([&] { routes.between(ends[1], ends[2]); }),
              "no route from endpoint 1 to endpoint 2; dead links: endpoint 1 to switch 0, level 1");
    EXPECT_NO_THROW(routes.between(ends[2], ends[1]));
    EXPECT_EQ(
        message([&] { topology.degrade(LinkId{0}, 2); }),
        "link from endpoint 0 to switch 0, level 1: degraded to 2 of its bandwidth; a factor is from 0 (dead) to 1");
}

TEST(Flows, HashedRoutesTakeOneSpineAndEvenOnesAll) {
    const Topology topology = fat_tree({{.size = 4}, {.size = 2, .switches = 4}}, kLink);
    Routes hashed(topology, Spreading::hashed);
    Routes even(topology, Spreading::even);
    std::set<LinkId> first;
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 4; j < 8; ++j) {
            const NodeId from = topology.endpoints()[i];
            const NodeId to = topology.endpoints()[j];
            const std::span<const Hop> one = hashed.hops(hashed.between(from, to));
            ASSERT_EQ(one.size(), 4U);
            EXPECT_EQ(one[0].share, 1);
            first.insert(one[1].link);
            EXPECT_EQ(even.hops(even.between(from, to)).size(), 1U + 4 + 4 + 1);
            EXPECT_EQ(even.hops(even.between(from, to))[1].share, 0.25);
            EXPECT_EQ(hashed.latency(hashed.between(from, to)), even.latency(even.between(from, to)));
        }
    }
    EXPECT_EQ(first.size(), 4U);  // 16 pairs fall on all four spines
}

TEST(Flows, RoutesOfATorusAreShortest) {
    const Topology topology = torus({4, 3, 2}, kLink);
    EXPECT_EQ(topology.endpoints().size(), 24U);
    EXPECT_EQ(topology.links().size(), 24U * 2 + 24U * 2 + 24U);
    Routes routes(topology);
    const auto apart = [](std::size_t a, std::size_t b, std::size_t size) {
        const std::size_t forth = (a + size - b) % size;
        return std::min(forth, size - forth);
    };
    for (std::size_t i = 0; i < 24; ++i) {
        for (std::size_t j = 0; j < 24; ++j) {
            const std::size_t hops = apart(i % 4, j % 4, 4) + apart(i / 4 % 3, j / 4 % 3, 3) + apart(i / 12, j / 12, 2);
            const RouteId route = routes.between(topology.endpoints()[i], topology.endpoints()[j]);
            EXPECT_NEAR(routes.latency(route).in(1_us), static_cast<double>(hops), 1e-9);
        }
    }
}

TEST(Flows, TwoJobsShareTheFabric) {
    // Job A: compute 1 s, then send 10 GB; job B: the same, half a second later. Both flows pass the same uplink:
    // A alone until 1.5 s, both at half rate until A has its 5 GB left at 2.5 s, then B's last 5 GB.
    World world(fat_tree({{.size = 2}, {.size = 2, .taper = 2}}, {.bandwidth = 10_GB_per_s}));
    const ResourceId a_compute = world.builder.add_resource({.name = "job a"});
    const ResourceId b_compute = world.builder.add_resource({.name = "job b", .start = 0.5_s});
    const TaskId a = world.builder.add({.duration = 1_s, .resource = a_compute});
    const TaskId b = world.builder.add({.duration = 1_s, .resource = b_compute});
    const TaskId a_send = world.send(0, 2, 10_GB);
    const TaskId b_send = world.send(1, 3, 10_GB);
    world.builder.depend(a_send, a);
    world.builder.depend(b_send, b);
    const Timeline timeline = world.play();
    EXPECT_DOUBLE_EQ(end(timeline, a_send), 2.5);
    EXPECT_DOUBLE_EQ(end(timeline, b_send), 3);
}

TEST(Flows, AFlowGivesWayAfterItsChunk) {
    // 10 GB in chunks of 3 GB at 10 GB/s; the high one, ready at 0.4 s, starts at 0.6 s and takes 0.5 s.
    World world(star(2, {.bandwidth = 10_GB_per_s}));
    const RouteId route = world.routes.between(world.at(0), world.at(1));
    const ResourceId stream =
        world.builder.add_resource({.name = "stream", .discipline = Discipline::priority, .chunk_bytes = 3_GB});
    const TaskId delay = world.builder.add({.duration = 0.4_s});
    const TaskId low = world.builder.add({.resource = stream}, {.route = route, .bytes = 10_GB});
    const TaskId high =
        world.builder.add({.resource = stream, .priority = 1}, {.route = route, .bytes = 5_GB}, {delay});
    const TaskGraph graph = std::move(world.builder).build();
    const Timeline timeline = play(graph, &world.routes);
    EXPECT_DOUBLE_EQ(end(timeline, high), 1.1);
    EXPECT_DOUBLE_EQ(end(timeline, low), 1.5);
    EXPECT_DOUBLE_EQ(critical_path(graph, timeline).length.in(unit::second), 1.5);
}

TEST(Flows, AFlowThatSharesItsRouteGivesWayAfterItsOwnChunk) {
    // Another flow of 40 GB on the route, alone for 0.1 s; then each has 5 GB/s. The high one, ready at 0.4 s, starts when
    // the low one has 3 GB, at 0.7 s, and takes 1 s; 7 GB of the low one are left. At 3.1 s the other has 16 GB.
    World world(star(2, {.bandwidth = 10_GB_per_s}));
    const RouteId route = world.routes.between(world.at(0), world.at(1));
    const ResourceId stream =
        world.builder.add_resource({.name = "stream", .discipline = Discipline::priority, .chunk_bytes = 3_GB});
    const TaskId other = world.send(0, 1, 40_GB);
    const TaskId begin = world.builder.add({.duration = 0.1_s});
    const TaskId delay = world.builder.add({.duration = 0.4_s});
    const TaskId low = world.builder.add({.resource = stream}, {.route = route, .bytes = 10_GB}, {begin});
    const TaskId high =
        world.builder.add({.resource = stream, .priority = 1}, {.route = route, .bytes = 5_GB}, {delay});
    const Timeline timeline = world.play();
    EXPECT_DOUBLE_EQ(end(timeline, high), 1.7);
    EXPECT_DOUBLE_EQ(end(timeline, low), 3.1);
    EXPECT_DOUBLE_EQ(end(timeline, other), 5.5);
}

TEST(Flows, AFlowOnItsWayToItsFirstChunkDoesNotGiveWay) {
    // Latency 1 s, once per flow. The stream is taken until 3 s; the high one is ready at 3.5 s; the low one has its first
    // 3 GB at 4.3 s.
    World world(star(2, {.bandwidth = 10_GB_per_s, .latency = 0.5_s}));
    const RouteId route = world.routes.between(world.at(0), world.at(1));
    const ResourceId stream =
        world.builder.add_resource({.name = "stream", .discipline = Discipline::priority, .chunk_bytes = 3_GB});
    const TaskId delay = world.builder.add({.duration = 3.5_s});
    const TaskId before = world.builder.add({.resource = stream}, {.route = route, .bytes = 20_GB}, {});
    const TaskId low = world.builder.add({.resource = stream}, {.route = route, .bytes = 10_GB}, {});
    const TaskId high =
        world.builder.add({.resource = stream, .priority = 1}, {.route = route, .bytes = 5_GB}, {delay});
    const Timeline timeline = world.play();
    EXPECT_DOUBLE_EQ(end(timeline, before), 3);
    EXPECT_DOUBLE_EQ(end(timeline, high), 4.3 + 1.5);
    EXPECT_DOUBLE_EQ(end(timeline, low), 5.8 + 0.7);
}

TEST(Flows, TheLatencyOfSeveralWaysIsThatOfTheLongest) {
    for (const bool longest_first : {false, true}) {
        Topology topology;
        const NodeId from = topology.add_endpoint("from");
        const NodeId to = topology.add_endpoint("to");
        for (const bool is_first : {true, false}) {
            const NodeId middle = topology.add_switch("middle");
            topology.connect(from, middle,
                             {.bandwidth = 1_GB_per_s, .latency = is_first == longest_first ? 3_us : 1_us});
            topology.connect(middle, to, {.bandwidth = 1_GB_per_s, .latency = 1_us});
        }
        Routes routes(topology);
        EXPECT_DOUBLE_EQ(routes.latency(routes.between(from, to)).in(1_us), 4);
    }
}

TEST(Flows, ToOneselfTakesNoTimeUnlessLimited) {
    World world(star(2, kLink));
    const TaskId free = world.send(0, 0, 10_GB);
    const TaskId limited = world.send(0, 0, 10_GB, 1, 5_GB_per_s);
    const TaskId empty = world.send(0, 1, 0_B);
    const Timeline timeline = world.play();
    EXPECT_EQ(end(timeline, free), 0);
    EXPECT_DOUBLE_EQ(end(timeline, limited), 2);
    EXPECT_DOUBLE_EQ(end(timeline, empty), 2e-6);
}

TEST(Flows, SameInputSameTimes) {
    const auto run = [] {
        World world(fat_tree({{.size = 4}, {.size = 4, .switches = 3, .taper = 2}}, kLink), Spreading::hashed);
        for (std::size_t i = 0; i < 16; ++i) {
            for (std::size_t j = 0; j < 16; ++j) {
                world.send(i, j, static_cast<double>(1 + (i * 7 + j * 3) % 11) * 1_MiB, 1 + static_cast<double>(j % 3));
            }
        }
        return world.play();
    };
    const Timeline once = run();
    const Timeline again = run();
    EXPECT_TRUE(std::equal(once.end.begin(), once.end.end(), again.end.begin(), again.end.end()));
}

// Max-min fairness.

struct Busy {
    Routes routes;
    std::vector<std::uint32_t> flows;
    std::vector<ActiveFlows::Arrival> arrivals;
};

Topology random_topology() {
    const LinkRate link{.bandwidth = static_cast<double>(*rc::gen::inRange(1, 20)) * 1_GB_per_s};
    Topology topology;
    switch (*rc::gen::inRange(0, 4)) {
        case 0: topology = ring(*rc::gen::inRange<std::size_t>(3, 8), link); break;
        case 1: topology = torus({3, *rc::gen::inRange<std::size_t>(2, 4)}, link); break;
        case 2: topology = star(*rc::gen::inRange<std::size_t>(2, 8), link); break;
        default:
            topology = fat_tree(
                {{.size = 3}, {.size = 3, .switches = *rc::gen::inRange<std::size_t>(1, 4), .taper = 2}}, link);
    }
    for (auto count = *rc::gen::inRange(0, 4); count > 0; --count) {
        const auto one = *rc::gen::inRange<std::size_t>(0, topology.links().size());
        topology.degrade(id_at<LinkId>(one), *rc::gen::element(0.25, 0.5, 0.9));
    }
    return topology;
}

void expect_max_min(const Busy& busy, const ActiveFlows& flows) {
    constexpr double kSlack = 1e-9;
    const std::span<const Link> links = busy.routes.topology().links();
    std::vector<double> load(links.size());
    std::vector<double> largest(links.size());
    for (std::size_t i = 0; i < busy.flows.size(); ++i) {
        const double rate = flows.rate(busy.flows[i]);
        for (const Hop& hop : busy.routes.hops(busy.arrivals[i].route)) {
            load[index(hop.link)] += busy.arrivals[i].weight * hop.share * rate;
            largest[index(hop.link)] = std::max(largest[index(hop.link)], rate);
        }
    }
    const auto capacity = [&](std::size_t link) { return links[link].bandwidth().in(unit::byte_per_second); };
    for (std::size_t i = 0; i < links.size(); ++i) {
        RC_ASSERT(load[i] <= capacity(i) * (1 + kSlack));
    }
    for (std::size_t i = 0; i < busy.flows.size(); ++i) {
        const double rate = flows.rate(busy.flows[i]);
        RC_ASSERT(rate > 0);
        RC_ASSERT(rate <= busy.arrivals[i].most);
        const std::span<const Hop> route = busy.routes.hops(busy.arrivals[i].route);
        const bool has_bottleneck = std::any_of(route.begin(), route.end(), [&](const Hop& hop) {
            const std::size_t link = index(hop.link);
            return load[link] >= capacity(link) * (1 - kSlack) && rate >= largest[link] * (1 - kSlack);
        });
        RC_ASSERT(rate == busy.arrivals[i].most || has_bottleneck);
    }
}

RC_GTEST_PROP(Flows, EveryFlowIsLimitedOrHasAFullLinkOnWhichNoneIsFaster, ()) {
    Busy busy{.routes = Routes(random_topology(), *rc::gen::element(Spreading::even, Spreading::hashed))};
    const std::span<const NodeId> ends = busy.routes.topology().endpoints();
    const auto count = *rc::gen::inRange<std::size_t>(1, 40);
    for (std::size_t i = 0; i < count; ++i) {
        const auto from = *rc::gen::inRange<std::size_t>(0, ends.size());
        const auto distance = *rc::gen::inRange<std::size_t>(1, ends.size());
        busy.arrivals.push_back({.route = busy.routes.between(ends[from], ends[(from + distance) % ends.size()]),
                                 .bytes = 1e9 * *rc::gen::inRange(1, 50),
                                 .weight = static_cast<double>(*rc::gen::inRange(1, 4)),
                                 .most = *rc::gen::element(ActiveFlows::kUnlimited, 1e9, 3e9),
                                 .task = static_cast<std::uint32_t>(i)});
    }
    ActiveFlows flows(&busy.routes, {});
    for (const ActiveFlows::Arrival& arrival : busy.arrivals) {
        busy.flows.push_back(flows.arrive(0, arrival));
    }
    flows.update(0);
    expect_max_min(busy, flows);
    // One after the other leaves; only the parts touched are worked out anew, and all remain fair.
    std::vector<ActiveFlows::Due> due = flows.take_changes();
    while (!busy.flows.empty()) {
        std::erase_if(due, [&](const ActiveFlows::Due& one) { return !flows.is_current(one.group, one.version); });
        const auto next =
            std::min_element(due.begin(), due.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
        const double now = next->time;
        std::vector<std::uint32_t> left;
        flows.take_due(next->group, now, left);
        for (const std::uint32_t task : left) {
            const auto place = std::find_if(busy.arrivals.begin(), busy.arrivals.end(),
                                            [&](const auto& arrival) { return arrival.task == task; });
            busy.flows.erase(busy.flows.begin() + (place - busy.arrivals.begin()));
            busy.arrivals.erase(place);
        }
        flows.update(now);
        expect_max_min(busy, flows);
        for (const ActiveFlows::Due& change : flows.take_changes()) {
            due.push_back(change);
        }
    }
}

RC_GTEST_PROP(Flows, FlowsDeliverTheirBytesAndNoLinkMoreThanItsBandwidth, ()) {
    World world(random_topology());
    const std::size_t ends = world.routes.topology().endpoints().size();
    std::vector<double> bytes_over(world.routes.topology().links().size());
    const auto count = *rc::gen::inRange(1, 30);
    for (int i = 0; i < count; ++i) {
        const auto from = *rc::gen::inRange<std::size_t>(0, ends);
        const auto to = *rc::gen::inRange<std::size_t>(0, ends);
        const double gigabytes = *rc::gen::inRange(1, 20);
        const TaskId delay = world.builder.add({.duration = static_cast<double>(*rc::gen::inRange(0, 3)) * 1_s});
        world.builder.depend(world.send(from, to, gigabytes * 1_GB), delay);
        for (const Hop& hop : world.routes.hops(world.routes.between(world.at(from), world.at(to)))) {
            bytes_over[index(hop.link)] += gigabytes * 1e9 * hop.share;
        }
    }
    const double makespan = world.play().makespan.in(unit::second);
    for (std::size_t i = 0; i < bytes_over.size(); ++i) {
        const double bandwidth = world.routes.topology().links()[i].bandwidth().in(unit::byte_per_second);
        RC_ASSERT(bytes_over[i] <= bandwidth * makespan * (1 + 1e-9));
    }
}

}  // namespace flows_test
}  // namespace dodona::simulate
