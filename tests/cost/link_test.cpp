// Links with protocols and curves of their own, made up so that the answers are known.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "cost/collective_curve.hpp"
#include "cost/collective_time.hpp"
#include "scenes.hpp"

namespace dodona::cost {
namespace link_test {

using cluster::Algorithm;
using cluster::Collective;
using namespace dodona::literals;

cluster::CollectiveCurve measured(Collective collective, std::int64_t ranks, Seconds first) {
    cluster::CollectiveCurve curve{
        .collective = collective, .ranks = ranks, .ranks_per_node = ranks, .held_out_error = 0.05};
    for (const double size : {1e3, 1e6, 1e9}) {
        curve.points.push_back({Bytes::of_base(size), first + Bytes::of_base(size) / 100_GB_per_s});
    }
    return curve;
}

/// 10 us and 1 us a step at a quarter of 100 GB/s; 40 us and 2 us at three quarters of it.
cluster::Link link(std::vector<cluster::CollectiveCurve> curves = {}) {
    return {.name = "made-up",
            .bandwidth = 100_GB_per_s,
            .error = 0.1,
            .protocols = {{"low-latency", {10_us, 1_us, 0.25}}, {"simple", {40_us, 2_us, 0.75}}},
            .curves = std::move(curves)};
}

/// Two nodes of 8 on that link, with a network of its own.
cluster::Cluster machine(std::vector<cluster::CollectiveCurve> curves = {}) {
    cluster::Cluster cluster{.name = "machine", .algorithms = {Algorithm::ring}};
    cluster.levels = {
        {.name = "node", .size = 8, .bandwidth = 100_GB_per_s, .latency = 1_us, .link = link(std::move(curves))},
        {.name = "system", .size = 2, .links = 8, .bandwidth = 25_GB_per_s, .latency = 4_us}};
    return cluster;
}

CollectiveRequest reduce(Bytes size, std::int64_t ranks, std::int64_t job = 8) {
    CollectiveRequest request{.size = size, .ranks = job};
    request.group.strides.push_back({1, ranks});
    return request;
}

double us(const cluster::Cluster& cluster, const CollectiveRequest& request) {
    return collective_time(cluster, request).time.value.in(1_us);
}

// 8 ranks, 14 steps, 7/4 of the size. Low latency: 24 us + 7/4 n / 25 GB/s; simple: 68 us + 7/4 n / 75 GB/s. They meet
// where 7/4 n (1/25 - 1/75) = 44 us, at n = 942,857 bytes.
TEST(Protocols, the_quicker_one_counts_and_the_switch_is_where_they_meet) {
    const auto cluster = machine();
    EXPECT_NEAR(us(cluster, reduce(100'000_B, 8)), 24 + 175'000 / 25e3, 1e-9);
    EXPECT_NEAR(us(cluster, reduce(942'000_B, 8)), 24 + 1.75 * 942'000 / 25e3, 1e-9);
    EXPECT_NEAR(us(cluster, reduce(943'000_B, 8)), 68 + 1.75 * 943'000 / 75e3, 1e-9);
    EXPECT_NEAR(us(cluster, reduce(100'000'000_B, 8)), 68 + 1.75e8 / 75e3, 1e-6);
}

// Of a link that was measured the error of its protocols; of another the interval of a data sheet, 1.6.
TEST(Protocols, are_as_sure_as_their_link_was_measured) {
    auto cluster = machine();
    const auto uncertain = [&] {
        const auto found = collective_time(cluster, reduce(1_GB, 8));
        return found.time.hi / found.time.value;
    };
    EXPECT_NEAR(uncertain(), 1.1, 1e-12);
    cluster.levels[0].link->error = 0;
    EXPECT_NEAR(uncertain(), 1.6, 1e-12);
}

TEST(Protocols, a_collective_starts_once_however_many_levels_it_crosses) {
    auto cluster = machine();
    cluster.levels[0].link->protocols.resize(1);
    EXPECT_NEAR(us(cluster, reduce(Bytes{}, 16, 16)), 10 + 30 * 4.0, 1e-9) << "30 steps, the network's the longest";
}

// Without a link: a level's efficiency is a share of its bandwidth. 200 GB/s out of a node, half of it: 100 GB/s, as
// much as the devices have.
TEST(Efficiency, is_the_share_of_its_bandwidth_that_a_level_reaches) {
    cluster::Cluster cluster{.name = "plain", .algorithms = {Algorithm::ring}};
    cluster.levels = {{.name = "node", .size = 8, .bandwidth = 100_GB_per_s},
                      {.name = "system", .size = 2, .links = 8, .bandwidth = 25_GB_per_s}};
    const auto request = reduce(1_GB, 16, 16);
    EXPECT_NEAR(us(cluster, request), 1.875e9 / 100e3, 1e-6);
    cluster.levels[1].efficiency = 0.4;
    EXPECT_NEAR(us(cluster, request), 1.875e9 / 80e3, 1e-6);
}

TEST(Efficiency, leaves_a_reduction_in_the_network_alone) {
    auto cluster = machine();
    cluster.algorithms = {Algorithm::in_network};
    cluster.levels[0].in_network = cluster::InNetwork{.bandwidth = 90_GB_per_s, .latency = 20_us};
    EXPECT_NEAR(us(cluster, reduce(90'000'000_B, 8)), 10 + 20 + 1000, 1e-6);
}

TEST(LinkCurve, answers_for_groups_side_by_side_in_a_node) {
    const auto cluster =
        machine({measured(Collective::all_reduce, 2, 7_us), measured(Collective::all_reduce, 4, 9_us)});
    for (const std::int64_t ranks : {2, 4}) {
        const auto found = collective_time(cluster, reduce(1'000'000_B, ranks, 16));
        EXPECT_EQ(found.evidence, Evidence::measured) << "a device has its own port on the switch";
        EXPECT_NEAR(found.time.value.in(1_us), (ranks == 2 ? 7 : 9) + 10, 1e-9);
    }
    EXPECT_EQ(collective_time(cluster, reduce(1_GB, 4, 16), Algorithm::ring).evidence, Evidence::data_sheet)
        << "a forced algorithm is a question about the model";
    EXPECT_EQ(collective_time(cluster, reduce(1_GB, 16, 16)).evidence, Evidence::data_sheet) << "across nodes";
}

TEST(LinkCurve, of_a_borrowed_link_is_less_certain_and_not_measured_here) {
    auto cluster = machine({measured(Collective::all_reduce, 2, 7_us)});
    cluster.levels[0].link->borrowed = 0.2;
    const auto found = collective_time(cluster, reduce(1'000'000_B, 2));
    EXPECT_EQ(found.evidence, Evidence::interpolated);
    EXPECT_NEAR(found.time.hi / found.time.value, 1.25, 1e-12);
}

TEST(LinkCurve, measured_under_a_switch_answers_for_all_of_a_pairwise_node_only) {
    auto cluster = machine({measured(Collective::all_reduce, 2, 7_us), measured(Collective::all_reduce, 8, 9_us)});
    cluster.levels[0].kind = cluster::LevelKind::all_to_all;
    EXPECT_EQ(collective_time(cluster, reduce(1'000'000_B, 8)).evidence, Evidence::measured);
    EXPECT_EQ(collective_time(cluster, reduce(1'000'000_B, 2)).evidence, Evidence::data_sheet);
    cluster.levels[0].link->wiring = cluster::Wiring::pairs;
    EXPECT_EQ(collective_time(cluster, reduce(1'000'000_B, 2)).evidence, Evidence::measured);
    cluster.levels[0].link->wiring = cluster::Wiring::ring;
    EXPECT_EQ(collective_time(cluster, reduce(1'000'000_B, 8)).evidence, Evidence::data_sheet);
}

// Each pair of devices with links of its own: all of a node have as many as a switch gives them; on a ring they do not.
TEST(LinkCurve, measured_between_pairs_answers_for_all_of_a_switched_node_only) {
    auto cluster = machine({measured(Collective::all_reduce, 2, 7_us), measured(Collective::all_reduce, 8, 9_us)});
    cluster.levels[0].link->wiring = cluster::Wiring::pairs;
    EXPECT_EQ(collective_time(cluster, reduce(1'000'000_B, 8)).evidence, Evidence::measured);
    EXPECT_EQ(collective_time(cluster, reduce(1'000'000_B, 2)).evidence, Evidence::data_sheet);
    cluster.levels[0].link->wiring = cluster::Wiring::ring;
    EXPECT_EQ(collective_time(cluster, reduce(1'000'000_B, 8)).evidence, Evidence::data_sheet);
    EXPECT_EQ(collective_time(cluster, reduce(1'000'000_B, 2)).evidence, Evidence::data_sheet);
}

// What goes through the host does not go through the links that were measured.
TEST(LinkCurve, says_nothing_of_what_is_staged) {
    auto cluster = machine({measured(Collective::send, 2, 7_us)});
    CollectiveRequest send = reduce(1'000'000_B, 2);
    send.collective = Collective::send;
    EXPECT_NEAR(us(cluster, send), 17, 1e-9);
    cluster.staging = cluster::Staging{3_us, 1_GB_per_s, {Collective::send}, "made up"};
    EXPECT_NEAR(us(cluster, send), 3 + 1000, 1e-9);
}

// The model at 10 bytes is 24 us for 8 ranks, at 1 kB some 0.07 us more.
TEST(LinkCurve, falls_as_the_model_does_below_its_first_point) {
    const auto cluster = machine({measured(Collective::all_reduce, 8, 9_us)});
    const double model_10 = 24 + 1.75 * 10 / 25e3;
    const double model_1000 = 24 + 1.75 * 1000 / 25e3;
    EXPECT_NEAR(us(cluster, reduce(10_B, 8)), (9 + 0.01) * model_10 / model_1000, 1e-9);
}

TEST(LinkRanks, between_measured_ones_take_the_model_s_error_of_both) {
    const auto cluster =
        machine({measured(Collective::all_reduce, 2, 30_us), measured(Collective::all_reduce, 8, 48_us)});
    // At 1 kB the model has 10 + 2(p-1) + 2(p-1)/p * 0.04 us; measured are 30.01 us for 2 and 48.01 us for 8: factors
    // f2 and f8. 4 is half-way between 2 and 8 in logarithms.
    const double f2 = 30.01 / (12 + 0.04);
    const double f8 = 48.01 / (24 + 0.07);
    const auto found = collective_time(cluster, reduce(1000_B, 4));
    EXPECT_NEAR(found.time.value.in(1_us), std::sqrt(f2 * f8) * (16 + 0.06), 1e-9);
    EXPECT_EQ(found.evidence, Evidence::interpolated);
    EXPECT_NEAR(found.time.hi / found.time.value, 1.1, 1e-12);
}

// Where nobody knows how far the link's protocols are off, one number of ranks says nothing of another.
TEST(LinkRanks, without_an_error_of_the_link_are_modelled) {
    auto cluster = machine({measured(Collective::all_reduce, 2, 30_us)});
    cluster.levels[0].link->error = 0;
    EXPECT_EQ(collective_time(cluster, reduce(1000_B, 8)).evidence, Evidence::data_sheet);
    EXPECT_EQ(collective_time(cluster, reduce(1000_B, 2)).evidence, Evidence::measured);
}

TEST(LinkRanks, beyond_the_last_measured_take_its_error_and_are_less_certain) {
    const auto cluster = machine({measured(Collective::all_reduce, 2, 30_us)});
    const auto found = collective_time(cluster, reduce(1000_B, 8));
    EXPECT_NEAR(found.time.value.in(1_us), 30.01 / 12.04 * 24.07, 1e-9);
    EXPECT_NEAR(found.time.hi / found.time.value, 1.2, 1e-12) << "two doublings: twice half the error more";
}

// One rank a node, measured over 2 and 4 nodes; asked for 8 of them, alone and beside seven others with adapters of
// their own, and then where two groups share an adapter.
TEST(LinkRanks, of_a_network_are_those_of_its_own_placement) {
    auto cluster = machine();
    cluster.levels[1].size = 8;
    cluster::CollectiveCurve two = measured(Collective::all_reduce, 2, 30_us);
    two.ranks_per_node = 1;
    cluster.levels[1].link = cluster::Link{.name = "net",
                                           .bandwidth = 25_GB_per_s,
                                           .error = 0.1,
                                           .protocols = {{"ring", {{}, 4_us, 0.9}}},
                                           .curves = {two}};
    CollectiveRequest request{.size = 1'000'000_B, .ranks = 64};
    request.group.strides.push_back({8, 2});
    EXPECT_EQ(collective_time(cluster, request).evidence, Evidence::measured);
    request.group.strides = {{8, 8}};
    EXPECT_EQ(collective_time(cluster, request).evidence, Evidence::interpolated);
    cluster.levels[1].links = 4;
    const auto shared = collective_time(cluster, request);
    EXPECT_EQ(shared.evidence, Evidence::data_sheet);
    EXPECT_EQ(shared.contention, 2);
}

}  // namespace link_test
}  // namespace dodona::cost
