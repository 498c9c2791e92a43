// What remembered times of layers rest on: work depends on local extents, and on the ranks of a batch only where samples
// of all ranks are compared; layers with equal nests do equal work.
#include "derived.hpp"

#include <map>
#include <string>
#include <vector>

#include "step/layer_times.hpp"
#include "tests/graph/networks.hpp"

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

TEST(LayerTimes, LayersOfOneNestNumberDoEqualWork) {
    for (const char* name : {"resnet50", "gpt2", "mixtral-8x7b", "llama-3.1-8b-lora", "t5-large", "unet3d-medical"}) {
        const graph::Graph graph = graph::build(model(name));
        std::map<std::size_t, const graph::Layer*> known;
        std::size_t shared = 0;
        for (const graph::Layer& layer : graph.layers) {
            if (layer.nest_number == 0) {
                EXPECT_EQ(layer.kind, graph::kNetworkInput);
                continue;
            }
            const auto [first, fresh] = known.emplace(layer.nest_number, &layer);
            shared += fresh ? 0 : 1;
            const graph::Layer& other = *first->second;
            EXPECT_EQ(layer.kind, other.kind);
            EXPECT_EQ(layer.nest.result, other.nest.result) << name << ", " << layer.name;
            graph::LocalExtents local = layer.nest.whole();
            ASSERT_EQ(local.loops, other.nest.whole().loops) << name << ", " << layer.name;
            local.loops[graph::kBatch] = 3;
            EXPECT_EQ(kernels_of(layer.nest.work(local)), kernels_of(other.nest.work(local)))
                << name << ", " << layer.name << " and " << other.name;
        }
        EXPECT_GT(shared, 0U) << name;
    }
}

TEST(LayerTimes, LayersThatDifferInAnAttributeHaveNestsOfTheirOwn) {
    graph::NetworkSpec spec = graph::test::network(graph::test::tensor({{"feature", 8}}),
                                                   {graph::test::layer("a", "linear", {{"out", std::int64_t{8}}}),
                                                    graph::test::layer("b", "linear", {{"out", std::int64_t{8}}}),
                                                    graph::test::layer("c", "linear", {{"out", std::int64_t{4}}}),
                                                    graph::test::layer("d", "linear", {{"out", std::int64_t{4}}})});
    const graph::Graph graph = graph::build(spec);
    std::vector<std::size_t> numbers;
    for (const graph::Layer& layer : graph.layers) {
        numbers.push_back(layer.nest_number);
    }
    EXPECT_EQ(numbers, (std::vector<std::size_t>{0, 1, 1, 2, 3})) << "d reads 4 features, c reads 8";
}

}  // namespace layer_times_test
}  // namespace dodona::derivation
