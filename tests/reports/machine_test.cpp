#include "reports/collect/machine_report.hpp"

#include <gtest/gtest.h>

#include "reports/render/json.hpp"
#include "reports/render/renderer.hpp"

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

TEST(Machine, shows_all_that_its_levels_have) {
    const std::string text = render_text(machine_document(pod()), {});
    for (const char* part : {"96 x new and old, 4 to a node", "new (nodes 1 to 2), old (nodes 3 to 5)",
                             "in-network reduction  node, 80.0 GB/s out of a child", "switch, reduces", "torus 2 x 4",
                             "dragonfly, adaptive", "477 GiB a node, 16.0 GB/s to a device"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    }
}

TEST(Machine, says_in_json_what_its_levels_have) {
    const std::string json = json_line(machine_document(pod()).record);
    for (const char* part :
         {R"("sizes":[2,4])", R"("routing":"adaptive")", R"("in_network":{"bandwidth_bytes_per_s":80000000000)",
          R"("nodes":[{"first_rank":0,"gpus":8,"device":"new"},{"first_rank":8)", R"("memory_bytes":512000000000)"}) {
        EXPECT_NE(json.find(part), std::string::npos) << part << "\n" << json;
    }
    const std::string levels = json.substr(0, json.find(R"("file":)"));
    EXPECT_EQ(levels.find("in_network"), levels.rfind("in_network")) << "only of the level that has it";
}

}  // namespace machine_test
}  // namespace dodona::reports
