#include "cluster/cluster.hpp"

#include <gtest/gtest.h>

#include "base/check.hpp"

namespace dodona::cluster {
namespace cluster_test {

using namespace dodona::literals;

Cluster two_levels() {
    Cluster cluster;
    cluster.levels = {{.name = "node", .size = 8, .links = 1, .bandwidth = 300_GB_per_s},
                      {.name = "system", .size = 16, .links = 4, .bandwidth = 25_GB_per_s}};
    return cluster;
}

TEST(Cluster, counts_devices_from_the_inside_out) {
    const Cluster cluster = two_levels();
    EXPECT_EQ(cluster.devices(), 128);
    EXPECT_EQ(cluster.domain_size(0), 8);
    EXPECT_EQ(cluster.domain_size(1), 128);
    EXPECT_EQ(cluster.node_size(), 8);
    EXPECT_EQ(Cluster{}.devices(), 1);
    EXPECT_THROW((void)cluster.domain_size(2), InternalError);
}

/// Eight racks of 18 trays of four devices, of which a job takes up to 16.
Cluster racks() {
    Cluster cluster;
    cluster.levels = {{.name = "tray", .size = 4}, {.name = "rack", .size = 18}, {.name = "system", .size = 8}};
    cluster.levels[1].segment = 16;
    return cluster;
}

// A device has 300 GB/s in its node and 4 x 25 / 8 outside; in racks of 8 nodes under one switch 8 x 300 / 8.
TEST(Cluster, has_levels_that_are_as_fast_as_a_node) {
    Cluster cluster = two_levels();
    EXPECT_EQ(cluster.fast_levels(), 0U);
    EXPECT_EQ(cluster.fast_domain(), 8);
    cluster.levels.insert(cluster.levels.begin() + 1,
                          {.name = "rack", .size = 8, .links = 8, .bandwidth = 300_GB_per_s});
    cluster.levels_as_node = cluster.fast_levels();
    EXPECT_EQ(cluster.fast_domain(), 64);
}

TEST(Cluster, has_equally_many_trays_of_each_rack_for_a_job) {
    const Cluster cluster = racks();
    EXPECT_EQ(cluster.taken(1, 256), 16) << "64 trays of 4 racks";
    EXPECT_EQ(cluster.domain_size(1, 256), 64);
    EXPECT_EQ(cluster.domain_size(1, 64), 72) << "one rack holds the job";
    EXPECT_EQ(cluster.taken(1, 72), 18);
    EXPECT_EQ(cluster.taken(1, 144), 18) << "two whole racks";
    EXPECT_EQ(cluster.taken(1, 80), 10) << "20 trays of 2 racks";
    EXPECT_EQ(cluster.taken(1, 4 * 19), 18) << "a tray of each of 19 racks is less than half";
    EXPECT_EQ(cluster.taken(1, 576), 18) << "nine racks of 16 trays would be one too many";
    EXPECT_EQ(cluster.taken(1, 512), 16);
    EXPECT_EQ(cluster.taken(0, 256), 4) << "trays have no segments";
}

TEST(Cluster, counts_the_devices_of_a_job_that_differ) {
    Cluster cluster = two_levels();
    cluster.device.name = "old";
    const auto kinds = [&](std::int64_t ranks) {
        std::vector<std::pair<std::string, std::int64_t>> found;
        for (const DeviceKind& kind : cluster.device_kinds(ranks)) {
            found.emplace_back(kind.device->name, kind.ranks);
        }
        return found;
    };
    using Kinds = std::vector<std::pair<std::string, std::int64_t>>;
    EXPECT_EQ(kinds(128), (Kinds{{"old", 128}}));
    Device young = cluster.device;
    young.name = "young";
    cluster.mixed = {{.first = 8, .ranks = 8, .device = young},
                     {.first = 16, .ranks = 8, .device = cluster.device},
                     {.first = 32, .ranks = 8, .device = young}};
    EXPECT_EQ(kinds(8), (Kinds{{"old", 8}}));
    EXPECT_EQ(kinds(12), (Kinds{{"old", 8}, {"young", 4}}));
    EXPECT_EQ(kinds(128), (Kinds{{"old", 112}, {"young", 16}}));
    Kinds runs;
    for (const DeviceKind& run : cluster.device_runs(36)) {
        runs.emplace_back(run.device->name, run.ranks);
    }
    EXPECT_EQ(runs, (Kinds{{"old", 8}, {"young", 8}, {"old", 8}, {"old", 8}, {"young", 4}}));
}

TEST(Group, has_as_many_ranks_as_its_strides_make) {
    EXPECT_EQ(Group{}.size(), 1);
    EXPECT_EQ((Group{{{1, 2}, {8, 4}}}.size()), 8);
}

TEST(Device, answers_only_for_precisions_that_it_has) {
    Device device;
    device.matrix[Precision::bf16] = 312_TFLOP_per_s;
    EXPECT_TRUE(device.supports(Precision::bf16));
    EXPECT_FALSE(device.supports(Precision::fp8));
    EXPECT_EQ(device.peak(Precision::bf16), 312_TFLOP_per_s);
    EXPECT_THROW((void)device.peak(Precision::fp8), InternalError);
}

TEST(Names, lead_back_to_what_they_name) {
    for (const Algorithm algorithm : kAlgorithms) {
        EXPECT_EQ(algorithm_from(name(algorithm)), algorithm);
    }
    EXPECT_EQ(algorithm_from("carrier pigeon"), std::nullopt);
}

}  // namespace cluster_test
}  // namespace dodona::cluster
