// Collectives on a torus.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cost/collective_time.hpp"
#include "cost/torus_rings.hpp"
#include "scenes.hpp"

namespace dodona::cost {
namespace torus_test {

using cluster::Algorithm;
using cluster::Collective;
using cluster::LevelKind;

double micro(const CollectiveTime& found) { return found.time.value.in(1_us); }

CollectiveRequest on(std::int64_t ranks, cluster::Group group, Collective collective, Bytes size) {
    return {.collective = collective, .group = std::move(group), .size = size, .ranks = ranks};
}

std::vector<TorusRing> rings(const cluster::Cluster& cluster, const CollectiveRequest& request) {
    const auto spans = cluster::spans(cluster, request.group, request.ranks);
    return torus_rings(cluster.levels[0], request, spans.front(), request.group.size());
}

// 4 x 4 x 4, whole: 3 rings of 4 over two 50 GB/s links each. 64 MB: a pass is 63/64 * 64 MB over 300 GB/s = 210 us and
// 3 * 3 steps; an all-reduce twice that.
TEST(Torus, keeps_all_links_of_a_device_busy) {
    const cluster::Cluster cube = scene::torus({4, 4, 4});
    const auto pass = collective_time(cube, on(64, {{{1, 64}}}, Collective::all_gather, 64'000'000_B));
    EXPECT_EQ(pass.algorithm, Algorithm::torus);
    EXPECT_NEAR(micro(pass), 9 + 210, 1e-9);
    const auto whole = collective_time(cube, on(64, {{{1, 64}}}, Collective::all_reduce, 64'000'000_B));
    EXPECT_NEAR(micro(whole), 2 * (9 + 210), 1e-9);
    EXPECT_NEAR(whole.sent.in(unit::byte), 126e6, 1e-3);
}

// 2 x 8: halves of 8 MB. Phase 1: 1/2 * 4 MB and 7/8 * 4 MB over 100 GB/s, the larger 35 us. Phase 2: part 1 has 2 MB
// left and passes 7/8 of it, 17.5 us; part 2 has 0.5 MB. 1 + 7 steps.
TEST(Torus, waits_for_the_longer_dimension_in_each_phase) {
    const auto found = collective_time(scene::torus({2, 8}),
                                       on(16, {{{1, 16}}}, Collective::reduce_scatter, 8'000'000_B), Algorithm::torus);
    EXPECT_NEAR(micro(found), 8 + 35 + 17.5, 1e-9);
}

TEST(Torus, lets_groups_along_different_dimensions_alone) {
    const cluster::Cluster cube = scene::torus({4, 4, 4});
    const auto alone = collective_time(cube, on(4, {{{1, 4}}}, Collective::all_reduce, 4'000'000_B));
    for (const std::int64_t stride : {1, 4, 16}) {
        const auto found = collective_time(cube, on(64, {{{stride, 4}}}, Collective::all_reduce, 4'000'000_B));
        EXPECT_EQ(found.time.value, alone.time.value) << stride;
        EXPECT_EQ(found.contention, 1) << stride;
        EXPECT_NEAR(micro(found), 6 + 60, 1e-9) << "2 * 3/4 * 4 MB over 100 GB/s";
    }
}

// Two of a dimension of 4 have no way round: one ring over a line, 50 GB/s.
TEST(Torus, has_no_ring_both_ways_for_part_of_a_dimension) {
    const auto found =
        collective_time(scene::torus({4, 4}), on(16, {{{1, 2}}}, Collective::all_reduce, 1'000'000_B), Algorithm::ring);
    EXPECT_NEAR(micro(found), 2 + 20, 1e-9);
}

// Every second of a dimension of 8: two groups pass through each other.
TEST(Torus, shares_links_among_groups_that_interleave) {
    const cluster::Cluster ring = scene::torus({8});
    const auto found = collective_time(ring, on(8, {{{2, 4}}}, Collective::all_reduce, 1'000'000_B), Algorithm::ring);
    EXPECT_DOUBLE_EQ(found.contention, 2);
    EXPECT_NEAR(micro(found), 6 + 30, 1e-9) << "1.5 MB over 100 GB/s / 2";
}

TEST(Torus, follows_groups_over_several_dimensions) {
    const cluster::Cluster cube = scene::torus({4, 4, 4});
    const auto extents = [&](const cluster::Group& group) {
        std::vector<std::int64_t> found;
        for (const TorusRing& ring : rings(cube, on(64, group, Collective::all_reduce, 1_MiB))) {
            found.push_back(ring.extent);
        }
        return found;
    };
    using Extents = std::vector<std::int64_t>;
    EXPECT_EQ(extents({{{1, 64}}}), (Extents{4, 4, 4}));
    EXPECT_EQ(extents({{{4, 16}}}), (Extents{4, 4}));
    EXPECT_EQ(extents({{{2, 8}}}), (Extents{2, 4}));
    EXPECT_EQ(extents({{{1, 4}, {16, 4}}}), (Extents{4, 4}));
    EXPECT_EQ(extents({{{1, 6}}}), (Extents{6})) << "follows no dimension: one ring";
}

// n/4 of what every device has crosses the middle of the longest dimension: 16 * n / 4 over 2 * 4 links each way.
TEST(Torus, all_to_all_is_bound_by_the_bisection) {
    const auto found = collective_time(scene::torus({4, 4}), on(16, {{{1, 16}}}, Collective::all_to_all, 1'600'000_B));
    EXPECT_NEAR(micro(found), 1 + 16 * 1.6e6 / 4 / (8 * 50e3), 1e-9);
    const auto longer = collective_time(scene::torus({2, 8}), on(16, {{{1, 16}}}, Collective::all_to_all, 1'600'000_B));
    EXPECT_NEAR(micro(longer), 1 + 16 * 1.6e6 / 4 / (4 * 50e3), 1e-9) << "2 x 8 has half the bisection";
}

TEST(Torus, sends_to_one_neighbour_and_halos_to_both) {
    const cluster::Cluster cube = scene::torus({8, 8});
    const auto send = collective_time(cube, on(64, {{{8, 8}}}, Collective::send, 1'000'000_B));
    EXPECT_NEAR(micro(send), 1 + 20, 1e-9);
    CollectiveRequest halo = on(64, {{{8, 8}}}, Collective::halo, 2'000'000_B);
    halo.messages = 2;
    EXPECT_NEAR(micro(collective_time(cube, halo)), 2 + 20, 1e-9);
}

// Nodes of 4 on a switch, 4 x 4 of them in a torus: reduced inside, then along both dimensions.
TEST(Torus, of_nodes_is_reached_hierarchically) {
    cluster::Cluster pod = scene::torus({4, 4});
    pod.levels.insert(pod.levels.begin(), {.name = "node", .size = 4, .bandwidth = 300_GB_per_s, .latency = 2_us});
    const auto found =
        collective_time(pod, on(64, {{{1, 64}}}, Collective::all_reduce, 16'000'000_B), Algorithm::hierarchical);
    // inside 6 * 2 us + 1.5 * 16 MB / 300 GB/s; across four groups with 4 MB each: 12 steps and 2 * 15/16 * 4 MB over a
    // quarter of 200 GB/s.
    EXPECT_NEAR(micro(found), 12 + 80 + 24 + 150, 1e-9) << "a step across takes as long as the slower of its levels";
    EXPECT_DOUBLE_EQ(found.contention, 4);
}

// Two pods of 4 x 4 on a network of 6.25 GB/s a device: 2 * 15/16 of 16 MB inside over 200 GB/s, then 16 rings of 1 MB
// each across; on their way out no ring of the pod is in their way.
TEST(Torus, is_left_by_all_its_links) {
    cluster::Cluster pods = scene::torus({4, 4});
    pods.levels.push_back({.name = "site", .size = 2, .links = 16, .bandwidth = 6.25_GB_per_s, .latency = 5_us});
    const auto found =
        collective_time(pods, on(32, {{{1, 32}}}, Collective::all_reduce, 16'000'000_B), Algorithm::hierarchical);
    EXPECT_NEAR(micro(found), 12 + 150 + 10 + 160, 1e-9);
    const auto across = collective_time(pods, on(32, {{{16, 2}}}, Collective::send, 1'000'000_B));
    EXPECT_NEAR(micro(across), 5 + 160, 1e-9);
}

// The same with a faster network: 1 MB over all four links of 50 GB/s of a device, or over the two of a torus of one
// dimension.
TEST(Torus, is_left_no_faster_than_by_all_its_links) {
    cluster::Cluster pods = scene::torus({4, 4});
    pods.levels.push_back({.name = "site", .size = 2, .links = 16, .bandwidth = 500_GB_per_s, .latency = 5_us});
    const CollectiveRequest across = on(32, {{{16, 2}}}, Collective::send, 1'000'000_B);
    EXPECT_NEAR(micro(collective_time(pods, across)), 5 + 5, 1e-9);
    pods.levels[0].sizes = {};
    EXPECT_NEAR(micro(collective_time(pods, across)), 5 + 10, 1e-9);
}

// One device of each node of 4: 16 of them pass 2 * 15/16 of 4 MB out of themselves at 10 GB/s, 750 us, longer than on
// the torus.
TEST(Torus, of_nodes_is_reached_over_the_links_of_a_device) {
    cluster::Cluster pod = scene::torus({4, 4});
    pod.levels.insert(pod.levels.begin(), {.name = "node", .size = 4, .bandwidth = 10_GB_per_s});
    const auto found = collective_time(pod, on(64, {{{4, 16}}}, Collective::all_reduce, 4'000'000_B), Algorithm::torus);
    EXPECT_NEAR(micro(found), 12 + 750, 1e-9);
    EXPECT_EQ(found.level, 0u);
}

TEST(Torus, of_nodes_takes_the_contention_that_the_user_says) {
    cluster::Cluster pod = scene::torus({4, 4});
    pod.levels.insert(pod.levels.begin(), {.name = "node", .size = 4, .bandwidth = 300_GB_per_s});
    const CollectiveRequest request = on(64, {{{4, 16}}}, Collective::all_reduce, 4'000'000_B);
    EXPECT_DOUBLE_EQ(collective_time(pod, request, Algorithm::torus).contention, 4);
    pod.contention = 2;
    const auto found = collective_time(pod, request, Algorithm::torus);
    EXPECT_DOUBLE_EQ(found.contention, 2);
    EXPECT_NEAR(micro(found), 12 + 2 * 15.0 / 16 * 4e6 / 100e3, 1e-9);
}

RC_GTEST_PROP(TorusProperty, of_one_dimension_is_a_ring_both_ways, ()) {
    const auto p = *rc::gen::inRange<std::int64_t>(2, 40);
    const cluster::Cluster torus = scene::torus({p});
    cluster::Cluster ring = torus;
    ring.levels[0].kind = LevelKind::ring;
    ring.levels[0].links = 2;
    ring.levels[0].sizes = {};
    CollectiveRequest request =
        on(p, {{{1, p}}}, *rc::gen::elementOf(cluster::kCollectives), *rc::gen::inRange(1, 1 << 30) * 1_B);
    request.messages = request.collective == Collective::halo ? 2 : 1;
    const auto forced = *rc::gen::elementOf(cluster::kAlgorithms);
    RC_PRE(forced != Algorithm::torus);
    const double one = micro(collective_time(torus, request, forced));
    const double other = micro(collective_time(ring, request, forced));
    RC_ASSERT(one <= other * (1 + 1e-12));
    RC_ASSERT(one >= other * (1 - 1e-12));
}

RC_GTEST_PROP(TorusProperty, no_algorithm_beats_all_links_of_a_device, ()) {
    const auto size = rc::gen::inRange<std::int64_t>(2, 6);
    const std::vector<std::int64_t> sizes{*size, *size, *size};
    const std::int64_t p = sizes[0] * sizes[1] * sizes[2];
    const auto collective = *rc::gen::element(Collective::all_reduce, Collective::all_gather,
                                              Collective::reduce_scatter, Collective::all_to_all);
    const auto found = collective_time(scene::torus(sizes), on(p, {{{1, p}}}, collective, 1_GiB),
                                       *rc::gen::elementOf(cluster::kAlgorithms));
    RC_ASSERT(found.time.value >= found.sent / 300_GB_per_s);
}

RC_GTEST_PROP(TorusProperty, more_dimensions_are_never_slower_for_large_buffers, ()) {
    const auto collective = *rc::gen::element(Collective::all_reduce, Collective::all_gather, Collective::all_to_all);
    const auto request = on(64, {{{1, 64}}}, collective, 1_GiB);
    const auto line = collective_time(scene::torus({64}), request).time.value;
    const auto square = collective_time(scene::torus({8, 8}), request).time.value;
    const auto cube = collective_time(scene::torus({4, 4, 4}), request).time.value;
    RC_ASSERT(square <= line);
    RC_ASSERT(cube <= square);
}

}  // namespace torus_test
}  // namespace dodona::cost
