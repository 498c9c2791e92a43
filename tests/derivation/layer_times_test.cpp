// What remembered times of layers rest on: work depends on local extents, and on the ranks of a batch only where samples
// of all ranks are compared.
#include "derived.hpp"

#include <string>

#include "step/layer_times.hpp"

namespace dodona::derivation {
namespace layer_times_test {

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
        const graph::Graph graph = graph::build(model(name));
        for (const graph::Layer& layer : graph.layers) {
            graph::LocalExtents local = layer.nest.whole();
            local.ways.assign(local.loops.size(), 1);
            const std::string alone = kernels_of(plan::work_of(layer, local));
            local.ways[graph::kBatch] = 8;
            if (step::compares_samples(layer.nest)) {
                ++compared;
            } else {
                EXPECT_EQ(kernels_of(plan::work_of(layer, local)), alone) << name << ", " << layer.name;
            }
        }
    }
    EXPECT_GT(compared, 0);
}

}  // namespace layer_times_test
}  // namespace dodona::derivation
