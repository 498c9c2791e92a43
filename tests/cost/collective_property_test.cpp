#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "cost/collective_time.hpp"
#include "scenes.hpp"

namespace dodona::cost {
namespace collective_property_test {

using cluster::Algorithm;
using cluster::Collective;
using cluster::LevelKind;

struct World {
    cluster::Cluster cluster;
    CollectiveRequest request;
};

/// Ways to lay so many children on a torus.
std::vector<std::vector<std::int64_t>> dimensions(std::int64_t children) {
    std::vector<std::vector<std::int64_t>> ways{{children}};
    if (children % 2 == 0 && children > 2) {
        ways.push_back({2, children / 2});
        ways.push_back({children / 2, 2});
    }
    if (children == 8) {
        ways.push_back({2, 2, 2});
    }
    return ways;
}

std::optional<cluster::InNetwork> random_reduction() {
    if (*rc::gen::arbitrary<bool>()) {
        return std::nullopt;
    }
    return cluster::InNetwork{.bandwidth = *rc::gen::inRange(1, 400) * 1_GB_per_s,
                              .latency = *rc::gen::inRange(0, 50) * 1_us};
}

World random_world() {
    World world;
    CollectiveRequest& request = world.request;
    request.collective = *rc::gen::elementOf(cluster::kCollectives);
    request.messages = request.collective == Collective::halo ? *rc::gen::inRange(1, 3) : 1;
    const int axes = *rc::gen::inRange(1, 4);
    for (int axis = 0; axis < axes; ++axis) {
        const auto size = *rc::gen::element<std::int64_t>(2, 2, 3, 4, 8);
        if (axis == 0 || *rc::gen::arbitrary<bool>()) {
            request.group.strides.push_back({request.ranks, size});
        }
        request.ranks *= size;
    }
    std::int64_t devices = 1;
    for (const std::int64_t size :
         {*rc::gen::element<std::int64_t>(1, 2, 4, 8), *rc::gen::inRange<std::int64_t>(1, 9)}) {
        world.cluster.levels.push_back({.name = "level",
                                        .size = size,
                                        .kind = *rc::gen::elementOf(cluster::kLevelKinds),
                                        .links = *rc::gen::inRange<std::int64_t>(1, 9),
                                        .bandwidth = *rc::gen::inRange(1, 400) * 1_GB_per_s,
                                        .latency = *rc::gen::inRange(0, 50) * 1_us,
                                        .taper = *rc::gen::element(1.0, 1.0, 3.0),
                                        .sizes = *rc::gen::elementOf(dimensions(size)),
                                        .routing = *rc::gen::elementOf(cluster::kRoutings),
                                        .in_network = random_reduction()});
        devices *= size;
    }
    world.cluster.levels.push_back({.name = "top",
                                    .size = request.ranks / devices + 1,
                                    .bandwidth = *rc::gen::inRange(1, 50) * 1_GB_per_s,
                                    .latency = 10_us});
    world.cluster.host =
        cluster::Host{.memory = 1_GiB, .bandwidth = *rc::gen::inRange(1, 100) * 1_GB_per_s, .source = ""};
    world.cluster.parameter_servers = {.place = *rc::gen::elementOf(cluster::kServerPlaces),
                                       .count = *rc::gen::inRange<std::int64_t>(1, 9)};
    request.size = *rc::gen::inRange(1, 1 << 30) * 1_B;
    return world;
}

RC_GTEST_PROP(CollectiveProperty, more_bytes_never_take_less_time, ()) {
    World world = random_world();
    const auto forced = *rc::gen::elementOf(cluster::kAlgorithms);
    const auto less = collective_time(world.cluster, world.request, forced);
    world.request.size *= *rc::gen::element(1.0, 1.001, 2.0, 100.0);
    const auto more = collective_time(world.cluster, world.request, forced);
    RC_ASSERT(less.time.value <= more.time.value);
    RC_ASSERT(less.sent <= more.sent);
}

RC_GTEST_PROP(CollectiveProperty, free_choice_is_as_fast_as_any_forced_one, ()) {
    const World world = random_world();
    const auto free = collective_time(world.cluster, world.request);
    for (const Algorithm algorithm : cluster::kAlgorithms) {
        RC_ASSERT(free.time.value <= collective_time(world.cluster, world.request, algorithm).time.value);
    }
    RC_ASSERT(collective_time(world.cluster, world.request, free.algorithm).time.value == free.time.value);
}

RC_GTEST_PROP(CollectiveProperty, an_interval_holds_its_value, ()) {
    const World world = random_world();
    const auto found = collective_time(world.cluster, world.request);
    RC_ASSERT(found.time.lo <= found.time.value);
    RC_ASSERT(found.time.value <= found.time.hi);
    RC_ASSERT(found.time.value > Seconds{});
    RC_ASSERT(found.contention >= 1);
    RC_ASSERT(found.level < world.cluster.levels.size());
    RC_ASSERT(found.evidence == Evidence::data_sheet);
}

// A rank of an all-reduce on one switch has 2(p-1)/p n to send, whatever the algorithm.
RC_GTEST_PROP(CollectiveProperty, no_algorithm_beats_the_links_of_a_device, ()) {
    const auto p = *rc::gen::inRange<std::int64_t>(2, 100);
    cluster::Cluster cluster;
    cluster.levels = {{.name = "node", .size = p, .links = 2, .bandwidth = 25_GB_per_s, .latency = 1_us}};
    const auto collective = *rc::gen::elementOf(cluster::kCollectives);
    const CollectiveRequest request{
        .collective = collective, .group = {{{1, p}}}, .size = *rc::gen::inRange(1, 1 << 30) * 1_B, .ranks = p};
    const auto algorithm = *rc::gen::elementOf(cluster::kAlgorithms);
    const auto found = collective_time(cluster, request, algorithm);
    RC_ASSERT(found.time.value >= found.sent / 50_GB_per_s);
}

RC_GTEST_PROP(CollectiveProperty, an_axis_of_one_changes_nothing, ()) {
    World world = random_world();
    const auto without = collective_time(world.cluster, world.request);
    auto& strides = world.request.group.strides;
    const auto at = *rc::gen::inRange<std::size_t>(0, strides.size() + 1);
    strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(at), {1, 1});
    const auto with = collective_time(world.cluster, world.request);
    RC_ASSERT(without.time.value == with.time.value);
    RC_ASSERT(without.sent == with.sent);
}

RC_GTEST_PROP(CollectiveProperty, a_trace_ends_in_the_time_and_begins_with_the_algorithm_that_has_it, ()) {
    const auto [cluster, request] = random_world();
    const CollectiveTrace trace = collective_trace(cluster, request);
    const CollectiveTime time = collective_time(cluster, request);
    RC_ASSERT(trace.time.time.value == time.time.value);
    RC_ASSERT(!trace.levels.empty());
    RC_ASSERT(trace.levels.size() == cluster::spans(cluster, request.group, request.ranks).size());
    if (!trace.tried.empty()) {
        RC_ASSERT(trace.tried.front().time == trace.modelled);
    }
    const Seconds uncorrected = trace.measured.value_or(trace.modelled);
    RC_ASSERT(std::abs(trace.slow_down.value_or(1) * (uncorrected / trace.time.time.value) - 1) < 1e-12);
}

// Gather n/b over a, then n over b: (a-1)/a n/b + (b-1)/b n = (ab-1)/(ab) n.
RC_GTEST_PROP(SentBytesProperty, two_axes_in_a_row_send_what_their_product_does, ()) {
    const auto a = *rc::gen::inRange<std::int64_t>(1, 64);
    const auto b = *rc::gen::inRange<std::int64_t>(1, 64);
    const Bytes n = *rc::gen::inRange(1, 1 << 30) * 1_B;
    for (const Collective collective : {Collective::all_gather, Collective::reduce_scatter}) {
        const Bytes first = sent_bytes(collective, a, n / static_cast<double>(b));
        const Bytes both = first + sent_bytes(collective, b, n);
        const Bytes one = sent_bytes(collective, a * b, n);
        RC_ASSERT(both.in(unit::byte) <= one.in(unit::byte) * (1 + 1e-12));
        RC_ASSERT(both.in(unit::byte) >= one.in(unit::byte) * (1 - 1e-12));
    }
}

RC_GTEST_PROP(SentBytesProperty, an_all_reduce_is_a_reduce_scatter_and_an_all_gather, ()) {
    const auto p = *rc::gen::inRange<std::int64_t>(1, 1000);
    const Bytes n = *rc::gen::inRange(1, 1 << 30) * 1_B;
    const Bytes halves = sent_bytes(Collective::reduce_scatter, p, n) + sent_bytes(Collective::all_gather, p, n);
    RC_ASSERT(std::abs(halves.in(unit::byte)-sent_bytes(Collective::all_reduce, p, n).in(unit::byte)) <=
              1e-12 * n.in(unit::byte));
}

}  // namespace collective_property_test
}  // namespace dodona::cost
