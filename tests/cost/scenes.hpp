// Clusters and devices whose times are known from print or by hand.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cluster/cluster.hpp"

namespace dodona::cost::scene {

using namespace dodona::literals;

/// ABCI as ParaDL's code sees it: 4 GPUs on a 50 GB/s ring, one 12.5 GB/s rail a node, leaves of 17 nodes, racks of two
/// leaves. Start-up times and bandwidths: Kahira et al., HPDC'21, and the authors' oracle; what leaves a leaf or a rack
/// has a rail per node and is no bottleneck for one ring.
inline cluster::Cluster abci_paradl() {
    cluster::Cluster cluster;
    cluster.name = "abci-paradl";
    cluster.levels = {
        {.name = "node", .size = 4, .kind = cluster::LevelKind::ring, .bandwidth = 50_GB_per_s, .latency = 9_us},
        {.name = "leaf", .size = 17, .bandwidth = 12.5_GB_per_s, .latency = 30.31_us},
        {.name = "rack", .size = 2, .links = 17, .bandwidth = 12.5_GB_per_s, .latency = 30.49_us},
        {.name = "system",
         .size = 32,
         .kind = cluster::LevelKind::fat_tree,
         .links = 34,
         .bandwidth = 12.5_GB_per_s,
         .latency = 30.98_us,
         .taper = 3}};
    cluster.algorithms = {cluster::Algorithm::ring};
    return cluster;
}

/// 8 GPUs a node on 300 GB/s, `rails` of 25 GB/s a node, 16 nodes; all algorithms.
inline cluster::Cluster two_levels(std::int64_t rails = 8) {
    cluster::Cluster cluster;
    cluster.name = "two-levels";
    cluster.levels = {{.name = "node", .size = 8, .bandwidth = 300_GB_per_s, .latency = 3_us},
                      {.name = "system", .size = 16, .links = rails, .bandwidth = 25_GB_per_s, .latency = 10_us}};
    return cluster;
}

/// A torus of devices, 50 GB/s a link and way, 1 us.
inline cluster::Cluster torus(std::vector<std::int64_t> sizes) {
    cluster::Cluster cluster;
    cluster.name = "torus";
    cluster::Level level{
        .name = "cube", .kind = cluster::LevelKind::torus, .bandwidth = 50_GB_per_s, .latency = 1_us, .sizes = sizes};
    for (const std::int64_t size : sizes) {
        level.size *= size;
    }
    cluster.levels = {level};
    return cluster;
}

/// An A100 by its data sheet, one tile.
inline cluster::Device a100() {
    cluster::Device device;
    device.name = "a100";
    device.memory_bandwidth = 2000_GB_per_s;
    device.multiprocessors = 108;
    device.matrix = {{Precision::fp32, 19.5_TFLOP_per_s}, {Precision::bf16, 312_TFLOP_per_s}};
    device.vector = 19.5_TFLOP_per_s;
    device.tiles = {{128, 128}};
    device.launch = 5_us;
    return device;
}

}  // namespace dodona::cost::scene
