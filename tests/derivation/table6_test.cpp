// ParaDL's Table 6 on the runs that it is about (Kahira et al., HPDC'21): the networks and the machine of the paper,
// fp32, nothing overlapped, and which bottleneck each strategy is told to have.
#include <algorithm>

#include <gtest/gtest.h>

#include "derived.hpp"
#include "step/predict.hpp"

namespace dodona::derivation {
namespace table6_test {

using step::Bottleneck;
using step::BottleneckKind;
using step::Prediction;

Prediction run(const std::string& network, const std::string& strategy, std::vector<plan::MeshAxis> mesh,
               std::int64_t batch, std::int64_t microbatch) {
    plan::Plan plan = plan_of(strategy, std::move(mesh));
    plan.batch = batch;
    plan.microbatch = microbatch;
    plan.optimizer = plan::OptimizerKind::momentum;
    return step::predict(graph::build(model(network)), library().cluster("abci-chainermn"), plan);
}

bool has(const Prediction& prediction, BottleneckKind kind) {
    const auto& all = prediction.bottlenecks;
    return std::any_of(all.begin(), all.end(), [&](const Bottleneck& b) { return b.kind == kind; });
}

TEST(Table6, DataParallelismExchangesGradientsOfVgg16NotOfResNet50) {
    // Measured on 8 V100: VGG-16 takes 0.45 s a step for 0.26 s alone, ResNet-50 0.21 s for 0.18 s.
    EXPECT_TRUE(has(run("vgg16-paradl", "data", {{"data", 8}}, 256, 32), BottleneckKind::gradient_exchange));
    EXPECT_FALSE(has(run("resnet50-paradl", "data", {{"data", 8}}, 512, 64), BottleneckKind::gradient_exchange));
}

TEST(Table6, FilterParallelismGathersInEveryLayerAndHoldsAllActivations) {
    const Prediction filter = run("resnet50-paradl", "filter-paradl", {{"filter", 64}}, 64, 64);
    EXPECT_TRUE(has(filter, BottleneckKind::layer_collectives));
    EXPECT_TRUE(has(filter, BottleneckKind::memory_redundancy));
    EXPECT_FALSE(has(filter, BottleneckKind::gradient_exchange)) << "weights are split";
    const Prediction data = run("resnet50-paradl", "data", {{"data", 64}}, 4096, 64);
    EXPECT_FALSE(has(data, BottleneckKind::layer_collectives));
    EXPECT_FALSE(has(data, BottleneckKind::memory_redundancy)) << "activations are of own samples";
}

TEST(Table6, FilterParallelismEndsAtItsNumberOfDevices) {
    EXPECT_TRUE(has(run("resnet50-paradl", "filter-paradl", {{"filter", 64}}, 64, 64), BottleneckKind::devices));
    EXPECT_FALSE(has(run("resnet50-paradl", "filter-paradl", {{"filter", 32}}, 64, 64), BottleneckKind::devices));
    const Prediction beyond = run("resnet50-paradl", "filter-paradl", {{"filter", 128}}, 64, 64);
    EXPECT_TRUE(has(beyond, BottleneckKind::devices));
    EXPECT_FALSE(beyond.fits);
}

TEST(Table6, DataAndFilterCongestsTheRailsThatItsReductionsShare) {
    const std::vector<plan::MeshAxis> mesh{{"filter", 4}, {"data", 16}};
    EXPECT_TRUE(has(run("resnet50-paradl", "data+filter-paradl", mesh, 1024, 64), BottleneckKind::congestion));
    EXPECT_FALSE(has(run("resnet50-paradl", "filter-paradl", {{"filter", 4}}, 64, 64), BottleneckKind::congestion))
        << "inside a node each device has links of its own";
}

TEST(Table6, SpatialSplitsExchangeHalosAndPipelinesStages) {
    const std::vector<plan::MeshAxis> mesh{{"spatial", 4}, {"data", 16}};
    EXPECT_TRUE(has(run("resnet50-paradl", "data+spatial", mesh, 4096, 256), BottleneckKind::halo_exchange));
    EXPECT_FALSE(has(run("resnet50-paradl", "data", {{"data", 64}}, 4096, 64), BottleneckKind::halo_exchange));
    EXPECT_TRUE(has(run("vgg16-paradl", "pipeline", {{"pipeline", 4}}, 64, 16), BottleneckKind::stage_transfers));
    EXPECT_FALSE(has(run("vgg16-paradl", "data", {{"data", 4}}, 64, 16), BottleneckKind::stage_transfers));
}

TEST(Table6, PipelinesOfUnlikeLayersAreUnbalanced) {
    // Stages of VGG-16 are cut between its convolutions, of which the first are the heaviest.
    EXPECT_TRUE(has(run("vgg16-paradl", "pipeline", {{"pipeline", 8}}, 64, 16), BottleneckKind::balance));
    EXPECT_FALSE(has(run("vgg16-paradl", "data", {{"data", 8}}, 64, 8), BottleneckKind::balance));
}

TEST(Table6, WeightsOfVgg16TakeLongToUpdateForFewSamples) {
    EXPECT_TRUE(has(run("vgg16-paradl", "serial", {}, 1, 1), BottleneckKind::weight_update));
    EXPECT_FALSE(has(run("vgg16-paradl", "serial", {}, 32, 32), BottleneckKind::weight_update));
}

TEST(Table6, WhatAFilterSplitLeavesWholeIsDoneByAll) {
    // The classifier of AlexNet has most of its arithmetic once the convolutions are split 64 ways.
    const Prediction split = run("alexnet-paradl", "filter-paradl", {{"filter", 64}}, 512, 512);
    EXPECT_TRUE(has(split, BottleneckKind::compute_redundancy));
    EXPECT_FALSE(has(run("alexnet-paradl", "filter", {{"filter", 64}}, 512, 512), BottleneckKind::compute_redundancy))
        << "its classifier is split too";
}

TEST(Table6, MemoryStallsWhereItIsNearlyFull) {
    EXPECT_FALSE(has(run("resnet50-paradl", "serial", {}, 64, 64), BottleneckKind::memory_stalling));
    EXPECT_TRUE(has(run("resnet50-paradl", "serial", {}, 320, 320), BottleneckKind::memory_stalling));
}

}  // namespace table6_test
}  // namespace dodona::derivation
