#include "cost/collective_time.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "scenes.hpp"

namespace dodona::cost {
namespace collective_test {

using cluster::Algorithm;
using cluster::Collective;
using cluster::LevelKind;
using namespace dodona::literals;

double micro(const CollectiveTime& found) { return found.time.value.in(1_us); }

CollectiveRequest all_reduce(cluster::Group group, Bytes size, std::int64_t ranks) {
    return {.collective = Collective::all_reduce, .group = std::move(group), .size = size, .ranks = ranks};
}

TEST(Ring, sends_almost_twice_the_buffer_over_the_slowest_level) {
    // 16 ranks in 2 nodes drive all 8 rails: 30 steps of 10 us, 2*15/16*160 MB = 300 MB over 200 GB/s is 1500 us.
    const auto found =
        collective_time(scene::two_levels(), all_reduce({{{1, 16}}}, 160'000'000_B, 16), Algorithm::ring);
    EXPECT_NEAR(micro(found), 300 + 1500, 1e-9);
    EXPECT_EQ(found.algorithm, Algorithm::ring);
    EXPECT_EQ(found.level, 1u);
    EXPECT_EQ(found.contention, 1);
    EXPECT_NEAR(found.sent.in(unit::byte), 300e6, 1e-3);
}

TEST(Ring, of_an_all_gather_is_half_of_an_all_reduce) {
    CollectiveRequest request = all_reduce({{{1, 16}}}, 160'000'000_B, 16);
    const auto whole = collective_time(scene::two_levels(), request, Algorithm::ring);
    for (const Collective half : {Collective::all_gather, Collective::reduce_scatter}) {
        request.collective = half;
        EXPECT_NEAR(2 * micro(collective_time(scene::two_levels(), request, Algorithm::ring)), micro(whole), 1e-9);
    }
}

TEST(Tree, sends_the_whole_buffer_in_each_of_its_steps) {
    // 8 ranks: 2*3 steps of 3 us + 30 kB over 300 GB/s = 0.1 us.
    const auto found = collective_time(scene::two_levels(), all_reduce({{{1, 8}}}, 30'000_B, 8), Algorithm::tree);
    EXPECT_NEAR(micro(found), 6 * 3.1, 1e-9);
}

TEST(DoubleTree, takes_the_best_number_of_chunks) {
    // L = 3, alpha = 3 us, n beta = 1000 us: k = sqrt(3 * 1000 / 6) = 22.36; 4 (L+k) (alpha + n beta / 2k) by trial.
    const auto found =
        collective_time(scene::two_levels(), all_reduce({{{1, 8}}}, 300'000'000_B, 8), Algorithm::double_tree);
    double best = 1e9;
    for (double k = 1; k < 100; ++k) {
        best = std::min(best, 4 * (3 + k) * (3 + 1000 / (2 * k)));
    }
    EXPECT_NEAR(micro(found), best, 1e-9);
}

TEST(DoubleTree, without_latency_streams_the_buffer_twice) {
    cluster::Cluster cluster = scene::two_levels();
    cluster.levels[0].latency = Seconds{};
    const auto found = collective_time(cluster, all_reduce({{{1, 8}}}, 300'000_B, 8), Algorithm::double_tree);
    EXPECT_NEAR(micro(found), 2, 1e-12);
}

// 128 GPUs, 8 a node, 25 Gb/s, 102.4 MB (ResNet-50 in fp32): 77.72 ms for a flat ring, 66.66 ms for a 2D all-reduce.
// Source: worked by hand from the equations of Mikami et al. (arXiv:1811.05233) and of the baseline of Shi et al.
// (arXiv:2010.10458).
TEST(Hierarchical, beats_a_flat_ring_over_a_thin_network) {
    cluster::Cluster cloud;
    cloud.levels = {{.name = "node", .size = 8, .bandwidth = 50_GB_per_s, .latency = 10_us},
                    {.name = "system", .size = 16, .bandwidth = 3.125_GB_per_s, .latency = 50_us}};
    const CollectiveRequest request = all_reduce({{{1, 128}}}, 102'400'000_B, 128);
    const auto flat = collective_time(cloud, request, Algorithm::ring);
    const auto found = collective_time(cloud, request, Algorithm::hierarchical);
    EXPECT_NEAR(flat.time.value.in(1000_us), 77.72, 0.005);
    EXPECT_NEAR(found.time.value.in(1000_us), 66.66, 0.01);
    EXPECT_DOUBLE_EQ(found.contention, 8) << "eight rings across share one link";
    EXPECT_EQ(found.level, 1u);
}

TEST(Hierarchical, of_an_all_gather_moves_the_slice_across_and_the_whole_inside) {
    // 2 nodes of 8, 8 rails: across 1 step of 10 us + 1/2 * 20 MB / 25 GB/s = 400 us; inside 7 steps of 3 us +
    // 7/8 * 160 MB / 300 GB/s = 466.67 us.
    CollectiveRequest request = all_reduce({{{1, 16}}}, 160'000'000_B, 16);
    request.collective = Collective::all_gather;
    const auto found = collective_time(scene::two_levels(), request, Algorithm::hierarchical);
    EXPECT_NEAR(micro(found), 10 + 400 + 21 + 140e6 / 300e3, 1e-9);
}

TEST(Hierarchical, does_not_apply_to_groups_with_one_member_a_node_or_in_one_node) {
    for (const cluster::Group& group : {cluster::Group{{{8, 4}}}, cluster::Group{{{1, 8}}}}) {
        const auto found =
            collective_time(scene::two_levels(), all_reduce(group, 1'000'000_B, 32), Algorithm::hierarchical);
        EXPECT_NE(found.algorithm, Algorithm::hierarchical);
    }
}

TEST(Hierarchical, needs_nodes_alike_but_not_what_is_around_them) {
    cluster::Cluster racks;
    racks.levels = {{.name = "node", .size = 8, .bandwidth = 300_GB_per_s},
                    {.name = "rack", .size = 3, .links = 8, .bandwidth = 25_GB_per_s},
                    {.name = "system", .size = 3, .links = 8, .bandwidth = 25_GB_per_s}};
    const auto whole = collective_time(racks, all_reduce({{{1, 32}}}, 1_GiB, 32), Algorithm::hierarchical);
    EXPECT_EQ(whole.algorithm, Algorithm::hierarchical) << "three nodes in one rack, one in the other";
    racks.levels[0].size = 7;
    const auto straddling = collective_time(racks, all_reduce({{{1, 6}}}, 1_GiB, 42), Algorithm::hierarchical);
    EXPECT_NE(straddling.algorithm, Algorithm::hierarchical);
}

TEST(Direct, all_to_all_takes_out_of_a_node_what_its_members_owe_the_others) {
    // 16 ranks in 2 nodes, 16 MB each: 8 members owe 8/16 of 16 MB: 64 MB over 8 rails = 200 GB/s is 320 us.
    CollectiveRequest request = all_reduce({{{1, 16}}}, 16'000'000_B, 16);
    request.collective = Collective::all_to_all;
    const auto found = collective_time(scene::two_levels(), request);
    EXPECT_NEAR(micro(found), 10 + 320, 1e-9);
    EXPECT_EQ(found.algorithm, Algorithm::direct);
    EXPECT_NEAR(found.sent.in(unit::byte), 15e6, 1e-6);
}

TEST(Direct, on_a_ring_level_is_forwarded_by_the_children_between) {
    // 4 devices, one way round: a message passes 2 links in the mean; 3/4 * 4 MB * 2 over 50 GB/s is 120 us.
    CollectiveRequest request = all_reduce({{{1, 4}}}, 4'000'000_B, 4);
    request.collective = Collective::all_to_all;
    EXPECT_NEAR(micro(collective_time(scene::abci_paradl(), request)), 9 + 120, 1e-9);
}

TEST(AllToAllLevel, gives_a_group_one_link_per_peer_and_a_message_one_link) {
    cluster::Cluster cluster;
    cluster.levels = {{.name = "node", .size = 8, .kind = LevelKind::all_to_all, .bandwidth = 50_GB_per_s}};
    const CollectiveRequest four = all_reduce({{{1, 4}}}, 200'000_B, 8);
    EXPECT_NEAR(micro(collective_time(cluster, four, Algorithm::ring)), 2 * 0.75 * 200e3 / 150e3, 1e-9);
    CollectiveRequest message = four;
    message.collective = Collective::send;
    EXPECT_NEAR(micro(collective_time(cluster, message)), 200e3 / 50e3, 1e-9);
}

TEST(Send, shares_the_links_of_a_node_with_the_other_ranks_that_send) {
    // 8 ranks of each node send 25 MB to the next node: one rail each is 1000 us, two rails for all 4000 us.
    CollectiveRequest request = all_reduce({{{8, 4}}}, 25'000'000_B, 32);
    request.collective = Collective::send;
    EXPECT_NEAR(micro(collective_time(scene::two_levels(8), request)), 10 + 1000, 1e-9);
    const auto shared = collective_time(scene::two_levels(2), request);
    EXPECT_NEAR(micro(shared), 10 + 4000, 1e-9);
    EXPECT_DOUBLE_EQ(shared.contention, 4);
    EXPECT_EQ(shared.sent, request.size);
}

TEST(Send, of_a_pipeline_through_a_node_leaves_it_once) {
    CollectiveRequest request = all_reduce({{{1, 32}}}, 25'000'000_B, 32);
    request.collective = Collective::send;
    const auto found = collective_time(scene::two_levels(2), request);
    EXPECT_NEAR(micro(found), 10 + 1000, 1e-9);
    EXPECT_EQ(found.contention, 1);
}

TEST(Contention, given_by_the_user_replaces_the_one_computed_outside_the_device) {
    cluster::Cluster cluster = scene::two_levels(1);
    cluster.contention = 2;
    const auto found = collective_time(cluster, all_reduce({{{8, 2}}}, 25'000'000_B, 16), Algorithm::ring);
    EXPECT_DOUBLE_EQ(found.contention, 2);
    EXPECT_NEAR(micro(found), 2 * 10 + 2000, 1e-9);
    const auto inside = collective_time(cluster, all_reduce({{{1, 8}}}, 300'000_B, 16), Algorithm::ring);
    EXPECT_EQ(inside.contention, 1);
}

TEST(Interval, is_wider_by_rates_that_nobody_stated) {
    // 0.9 and 1.6 times the time of a model; a quarter more either way where the network's rate is assumed.
    cluster::Cluster cluster = scene::two_levels();
    cluster.levels[1].assumed = 0.25;
    const auto across = collective_time(cluster, all_reduce({{{1, 16}}}, 160'000'000_B, 16), Algorithm::ring);
    EXPECT_NEAR(across.time.lo / across.time.value, 0.9 / 1.25, 1e-12);
    EXPECT_NEAR(across.time.hi / across.time.value, 1.6 * 1.25, 1e-12);
    const auto inside = collective_time(cluster, all_reduce({{{1, 8}}}, 160'000'000_B, 16), Algorithm::ring);
    EXPECT_NEAR(inside.time.lo / inside.time.value, 0.9, 1e-12);
    EXPECT_NEAR(inside.time.hi / inside.time.value, 1.6, 1e-12);
}

TEST(Taper, divides_what_leaves_a_child) {
    cluster::Cluster cluster = scene::two_levels(1);
    cluster.levels[1].kind = LevelKind::fat_tree;
    cluster.levels[1].taper = 4;
    const auto found = collective_time(cluster, all_reduce({{{1, 16}}}, 16'000'000_B, 16), Algorithm::ring);
    EXPECT_NEAR(micro(found), 300 + 30e6 / 6.25e3, 1e-9);
    EXPECT_EQ(found.contention, 1) << "a taper is the cluster's, not the job's own flows";
}

TEST(Choice, is_a_tree_for_small_messages_and_a_ring_for_large_ones) {
    cluster::Cluster cluster = scene::two_levels();
    cluster.levels[1].size = 128;
    cluster.algorithms = {Algorithm::ring, Algorithm::tree, Algorithm::double_tree};
    const auto chosen = [&](Bytes size) {
        return collective_time(cluster, all_reduce({{{8, 128}}}, size, 1024)).algorithm;
    };
    EXPECT_EQ(chosen(1024_B), Algorithm::tree);
    EXPECT_EQ(chosen(2'500'000_B), Algorithm::double_tree);
    EXPECT_EQ(chosen(1_GiB), Algorithm::ring);
}

TEST(Choice, of_equals_is_the_first) {
    const auto found = collective_time(scene::two_levels(), all_reduce({{{1, 2}}}, 1_MiB, 2));
    EXPECT_EQ(found.algorithm, Algorithm::ring) << "direct takes as long between two";
}

TEST(Choice, falls_back_where_the_forced_or_listed_algorithms_do_not_run_the_collective) {
    cluster::Cluster cluster = scene::two_levels();
    CollectiveRequest request = all_reduce({{{1, 16}}}, 1_MiB, 16);
    request.collective = Collective::all_gather;
    cluster.algorithms = {Algorithm::ring, Algorithm::tree};
    EXPECT_EQ(collective_time(cluster, request, Algorithm::tree).algorithm, Algorithm::ring);
    cluster.algorithms = {Algorithm::tree};
    const auto any = collective_time(cluster, request);
    EXPECT_NE(any.algorithm, Algorithm::tree);
    request.collective = Collective::all_to_all;
    EXPECT_EQ(collective_time(cluster, request).algorithm, Algorithm::direct);
}

TEST(Choice, is_among_the_algorithms_of_the_library) {
    cluster::Cluster cluster = scene::two_levels();
    cluster.levels[1].size = 128;
    const auto chosen = [&](Bytes size) {
        return collective_time(cluster, all_reduce({{{8, 128}}}, size, 1024)).algorithm;
    };
    cluster.collectives = cluster::CollectiveLibrary::nccl;
    EXPECT_EQ(chosen(1024_B), Algorithm::tree);
    EXPECT_EQ(chosen(2'500'000_B), Algorithm::double_tree);
    cluster.collectives = cluster::CollectiveLibrary::mpi;
    EXPECT_EQ(chosen(1024_B), Algorithm::tree);
    EXPECT_EQ(chosen(2'500'000_B), Algorithm::tree) << "it has no double tree";
    EXPECT_EQ(chosen(1_GiB), Algorithm::ring);
    cluster.collectives = cluster::CollectiveLibrary::gloo;
    EXPECT_EQ(chosen(1024_B), Algorithm::ring);
    cluster.algorithms = {Algorithm::double_tree};
    EXPECT_EQ(chosen(1024_B), Algorithm::double_tree) << "a list overrides the library";
}

TEST(Choice, of_a_library_has_only_algorithms_that_run_the_collective) {
    for (const cluster::LibraryAlgorithms& row : cluster::kLibraryAlgorithms) {
        cluster::Cluster cluster = scene::two_levels();
        cluster.levels[0].in_network = {.bandwidth = 200_GB_per_s, .latency = 10_us};
        cluster.levels[1].in_network = {.bandwidth = 20_GB_per_s, .latency = 10_us};
        CollectiveRequest request = all_reduce({{{1, 16}}}, 1_MiB, 16);
        request.collective = row.collective;
        request.routing = {.experts = 16, .chosen = 2};
        for (const Algorithm algorithm : row.algorithms) {
            EXPECT_EQ(collective_time(cluster, request, algorithm).algorithm, algorithm)
                << name(row.library) << ", " << name(row.collective);
        }
    }
}

TEST(Group, of_one_rank_sends_nothing_in_no_time) {
    for (const Collective collective : cluster::kCollectives) {
        CollectiveRequest request = all_reduce({{{4, 1}}}, 1_GiB, 16);
        request.collective = collective;
        const auto found = collective_time(scene::two_levels(), request);
        EXPECT_EQ(found.time.value, Seconds{});
        EXPECT_EQ(found.time.hi, Seconds{});
        EXPECT_EQ(found.sent, Bytes{});
    }
}

// One layer of GPT-3 175B on tensor 8 sends 88,080,384 bytes an all-reduce; ResNet-50's gradients on 4 153,342,192.
TEST(SentBytes, are_those_of_the_field) {
    EXPECT_DOUBLE_EQ(sent_bytes(Collective::all_reduce, 8, 50'331'648_B).in(unit::byte), 88'080'384);
    EXPECT_DOUBLE_EQ(sent_bytes(Collective::all_reduce, 4, 4 * 25'557'032_B).in(unit::byte), 153'342'192);
    EXPECT_DOUBLE_EQ(sent_bytes(Collective::all_to_all, 8, 4096 * 2 * 4096 * 2_B).in(unit::byte), 58'720'256);
    EXPECT_EQ(sent_bytes(Collective::send, 2, 7_B), 7_B);
    EXPECT_EQ(sent_bytes(Collective::halo, 4, 7_B), 7_B);
}

}  // namespace collective_test
}  // namespace dodona::cost
