// Times remembered by extents: those of a graph that is costed alone, whatever was costed before.
#include "step/layer_times.hpp"

#include <string>

#include <gtest/gtest.h>

#include "../graph/networks.hpp"
#include "files/library.hpp"
#include "scenes.hpp"

namespace dodona::step {
namespace layer_times_test {

files::Library library() {
    const char* root = std::getenv("DODONA_SOURCE");
    return files::Library(root == nullptr ? "." : root);
}

std::string kernels_of(const graph::Work& work) {
    std::string all;
    for (const auto* kernels : {&work.forward, &work.backward_input, &work.backward_weight}) {
        for (const graph::Kernel& kernel : *kernels) {
            all += std::to_string(kernel.flops.in(unit::flop)) + " " + std::to_string(kernel.elements) + " " +
                   std::to_string(kernel.times) + ", ";
        }
    }
    return all;
}

TEST(LayerTimes, WorkDependsOnTheRanksOfTheBatchOnlyWhereSamplesAreCompared) {
    int compared = 0;
    for (const char* name : {"resnet50", "gpt2", "mixtral-8x7b", "deepseek-v3", "dlrm-mlperf", "clip-vit-base-patch32",
                             "qwen3-next-80b-a3b", "t5-large", "gnmt"}) {
        const graph::Graph graph = graph::build(library().model(name));
        for (const graph::Layer& layer : graph.layers) {
            graph::LocalExtents local = layer.nest.whole();
            local.ways.assign(local.loops.size(), 1);
            const std::string alone = kernels_of(plan::work_of(layer, local));
            local.ways[graph::kBatch] = 8;
            if (compares_samples(layer.nest)) {
                ++compared;
            } else {
                EXPECT_EQ(kernels_of(plan::work_of(layer, local)), alone) << name << ", " << layer.name;
            }
        }
    }
    EXPECT_GT(compared, 0);
}

TEST(LayerTimes, AreThoseOfAGraphThatIsCostedAlone) {
    const graph::Graph graph = test::small_network();
    const cluster::Cluster cluster = test::small_cluster();
    plan::Plan plan;
    plan.precision = Precision::fp32;
    plan.strategy = test::strategy("data", {"data"});
    LayerTimes times(graph, cluster.device, plan);
    for (const std::int64_t devices : {1, 2, 8}) {
        for (const std::int64_t microbatch : {1, 4}) {
            for (const std::int64_t passes : {1, 2}) {
                plan.mesh = {{"data", devices}};
                plan.microbatch = microbatch;
                plan.batch = devices * microbatch * passes;
                const plan::Mesh mesh(plan, {});
                const CostedGraph shared =
                    cost_graph(cluster, plan, mesh, plan::shard(graph, mesh, plan.strategy, plan.microbatch), times);
                const CostedGraph alone = cost_graph(graph, cluster, plan, {});
                ASSERT_EQ(shared.segments.size(), alone.segments.size());
                for (std::size_t u = 0; u < alone.segments.size(); ++u) {
                    EXPECT_EQ(shared.segments[u].forward.total().value, alone.segments[u].forward.total().value);
                    EXPECT_EQ(shared.segments[u].backward.total().value, alone.segments[u].backward.total().value);
                    EXPECT_EQ(shared.segments[u].backward.launches, alone.segments[u].backward.launches);
                }
                EXPECT_EQ(shared.devices.front().source, alone.devices.front().source);
            }
        }
    }
}

}  // namespace layer_times_test
}  // namespace dodona::step
