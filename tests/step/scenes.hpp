// A small world: a chain of equal convolutions, one node of eight devices, two strategies.
#pragma once

#include <string>
#include <vector>

#include "../graph/networks.hpp"
#include "cluster/cluster.hpp"
#include "plan/plan.hpp"
#include "plan/strategy.hpp"

namespace dodona::step::test {

using graph::test::block;
using graph::test::layer;
using graph::test::network;
using graph::test::tensor;

inline graph::Graph small_network() {
    return graph::build(
        network(tensor({{"channel", 8}, {"height", 16}, {"width", 16}}),
                {block("body", 4,
                       {layer("conv", "conv",
                              {{"filters", std::int64_t{8}}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}}),
                        layer("relu", "relu")})}));
}

inline cluster::Cluster small_cluster() {
    cluster::Cluster cluster;
    cluster.name = "small";
    cluster.device = {.name = "device",
                      .memory = 1_GiB,
                      .memory_bandwidth = 900_GB_per_s,
                      .multiprocessors = 80,
                      .matrix = {{Precision::fp32, 15_TFLOP_per_s}},
                      .vector = 15_TFLOP_per_s,
                      .tiles = {{64, 64}},
                      .launch = 5_us};
    cluster.levels = {{.name = "node", .size = 8, .bandwidth = 25_GB_per_s, .latency = 10_us}};
    cluster.algorithms = {cluster::Algorithm::ring};
    return cluster;
}

inline plan::Strategy strategy(const std::string& name, const std::vector<std::string>& axes) {
    plan::Strategy s;
    s.name = name;
    s.axes = axes;
    s.everywhere = {{"batch", {"data"}, {}}};
    s.shard_axes = {"data"};
    return s;
}

inline plan::Strategy pipelined() {
    plan::Strategy s = strategy("pipeline", {"pipeline", "data"});
    s.pipeline = "pipeline";
    return s;
}

/// A pipeline of `stages` with 16 micro-batches of 4,096 samples.
inline plan::Plan pipeline_of(std::int64_t stages, std::int64_t virtual_stages = 1) {
    plan::Plan plan;
    plan.strategy = pipelined();
    plan.mesh = {{"pipeline", stages}};
    plan.batch = 4096 * 16;
    plan.microbatch = 4096;
    plan.precision = Precision::fp32;
    plan.virtual_stages = virtual_stages;
    plan.schedule = virtual_stages > 1 ? plan::ScheduleKind::interleaved : plan::ScheduleKind::one_forward_one_backward;
    return plan;
}

}  // namespace dodona::step::test
