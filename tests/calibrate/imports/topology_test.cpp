#include "calibrate/imports/topology.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "calibrate/imports/link_speeds.hpp"
#include "calibrate/imports/site.hpp"
#include "calibrate/imports/topology_facts.hpp"
#include "importing.hpp"

namespace dodona::calibrate::test {
namespace imports_topology_test {

/// Devices whose paths are a function of their numbers.
template <typename PathOf>
Topology node_of(std::size_t devices, PathOf path_of) {
    Topology topology{.source = "x", .device = "NVIDIA A100-SXM4-80GB"};
    topology.paths.assign(devices, std::vector<Path>(devices));
    for (std::size_t a = 0; a < devices; ++a) {
        for (std::size_t b = 0; b < devices; ++b) {
            topology.paths[a][b] = a == b ? Path{} : path_of(std::min(a, b), std::max(a, b));
        }
    }
    return topology;
}

constexpr Path kSys{.path = PathClass::interconnect};

// PCI Express 4.0: 16 lanes of 16 GT/s, 128 of 130 bits: 16 * 16 * 128 / 130 / 8 = 31.5 GB/s. 6.0: 16 lanes of 64 GT/s,
// 242 of 256 bytes: 16 * 64 * 242 / 256 / 8 = 121 GB/s. 1.0: 8 lanes of 2.5 GT/s, 8 of 10 bits: 2 GB/s.
TEST(LinkSpeeds, OfASlotAreLanesByTransfersByCoding) {
    EXPECT_NEAR(bandwidth({.transfers = 16, .lanes = 16}).in(1_GB_per_s), 31.508, 1e-3);
    EXPECT_NEAR(bandwidth({.transfers = 64, .lanes = 16}).in(1_GB_per_s), 121.0, 1e-9);
    EXPECT_NEAR(bandwidth({.transfers = 2.5, .lanes = 8}).in(1_GB_per_s), 2.0, 1e-9);
}

TEST(LinkSpeeds, AModelIsFoundByAnyOfItsNames) {
    EXPECT_EQ(links_of("NVIDIA H100 80GB HBM3")->model, "h100");
    EXPECT_EQ(links_of("h100-sxm5-80gb")->model, "h100");
    EXPECT_EQ(links_of("NVIDIA GB200")->model, "gb200");
    EXPECT_EQ(links_of("Tesla V100-SXM2-32GB")->model, "v100");
    EXPECT_EQ(links_of("NVIDIA RTX 6000 Ada Generation")->model, "rtx 6000 ada");
    EXPECT_EQ(links_of("Radeon VII"), nullptr);
    EXPECT_EQ(links_of(""), nullptr);
    EXPECT_EQ(links_of(90)->model, "h100");
    EXPECT_EQ(links_of(0), nullptr);
}

TEST(LinkSpeeds, SocketsAreJoinedAsNcclHasIt) {
    EXPECT_EQ(interconnect_of("AuthenticAMD 175 1")->bandwidth, 24_GB_per_s);
    EXPECT_EQ(interconnect_of("GenuineIntel 6 85")->bandwidth, 10_GB_per_s);
    EXPECT_EQ(interconnect_of("GenuineIntel 6 143")->bandwidth, 22_GB_per_s);
    EXPECT_FALSE(interconnect_of("AuthenticAMD 999 1"));
    EXPECT_FALSE(interconnect_of("GenuineIntel"));
    EXPECT_FALSE(interconnect_of(""));
}

TEST(Hosts, AreCountedAsSlurmListsThem) {
    EXPECT_EQ(hosts_in("tux[0-3,12,18-20]"), 8);
    EXPECT_EQ(hosts_in("gpu[001-032],login"), 33);
    EXPECT_EQ(hosts_in("a,b"), 2);
    EXPECT_FALSE(hosts_in("gpu[3-1]"));
    EXPECT_FALSE(hosts_in("gpu[1-"));
    EXPECT_FALSE(hosts_in("gpu[a]"));
    EXPECT_FALSE(hosts_in(",a"));
    EXPECT_FALSE(hosts_in(""));
    EXPECT_EQ(hosts_in("n[1-1000000]"), 1'000'000);
    EXPECT_FALSE(hosts_in("n[0-1000000]"));
    EXPECT_FALSE(hosts_in("n[1-600000],m[1-600000]"));
    EXPECT_FALSE(hosts_in("n[0-9223372036854775807]"));
    EXPECT_FALSE(hosts_in("n[-9223372036854775807-9223372036854775807]"));
}

TEST(Site, CompletesWhatTheNodesOwnFilesDoNotSay) {
    Topology topology{.source = "x", .adapters = {{"mlx5_0", {}}, {"mlx5_1", 25_GB_per_s}, {"mlx5_2", {}}}};
    const Site site{
        .device = "H100 SXM5 80GB", .adapters = {{"mlx5_0", 50_GB_per_s}, {"mlx5_1", 50_GB_per_s}}, .nodes = 64};
    const Topology whole = completed(topology, site);
    EXPECT_EQ(links_of(whole.device)->model, "h100");
    EXPECT_EQ(whole.adapters[0].bandwidth, 50_GB_per_s);
    EXPECT_EQ(whole.adapters[1].bandwidth, 25_GB_per_s);
    EXPECT_EQ(whole.adapters[2].bandwidth, BytesPerSecond{});
    EXPECT_EQ(nodes_of(whole, {}), 64);
    EXPECT_EQ(nodes_of(whole, {.nodes = 8}), 8);
    topology.device = "NVIDIA A100-SXM4-80GB";
    EXPECT_EQ(completed(topology, site).device, topology.device);
}

TEST(TopologyFacts, ATopologyReadBackIsTheSame) {
    Topology topology = node_of(4, [](std::size_t a, std::size_t b) {
        return a / 2 == b / 2 ? Path{PathClass::nvlink, 12} : kSys;
    });
    topology.compute_capability = 80;
    topology.nvswitch = true;
    topology.slot = PcieSlot{.transfers = 2.5, .lanes = 8};
    topology.processor = "GenuineIntel 6 207";
    topology.adapters = {{"mlx5_0", 25_GB_per_s}, {"a name of words", {}}};
    const LevelOptions options{.device = "a100", .adapter_bandwidth = 50_GB_per_s, .nodes = 4};
    const auto facts = topology_facts(topology, options);
    EXPECT_EQ(facts.at("paths"), "X NV12 SYS SYS / NV12 X SYS SYS / SYS SYS X NV12 / SYS SYS NV12 X");

    const Topology read = topology_from(facts, {});
    EXPECT_EQ(read.source, topology.source);
    EXPECT_EQ(read.device, topology.device);
    EXPECT_EQ(read.compute_capability, topology.compute_capability);
    EXPECT_EQ(read.paths, topology.paths);
    EXPECT_EQ(read.nvswitch, topology.nvswitch);
    EXPECT_EQ(read.slot, topology.slot);
    EXPECT_EQ(read.processor, topology.processor);
    EXPECT_EQ(read.adapters, topology.adapters);
    const LevelOptions later = options_from(facts, {}, {});
    EXPECT_EQ(later.device, "a100");
    EXPECT_EQ(later.adapter_bandwidth, 50_GB_per_s);
    EXPECT_EQ(later.nodes, 4);
    EXPECT_EQ(options_from(facts, {.nodes = 8}, {}).nodes, 8);
}

TEST(TopologyFacts, WhatWasChangedByHandIsRefused) {
    const auto with = [](const char* key, const char* value) {
        auto facts = topology_facts(node_of(2, [](std::size_t, std::size_t) { return kSys; }), {});
        facts[key] = value;
        return fault_of([&] { static_cast<void>(topology_from(facts, {})); });
    };
    EXPECT_NE(with("paths", "X SYS / SYS").find("1 paths in a row of 2 devices"), std::string::npos);
    EXPECT_NE(with("paths", "X YES / SYS X").find("'YES' is no path"), std::string::npos);
    EXPECT_NE(with("slot", "16").find("is no slot"), std::string::npos);
    EXPECT_NE(with("adapters", "mlx5_0").find("has no bandwidth"), std::string::npos);
    EXPECT_NE(with("compute_capability", "-9").find("is no count"), std::string::npos);
}

TEST(Levels, UnequalGroupsMeetInOneLevel) {
    // 0-1 share a bridge, 2 is alone: the pair is no level of its own.
    const auto levels = levels_of(node_of(
        3, [](std::size_t a, std::size_t b) { return a == 0 && b == 1 ? Path{.path = PathClass::bridge} : kSys; }));
    ASSERT_EQ(levels.size(), 1U);
    EXPECT_EQ(levels[0].level.size, 3);
    EXPECT_EQ(levels[0].level.kind, cluster::LevelKind::switched);
    EXPECT_NE(levels[0].note.find("uneven"), std::string::npos);
}

TEST(Levels, PairsThatAreNotNeighboursAreTold) {
    const auto levels = levels_of(node_of(4, [](std::size_t a, std::size_t b) {
        return b == a + 2 ? Path{.path = PathClass::nvlink, .nvlinks = 4} : kSys;
    }));
    ASSERT_EQ(levels.size(), 2U);
    EXPECT_EQ(levels[0].level.size, 2);
    EXPECT_NE(levels[0].note.find("in the order of the units"), std::string::npos);
}

TEST(Levels, MoreLinksThanADeviceHasLeadToSwitches) {
    const auto twelve = [](std::size_t, std::size_t) { return Path{.path = PathClass::nvlink, .nvlinks = 12}; };
    const auto six = [](std::size_t, std::size_t) { return Path{.path = PathClass::nvlink, .nvlinks = 6}; };
    EXPECT_EQ(levels_of(node_of(8, twelve))[0].level.kind, cluster::LevelKind::switched);
    EXPECT_EQ(levels_of(node_of(3, six))[0].level.kind, cluster::LevelKind::all_to_all);  // 2 * 6 = 12: direct
    EXPECT_EQ(levels_of(node_of(4, six))[0].level.kind, cluster::LevelKind::switched);  // 3 * 6 = 18: through switches
}

TEST(Levels, OneDeviceIsANode) {
    const auto levels = levels_of(node_of(1, [](std::size_t, std::size_t) { return kSys; }));
    ASSERT_EQ(levels.size(), 1U);
    EXPECT_TRUE(levels[0].node);
    EXPECT_EQ(levels[0].level.size, 1);
}

TEST(Levels, NodesWithoutAdaptersAreRefused) {
    const Topology lone = node_of(2, [](std::size_t, std::size_t) { return kSys; });
    EXPECT_NE(fault_of([&] { static_cast<void>(levels_of(lone, {.nodes = 2})); }).find("no network adapter"),
              std::string::npos);
    Topology slow = lone;
    slow.adapters = {{"mlx5_0", {}}};
    EXPECT_NE(fault_of([&] { static_cast<void>(levels_of(slow, {.nodes = 2})); }).find("--adapter"), std::string::npos);
    EXPECT_EQ(levels_of(slow, {.adapter_bandwidth = 25_GB_per_s, .nodes = 2})[1].level.bandwidth, 25_GB_per_s);
    EXPECT_NE(fault_of([] { static_cast<void>(levels_of(Topology{.source = "x"})); }).find("no GPU"),
              std::string::npos);
}

/// Whatever joins the devices, the levels hold all of them, each has links, and the last is the node.
TEST(Levels, HoldEveryDeviceOnce) {
    rc::check("product of sizes is the number of devices", [] {
        const auto devices = *rc::gen::inRange<std::size_t>(1, 9);
        std::vector<Path> paths;
        for (std::size_t i = 0; i < devices * devices; ++i) {
            const auto path = *rc::gen::element(PathClass::nvlink, PathClass::bridge, PathClass::bridges,
                                                PathClass::host_bridge, PathClass::numa_node, PathClass::interconnect);
            paths.push_back({.path = path, .nvlinks = path == PathClass::nvlink ? *rc::gen::inRange(1, 19) : 0});
        }
        const auto levels =
            levels_of(node_of(devices, [&](std::size_t a, std::size_t b) { return paths[a * devices + b]; }));
        std::int64_t product = 1;
        for (const DescribedLevel& level : levels) {
            product *= level.level.size;
            RC_ASSERT(level.level.links >= 1);
            RC_ASSERT(level.level.bandwidth > BytesPerSecond{});
            RC_ASSERT(level.level.latency > Seconds{});
            RC_ASSERT(!level.source.empty());
            RC_ASSERT(level.node == (&level == &levels.back()));
        }
        RC_ASSERT(product == static_cast<std::int64_t>(devices));
    });
}

}  // namespace imports_topology_test
}  // namespace dodona::calibrate::test
