#include "cluster/cluster.hpp"

#include <gtest/gtest.h>

#include "base/check.hpp"

namespace dodona::cluster {
namespace {

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
    EXPECT_EQ(cluster.unit_size(0), 8);
    EXPECT_EQ(cluster.unit_size(1), 128);
    EXPECT_EQ(cluster.node_size(), 8);
    EXPECT_EQ(Cluster{}.devices(), 1);
    EXPECT_THROW((void)cluster.unit_size(2), InternalError);
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
    for (const LevelKind kind : kLevelKinds) {
        EXPECT_EQ(level_kind_from(name(kind)), kind);
    }
    for (const Collective collective : kCollectives) {
        EXPECT_EQ(collective_from(name(collective)), collective);
    }
    for (const Algorithm algorithm : kAlgorithms) {
        EXPECT_EQ(algorithm_from(name(algorithm)), algorithm);
    }
    EXPECT_EQ(algorithm_from("carrier pigeon"), std::nullopt);
    EXPECT_EQ(collective_from(""), std::nullopt);
    EXPECT_EQ(level_kind_from("mesh"), std::nullopt);
}

}  // namespace
}  // namespace dodona::cluster
