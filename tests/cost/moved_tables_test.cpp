// Measured tables on machines that are asked to be otherwise: what was measured over what is modelled stays.
#include "cost/moved_tables.hpp"

#include <gtest/gtest.h>

#include "cost/collective_curve.hpp"
#include "cost/collective_time.hpp"
#include "cost/device_time.hpp"
#include "graph/kernel.hpp"
#include "scenes.hpp"

namespace dodona::cost {
namespace moved_tables_test {

using cluster::Cluster;
using cluster::Collective;
using namespace dodona::literals;

/// A ring over 16 ranks in two nodes of eight: 30 steps of 10 us, and 2 * 15/16 n over the 25 GB/s between the nodes.
Cluster machine() {
    Cluster cluster = scene::two_levels(1);
    cluster.algorithms = {cluster::Algorithm::ring};
    return cluster;
}

CollectiveRequest sixteen(Bytes size) { return {.group = {.strides = {{1, 16}}}, .size = size, .ranks = 16}; }

/// Between 1 KiB and 1 GiB, 30 % above the model.
Cluster measured() {
    Cluster cluster = machine();
    cluster::CollectiveCurve curve{.ranks = 16, .ranks_per_node = 8, .held_out_error = 0.05};
    for (Bytes size = 1024_B; size <= 1_GiB; size *= 16) {
        curve.points.push_back({size, 1.3 * modelled_time(cluster, sixteen(size))});
    }
    cluster.curves = {curve};
    return cluster;
}

Seconds time(const Cluster& cluster, Bytes size) { return collective_time(cluster, sixteen(size)).time.value; }

TEST(MovedTables, KeepWhatWasMeasuredOverWhatIsModelled) {
    const Cluster was = measured();
    Cluster is = was;
    is.levels[1].bandwidth *= 0.5;
    is.levels[1].latency *= 3;
    const Cluster moved = moved_tables(was, is);
    ASSERT_EQ(moved.curves[0].points.size(), was.curves[0].points.size());
    for (const auto& point : moved.curves[0].points) {
        EXPECT_NEAR(point.time / modelled_time(is, sixteen(point.size)), 1.3, 1e-12);
        EXPECT_EQ(collective_time(moved, sixteen(point.size)).evidence, Evidence::measured);
    }
}

TEST(MovedTables, LargeMessagesFollowBandwidthAndSmallOnesLatency) {
    const Cluster was = measured();
    Cluster faster = was;
    faster.levels[1].bandwidth *= 2;
    faster = moved_tables(was, faster);
    Cluster later = was;
    later.levels[1].latency *= 2;
    later = moved_tables(was, later);
    // 1 GiB: 30 * 10 us = 0.3 ms of 81 ms are latency. 1 KiB: 0.03 us of 300 us are bytes.
    EXPECT_NEAR(time(was, 1_GiB) / time(faster, 1_GiB), 2, 0.02);
    EXPECT_NEAR(time(later, 1_GiB) / time(was, 1_GiB), 1, 0.005);
    EXPECT_NEAR(time(was, 1024_B) / time(faster, 1024_B), 1, 0.001);
    EXPECT_NEAR(time(later, 1024_B) / time(was, 1024_B), 2, 0.001);
}

/// As `measured`, on the node's link: eight ranks, 20 % above the model.
Cluster with_link() {
    Cluster cluster = machine();
    cluster::Link link{.name = "made-up", .bandwidth = 300_GB_per_s, .error = 0.1};
    link.protocols = {{"simple", {5_us, 2_us, 0.8}}};
    cluster.levels[0].link = link;
    cluster::CollectiveCurve curve{.ranks = 8, .ranks_per_node = 8, .held_out_error = 0.05};
    for (Bytes size = 1_MiB; size <= 1_GiB; size *= 4) {
        const CollectiveRequest eight{.group = {.strides = {{1, 8}}}, .size = size, .ranks = 8};
        curve.points.push_back({size, 1.2 * modelled_time(cluster, eight)});
    }
    cluster.levels[0].link->curves = {curve};
    return cluster;
}

TEST(MovedTables, OfALinkMoveWithItsProtocols) {
    const Cluster was = with_link();
    Cluster is = was;
    is.levels[0].bandwidth *= 4;
    const Cluster moved = moved_tables(was, is);
    // 1 GiB over eight ranks: 7.8 ms of bytes at 240 GB/s a way, 33 us else.
    const CollectiveRequest eight{.group = {.strides = {{1, 8}}}, .size = 1_GiB, .ranks = 8};
    const Seconds before = collective_time(was, eight).time.value;
    EXPECT_NEAR(before / collective_time(moved, eight).time.value, 4, 0.06);
    EXPECT_EQ(before / collective_time(is, eight).time.value, 1) << "a table that stays hides the change";
}

/// Sixteen ranks, one on each node of eight: 2 * 15/16 n over 25 GB/s, and latency, twice as fast.
TEST(MovedTables, OfALinkBetweenNodesAreOfRanksANodeApart) {
    Cluster was = machine();
    cluster::Link link{.name = "made-up", .bandwidth = 25_GB_per_s, .error = 0.1};
    const CollectiveRequest apart{.group = {.strides = {{8, 16}}}, .size = 1_GiB, .ranks = 128};
    link.curves = {{.ranks = 16, .ranks_per_node = 1, .points = {{1_GiB, 1.2 * modelled_time(was, apart)}}}};
    was.levels[1].link = link;
    Cluster is = was;
    is.levels[1].bandwidth *= 2;
    const Seconds moved = moved_tables(was, is).levels[1].link->curves[0].points[0].time;
    EXPECT_NEAR(moved / modelled_time(is, apart), 1.2, 1e-12);
    EXPECT_NEAR(was.levels[1].link->curves[0].points[0].time / moved, 2, 0.02);
}

/// Ranks that were not measured are the model, corrected by their neighbours: the correction stays.
TEST(MovedTables, LeaveTheCorrectionBetweenRanks) {
    const Cluster was = with_link();
    Cluster is = was;
    is.levels[0].bandwidth *= 4;
    const Cluster moved = moved_tables(was, is);
    const CollectiveRequest four{.group = {.strides = {{1, 4}}}, .size = 64_MiB, .ranks = 8};
    EXPECT_NEAR(collective_time(was, four).time.value / modelled_time(was, four), 1.2, 1e-9);
    EXPECT_NEAR(collective_time(moved, four).time.value / modelled_time(is, four), 1.2, 1e-9);
}

/// Nine ranks, three on each node of eight: no mesh has such groups. The fault was an exit with 70.
TEST(MovedTables, StayOfRanksThatDoNotDivideANode) {
    Cluster was = measured();
    was.curves[0].ranks = 9;
    was.curves[0].ranks_per_node = 3;
    Cluster is = was;
    is.levels[1].bandwidth *= 2;
    EXPECT_EQ(moved_tables(was, is).curves[0].points[0].time, was.curves[0].points[0].time);
}

TEST(MovedTables, ChangeNothingWhereNothingChanges) {
    const Cluster was = with_link();
    const Cluster moved = moved_tables(was, was);
    const auto& before = was.levels[0].link->curves[0].points;
    const auto& after = moved.levels[0].link->curves[0].points;
    for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(after[i].time, before[i].time);
    }
}

/// A product measured at half of the roofline: 4096^3 in 2 * 0.44 ms at 312 TFLOP/s.
TEST(MovedTables, KernelsKeepTheirEfficiency) {
    Cluster was = machine();
    was.device = scene::a100();
    const graph::Kernel product = graph::matmul(4096, 4096, 4096);
    const Precision precision = was.device.matrix.begin()->first;
    const Seconds ideal = kernel_time(was.device, product, precision).time.value;
    was.device.curves = {{.kind = graph::KernelKind::matmul,
                          .precision = precision,
                          .points = {{.m = 4096, .n = 4096, .k = 4096, .batch = 1, .bytes = {}, .time = 2 * ideal}}}};
    Cluster is = was;
    for (auto& [at, peak] : is.device.matrix) {
        peak *= 0.5;
    }
    is.device.vector *= 0.5;
    const Cluster moved = moved_tables(was, is);
    EXPECT_EQ(kernel_time(is.device, product, precision).time.value, 2 * ideal);
    EXPECT_NEAR(kernel_time(moved.device, product, precision).time.value / ideal, 4, 0.05);
    is = was;
    is.device.memory_bandwidth *= 2;
    EXPECT_NEAR(kernel_time(moved_tables(was, is).device, product, precision).time.value / ideal, 2, 0.05)
        << "bound by arithmetic, but for partial sums";
}

}  // namespace moved_tables_test
}  // namespace dodona::cost
