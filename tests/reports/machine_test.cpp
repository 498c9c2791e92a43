#include "reports/machine.hpp"

#include <gtest/gtest.h>

namespace dodona::reports {
namespace machine_test {

using namespace dodona::literals;

cluster::Cluster pod() {
    cluster::Cluster cluster;
    cluster.name = "pod";
    cluster.source = "our own example";
    cluster.device.name = "new";
    cluster.device.memory = 1_GiB;
    cluster::Device old = cluster.device;
    old.name = "old";
    cluster.levels = {
        {.name = "node",
         .size = 4,
         .bandwidth = 100_GB_per_s,
         .in_network = cluster::InNetwork{.bandwidth = 80_GB_per_s, .latency = 1_us}},
        {.name = "cube", .size = 8, .kind = cluster::LevelKind::torus, .bandwidth = 10_GB_per_s, .sizes = {2, 4}},
        {.name = "system", .size = 3, .kind = cluster::LevelKind::dragonfly, .bandwidth = 10_GB_per_s}};
    cluster.mixed = {{.first = 0, .ranks = 8, .device = cluster.device}, {.first = 8, .ranks = 12, .device = old}};
    cluster.host = cluster::Host{.memory = 512_GB, .bandwidth = 16_GB_per_s, .source = ""};
    return cluster;
}

TEST(Machine, is_told_with_all_that_its_levels_have) {
    const std::string text = machine_text(pod(), {});
    for (const char* part : {"96 x new and old, 4 to a node", "other devices: new (nodes 1 to 2), old (nodes 3 to 5)",
                             "reduction in the network: node, 80.0 GB/s out of a child", "switch, reduces",
                             "torus 2 x 4", "dragonfly, adaptive", "host: 477 GiB a node, 16.0 GB/s to a device"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    }
}

TEST(Machine, says_in_json_what_its_levels_have) {
    const Json json = machine_json(pod());
    EXPECT_EQ(json["levels"][1]["sizes"], (Json{2, 4}));
    EXPECT_EQ(json["levels"][2]["routing"], "adaptive");
    EXPECT_EQ(json["levels"][0]["in_network"]["bandwidth_bytes_per_s"], 80e9);
    EXPECT_FALSE(json["levels"][1].contains("in_network"));
    EXPECT_EQ(json["nodes"][1]["first_rank"], 8);
    EXPECT_EQ(json["host"]["memory_bytes"], 512e9);
}

}  // namespace machine_test
}  // namespace dodona::reports
