// Device and cluster files as they are meant.
#include "files/machine_file.hpp"

#include "reading.hpp"

namespace dodona::files::testing {
namespace machine_file_test {

using namespace dodona::literals;

TEST(DeviceFile, IsRead) {
    const cluster::Device device = library().device("plain");
    EXPECT_EQ(device.name, "plain");
    EXPECT_EQ(device.memory, 16_GiB);
    EXPECT_EQ(device.memory_bandwidth, 900_GB_per_s);
    EXPECT_EQ(device.multiprocessors, 80);
    EXPECT_EQ(device.matrix.at(Precision::fp16), 120_TFLOP_per_s);
    EXPECT_EQ(device.matrix.count(Precision::bf16), 0U);
    EXPECT_EQ(device.vector, 15_TFLOP_per_s);
    ASSERT_EQ(device.tiles.size(), 2U);
    EXPECT_EQ(device.tiles[1].n, 64);
    EXPECT_DOUBLE_EQ(device.launch.in(1_us), 5);
    EXPECT_EQ(device.context, 0.5 * 1_GiB);
    ASSERT_EQ(device.curves.size(), 2U);
    EXPECT_EQ(device.curves[0].kind, graph::KernelKind::matmul);
    EXPECT_EQ(device.curves[0].provenance.date, "2026-11-01");
    EXPECT_DOUBLE_EQ(device.curves[0].held_out_error, 0.06);
    EXPECT_DOUBLE_EQ(device.curves[0].points.at(0).batch, 1);
    EXPECT_DOUBLE_EQ(device.curves[0].points.at(1).batch, 2);
    EXPECT_EQ(device.curves[1].points.at(0).bytes, 64_MiB);
    ASSERT_EQ(device.compressions.size(), 2U);
    EXPECT_EQ(device.compressions[0].kernel, cluster::CompressionKernel::exact_top_k);
    EXPECT_EQ(device.compressions[1].points.at(1).bytes, Bytes::of_base(10e6));
    ASSERT_EQ(device.convolutions.size(), 2U);
    EXPECT_EQ(device.convolutions[0].algorithm, cluster::ConvolutionAlgorithm::winograd);
    EXPECT_EQ(device.convolutions[0].direction, graph::Direction::backward_weight);
    EXPECT_EQ(device.convolutions[0].points.at(0).workspace, Bytes::of_base(8e6));
    EXPECT_EQ(device.convolutions[0].points.at(0).groups, 1);
    EXPECT_EQ(device.convolutions[1].points.at(0).groups, 2);
    EXPECT_EQ(device.convolutions[1].points.at(0).kernel_width, 5);
}

TEST(ClusterFile, IsRead) {
    const cluster::Cluster pair = library().cluster("pair");
    EXPECT_EQ(pair.device.name, "plain");
    ASSERT_EQ(pair.levels.size(), 2U);
    EXPECT_EQ(pair.levels[0].kind, cluster::LevelKind::all_to_all);
    EXPECT_EQ(pair.levels[1].kind, cluster::LevelKind::fat_tree);
    EXPECT_EQ(pair.levels[1].links, 2);
    EXPECT_DOUBLE_EQ(pair.levels[1].taper, 3);
    EXPECT_EQ(pair.levels[1].bandwidth, 12.5_GB_per_s);
    EXPECT_DOUBLE_EQ(pair.levels[1].latency.in(1_us), 30);
    EXPECT_EQ(pair.node_level, 0U);
    EXPECT_EQ(pair.collectives, cluster::CollectiveLibrary::mpi);
    EXPECT_EQ(pair.algorithms, (std::vector{cluster::Algorithm::ring, cluster::Algorithm::double_tree}));
    ASSERT_TRUE(pair.staging.has_value());
    EXPECT_EQ(pair.staging->applies_to, (std::vector{cluster::Collective::send, cluster::Collective::halo}));
    ASSERT_TRUE(pair.storage.has_value());
    EXPECT_FALSE(pair.storage->prefetch);
    ASSERT_TRUE(pair.host.has_value());
    EXPECT_EQ(pair.host->memory, 512_GB);
    EXPECT_EQ(pair.host->bandwidth, 12_GB_per_s);
    EXPECT_EQ(pair.measured_samples.at(0).model, "tiny-cnn");
    EXPECT_DOUBLE_EQ(pair.contention.value_or(0), 2);
    EXPECT_DOUBLE_EQ(pair.memory_reserve, 0.04);
    EXPECT_EQ(pair.curves.at(0).ranks_per_node, 4);
    EXPECT_EQ(pair.curves.at(0).points.at(0).size, 1_MiB);
}

TEST(ClusterFile, HasThePriceOfOneDevice) {
    const cluster::Cluster pair = library().cluster("pair");
    ASSERT_TRUE(pair.price.has_value());
    EXPECT_DOUBLE_EQ(pair.price->device.in(unit::money / unit::hour), 2.5) << "10 of a node of four";
    EXPECT_EQ(pair.price->currency, "EUR");
    EXPECT_EQ(pair.price->source, "our own example, 2026-11");
    EXPECT_FALSE(library().cluster("kinds").price.has_value());
}

TEST(ClusterFile, KnowsLevelsOfEveryKind) {
    const cluster::Cluster kinds = library().cluster("kinds");
    ASSERT_EQ(kinds.levels.size(), 5U);
    EXPECT_EQ(kinds.levels[0].kind, cluster::LevelKind::bus);
    EXPECT_FALSE(kinds.levels[0].in_network.has_value());
    ASSERT_TRUE(kinds.levels[1].in_network.has_value());
    EXPECT_EQ(kinds.levels[1].in_network->bandwidth, 40_GB_per_s);
    EXPECT_EQ(kinds.levels[1].in_network->latency, kinds.levels[1].latency);
    EXPECT_EQ(kinds.levels[2].kind, cluster::LevelKind::rail);
    ASSERT_TRUE(kinds.levels[2].in_network.has_value());
    EXPECT_EQ(kinds.levels[2].in_network->bandwidth, 200_GB_per_s) << "all eight rails";
    EXPECT_EQ(kinds.levels[3].sizes, (std::vector<std::int64_t>{2, 6}));
    EXPECT_EQ(kinds.levels[4].kind, cluster::LevelKind::dragonfly);
    EXPECT_EQ(kinds.levels[4].routing, cluster::Routing::valiant);
    EXPECT_EQ(kinds.parameter_servers.place, cluster::ParameterServers::Place::nodes);
    EXPECT_EQ(kinds.parameter_servers.count, 3);
}

TEST(ClusterFile, MayHoldNodesOfAnotherDevice) {
    const cluster::Cluster kinds = library().cluster("kinds");
    ASSERT_EQ(kinds.mixed.size(), 2U);
    EXPECT_EQ(kinds.mixed[1].first, 32);
    EXPECT_EQ(kinds.mixed[1].ranks, 16);
    std::vector<std::string> devices;
    for (const cluster::DeviceKind& run : kinds.device_runs(64)) {
        devices.insert(devices.end(), static_cast<std::size_t>(run.ranks), run.device->name);
    }
    ASSERT_EQ(devices.size(), 64U);
    EXPECT_EQ(devices[31], "plain");
    EXPECT_EQ(devices[32], "other");
    EXPECT_EQ(devices[47], "other");
    EXPECT_EQ(devices[48], "plain") << "what `nodes` does not cover";
}

TEST(ClusterFile, MarksItsNodeAndHoldsItsDevice) {
    const std::string device =
        "{device: mine, memory: 1 GiB, memory_bandwidth: 1 GB/s, multiprocessors: 1, matrix: {fp32: 1 TFLOP/s}, "
        "vector: 1 TFLOP/s, tiles: [[1, 1]], launch: 0 s, context: 0 B}";
    const std::string text = "cluster: c\nsource: \"s\"\ndevice: " + device +
                             "\nlevels:\n"
                             "  - {name: pair, size: 2, kind: ring, bandwidth: 1 GB/s, latency: 0 s}\n"
                             "  - {name: node, size: 2, kind: switch, bandwidth: 1 GB/s, latency: 0 s, node: true}\n";
    const cluster::Cluster cluster = read_cluster(parse_document(text, "c.yaml"), library().machine_openers());
    EXPECT_EQ(cluster.node_level, 1U);
    EXPECT_EQ(cluster.device.name, "mine");
    EXPECT_EQ(cluster.fast_domain(), 4);
    EXPECT_FALSE(cluster.storage.has_value());
    EXPECT_FALSE(cluster.contention.has_value());
}

}  // namespace machine_file_test
}  // namespace dodona::files::testing
