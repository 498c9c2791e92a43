// Which tensors a checkpoint holds.
#include "reliability/checkpoint_tensors.hpp"

#include <gtest/gtest.h>

namespace dodona::reliability::testing {
namespace checkpoint_tensors_test {

using plan::OptimizerKind;

/// Three instances of a layer with a matrix of 6 x 4 and a vector of 4, and running statistics of 4 channels.
graph::Graph network(bool frozen = false) {
    graph::Graph graph;
    graph.segments = {{.name = "layers", .block = "layer", .count = 3, .layers = {0}}};
    graph::Layer layer{.name = "layer", .kind = "something", .frozen = frozen};
    layer.nest.weights = {{.name = "weight",
                           .dimensions = {{"out", 6}, {"in", 4}},
                           .operand = {},
                           .tied_to = {},
                           .form = graph::MatrixForm::flat},
                          {.name = "bias", .dimensions = {{"out", 4}}, .operand = {}, .tied_to = {}},
                          {.name = "tied", .dimensions = {{"out", 100}}, .operand = {}, .tied_to = "other"}};
    layer.nest.buffers = 8;
    graph.layers = {layer};
    return graph;
}

double bytes(CheckpointContent content, OptimizerKind kind, Precision precision, bool frozen = false) {
    return tensor_bytes(checkpoint_tensors(network(frozen), content, plan::optimizer(kind), precision)).in(1_B);
}

TEST(CheckpointTensors, AreWeightsAndRunningStatistics) {
    EXPECT_EQ(bytes(CheckpointContent::weights, OptimizerKind::adam, Precision::fp32), 3 * (28 * 4 + 8 * 4));
    EXPECT_EQ(bytes(CheckpointContent::weights, OptimizerKind::adam, Precision::bf16), 3 * (28 * 2 + 8 * 4));
    EXPECT_EQ(bytes(CheckpointContent::training, OptimizerKind::sgd, Precision::fp32), 3 * (28 * 4 + 8 * 4));
}

TEST(CheckpointTensors, AddTheStatesOfTheOptimizer) {
    // seeds: 4 bytes (1 + slots), and 8 of steps for each tensor of Adam.
    EXPECT_EQ(bytes(CheckpointContent::training, OptimizerKind::momentum, Precision::fp32), 3 * (28 * 8 + 32));
    EXPECT_EQ(bytes(CheckpointContent::training, OptimizerKind::adam, Precision::fp32), 3 * (28 * 12 + 2 * 8 + 32));
    // Mixed precision: 2 + 4 + 8.
    EXPECT_EQ(bytes(CheckpointContent::training, OptimizerKind::adam, Precision::bf16), 3 * (28 * 14 + 2 * 8 + 32));
    // Rows and columns of the matrix, all of the vector.
    EXPECT_EQ(bytes(CheckpointContent::training, OptimizerKind::adafactor, Precision::fp32),
              3 * (28 * 4 + (10 + 4) * 4 + 32));
    EXPECT_NEAR(bytes(CheckpointContent::training, OptimizerKind::adam_8bit, Precision::fp32),
                3 * (28 * (4 + 2 * (1 + 4.0 / 2048)) + 32), 1e-9);
    EXPECT_EQ(bytes(CheckpointContent::training, OptimizerKind::adam, Precision::bf16, true), 3 * (28 * 2 + 32))
        << "nothing of frozen weights but themselves";
    // One momentum of the matrix, both moments of the vector.
    EXPECT_EQ(bytes(CheckpointContent::training, OptimizerKind::muon, Precision::fp32),
              3 * (28 * 4 + 24 * 4 + 4 * 8 + 8 + 32));
    // Both moments, and statistics and bases of 6 rows and 4 columns.
    EXPECT_EQ(bytes(CheckpointContent::training, OptimizerKind::soap, Precision::fp32),
              3 * (28 * 12 + 2 * 8 + 2 * 4 * (36 + 16) + 32));
}

TEST(CheckpointTensors, HaveNamesOfTheirOwn) {
    std::vector<std::string> names;
    for (const StoredTensor& tensor : checkpoint_tensors(network(), CheckpointContent::training,
                                                         plan::optimizer(OptimizerKind::adam), Precision::bf16)) {
        names.push_back(tensor.name);
    }
    EXPECT_EQ(names.size(), 3U * (2 * 5 + 2));
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(CheckpointTensors, TakeFourteenBytesAParameterAsPublishedForBloom) {
    // bigscience/bloom, model card: "Bf16 weights are 329GB, full checkpoint with optimizer states is 2.3TB", of
    // 176,247,271,424 parameters; both in powers of two.
    EXPECT_NEAR(176'247'271'424 * 2 / 0x1p30, 329, 1);
    EXPECT_NEAR(176'247'271'424 * 14 / 0x1p40, 2.3, 0.06);
}

}  // namespace checkpoint_tensors_test
}  // namespace dodona::reliability::testing
