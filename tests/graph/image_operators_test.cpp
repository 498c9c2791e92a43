// Operators on images beside convolution and pooling, by hand.
#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {

namespace image_operators_test {

using std::int64_t;

const Tensor kImage = tensor({{"channel", 4}, {"height", 8}, {"width", 6}});
constexpr double kPixels = 192;

Work of_one_sample(const Nest& built) { return built.work(built.whole()); }
double flop(Flop f) { return f.in(unit::flop); }

std::vector<std::int64_t> extents(const Nest& built) {
    std::vector<std::int64_t> all;
    for (std::size_t i = 1; i < built.result.dimensions.size(); ++i) {
        all.push_back(built.result.dimensions[i].extent);
    }
    return all;
}

// U-Net's up-convolution (arXiv:1505.04597, figure 1): 2 x 2, stride 2, halves the channels. 4*2*4 = 32 weights, 2
// biases; every input position does 2*32 flop, 48 positions: 3072.
TEST(TransposedConvolution, IsCountedByHand) {
    const Nest up =
        nest("conv_transpose", {kImage}, {{"filters", int64_t{2}}, {"kernel", int64_t{2}}, {"stride", int64_t{2}}});
    EXPECT_EQ(up.result, tensor({{"channel", 2}, {"height", 16}, {"width", 12}}));
    EXPECT_EQ(weights(up), 32 + 2);
    EXPECT_EQ(up.loops[static_cast<std::size_t>(up.loop("height"))].extent, 8) << "loops count input positions";
    const Work work = of_one_sample(up);
    EXPECT_EQ(flop(work.model_forward), 3072);
    EXPECT_EQ(flop(arithmetic(work.forward)), 3072);
    EXPECT_EQ(flop(arithmetic(work.backward_input)), 3072);
    EXPECT_EQ(flop(arithmetic(work.backward_weight)), 3072);
    EXPECT_EQ(work.forward[0].elements, kPixels + 2 * 192 + 32) << "x, y and the weight";
    EXPECT_EQ(work.forward[0].m * work.forward[0].n * work.forward[0].k * 2, 3072);
    EXPECT_EQ(up.saved[0].what, Saved::What::input);
}

// (in - 1)*stride - 2*pad + kernel + output_pad: torch.nn.ConvTranspose2d. DCGAN: 4 -> 8; with output padding 12 -> 24.
TEST(TransposedConvolution, HasTheExtentsOfPyTorch) {
    const Values dcgan{{"filters", int64_t{1}}, {"kernel", int64_t{4}}, {"stride", int64_t{2}}, {"pad", int64_t{1}}};
    EXPECT_EQ(extents(nest("conv_transpose", {tensor({{"channel", 1}, {"height", 4}, {"width", 4}})}, dcgan)),
              (std::vector<std::int64_t>{1, 8, 8}));
    const Values padded{{"filters", int64_t{1}},
                        {"kernel", int64_t{3}},
                        {"stride", int64_t{2}},
                        {"pad", int64_t{1}},
                        {"output_pad", int64_t{1}}};
    EXPECT_EQ(extents(nest("conv_transpose", {tensor({{"channel", 1}, {"length", 12}})}, padded)),
              (std::vector<std::int64_t>{1, 24}));
}

// 2 groups of 2 channels to 3 filters: 2*2*3*9 = 108 weights. A convolution of the same groups has as many.
TEST(TransposedConvolution, OfGroupsReadsOnlyItsGroup) {
    const Nest up = nest("conv_transpose", {kImage},
                         {{"filters", int64_t{6}}, {"kernel", int64_t{3}}, {"groups", int64_t{2}}, {"bias", false}});
    EXPECT_EQ(weights(up), 108);
    EXPECT_EQ(flop(of_one_sample(up).model_forward), 2 * 48 * 108);
    EXPECT_FALSE(up.loops[static_cast<std::size_t>(up.loop("filter"))].can_split);
}

TEST(TransposedConvolution, RefusesWhatLeavesNothing) {
    EXPECT_EQ(faults(network(tensor({{"channel", 1}, {"length", 1}}),
                             {layer("up", "conv_transpose",
                                    {{"filters", int64_t{1}}, {"kernel", int64_t{2}}, {"pad", int64_t{1}}})})),
              "up.pad: 1 leaves nothing of the length\n");
    EXPECT_EQ(faults(network(kImage, {layer("up", "conv_transpose",
                                            {{"filters", int64_t{1}},
                                             {"kernel", int64_t{2}},
                                             {"stride", int64_t{2}},
                                             {"output_pad", int64_t{2}}})})),
              "up.output_pad: 2 is not smaller than the stride of 2\n");
}

TEST(GroupNorm, ReducesTwoNumbersASampleAndGroupOverPositions) {
    const Nest norm = nest("group_norm", {kImage}, {{"groups", int64_t{2}}});
    EXPECT_EQ(norm.result, kImage);
    EXPECT_EQ(weights(norm), 2 * 4);
    ASSERT_EQ(norm.statistics.size(), 1U);
    EXPECT_EQ(norm.statistics[0].over, (std::vector<int>{3, 4}));
    EXPECT_EQ(norm.statistics[0].kept, (std::vector<int>{0, norm.loop("group")}));
    EXPECT_EQ(norm.statistics[0].forward, 2);
    EXPECT_EQ(norm.statistics[0].backward, 2);
    EXPECT_TRUE(norm.inputs[0].has(norm.loop("group"))) << "channels split in whole groups";
    EXPECT_EQ(of_one_sample(norm).forward[0].elements, 3 * kPixels);
    EXPECT_THROW(nest("group_norm", {kImage}, {{"groups", int64_t{3}}}), InputError);
}

TEST(InstanceNorm, IsAGroupNormOfOneChannelWithoutWeights) {
    const Nest norm = nest("instance_norm", {kImage});
    EXPECT_EQ(weights(norm), 0);
    EXPECT_EQ(weights(nest("instance_norm", {kImage}, {{"affine", true}})), 8);
    EXPECT_EQ(norm.loops[static_cast<std::size_t>(norm.loop("group"))].extent, 4);
}

TEST(LocalResponseNorm, KeepsInputAndOutputAndItsChannelsTogether) {
    const Nest norm = nest("local_response_norm", {kImage}, {{"size", int64_t{5}}});
    EXPECT_FALSE(norm.loops[1].can_split);
    EXPECT_TRUE(norm.loops[2].can_split);
    ASSERT_EQ(norm.saved.size(), 2U);
    EXPECT_EQ(norm.saved[1].what, Saved::What::output);
    EXPECT_EQ(of_one_sample(norm).backward_input[0].elements, 4 * kPixels);
}

// 4 channels of 6 x 6 of 8 x 6 pixels: 144 elements. Backward writes 192 zeros, reads and writes 144 gradients.
TEST(Crop, IsAViewWhoseGradientIsPaddedWithZeroes) {
    const Nest crop = nest("crop", {kImage}, {{"height", int64_t{6}}});
    EXPECT_EQ(crop.result, tensor({{"channel", 4}, {"height", 6}, {"width", 6}}));
    EXPECT_FALSE(crop.loops[2].can_split);
    EXPECT_TRUE(crop.loops[3].can_split) << "the width stays whole";
    EXPECT_TRUE(of_one_sample(crop).forward.empty());
    EXPECT_DOUBLE_EQ(of_one_sample(crop).backward_input[0].elements, 192 + 2 * 144);
    EXPECT_TRUE(crop.saved.empty());
    EXPECT_THROW(nest("crop", {kImage}, {{"height", int64_t{9}}}), InputError);
}

// ViT-B/16 on 224 x 224: 14 x 14 patches of 768 features (arXiv:2010.11929, section 3.1).
TEST(ToSequence, TurnsPatchesIntoTokens) {
    const Nest tokens =
        nest("to_sequence", {tensor({{"channel", 768}, {"height", 14}, {"width", 14}})}, {{"features", int64_t{768}}});
    EXPECT_EQ(tokens.result, tensor({{"sequence", 196}, {"feature", 768}}));
    EXPECT_FALSE(tokens.loops[1].can_split);
    EXPECT_TRUE(tokens.loops[2].can_split);
    EXPECT_EQ(of_one_sample(tokens).forward[0].elements, 2 * 196 * 768);
}

// SSD300's first head: 4 boxes of 4 numbers a position of 38 x 38: 5776 boxes (arXiv:1512.02325, figure 2).
TEST(ToSequence, OfSeveralAnchorsAPosition) {
    const Nest boxes =
        nest("to_sequence", {tensor({{"channel", 16}, {"height", 38}, {"width", 38}})}, {{"features", int64_t{4}}});
    EXPECT_EQ(boxes.result, tensor({{"sequence", 5776}, {"feature", 4}}));
    EXPECT_FALSE(boxes.loops[2].can_split) << "a channel is an anchor's feature";
    EXPECT_THROW(nest("to_sequence", {kImage}, {{"features", int64_t{3}}}), InputError);
}

// Deep Speech 2: 32 channels of 81 frequencies a frame (arXiv:1512.02595, section 3): 2592 features.
TEST(ToSequence, AlongOneDimensionKeepsTheOthersAsFeatures) {
    const Tensor spectrogram = tensor({{"channel", 32}, {"height", 81}, {"width", 50}});
    const Nest frames = nest("to_sequence", {spectrogram}, {{"along", std::string("width")}});
    EXPECT_EQ(frames.result, tensor({{"sequence", 50}, {"feature", 2592}}));
    EXPECT_EQ(frames.inputs[0].loops, (std::vector<int>{0, 2, kNoLoop, 1}));
    EXPECT_TRUE(frames.loops[1].can_split);
    EXPECT_EQ(frames.loops[2].granule, 81) << "whole channels";
    EXPECT_THROW(nest("to_sequence", {spectrogram}, {{"along", std::string("channel")}}), InputError);
}

// 4 channels of 48 pixels each: 192 elements; scales 4. Backward reads x, dy and the scales and writes both gradients.
TEST(Multiply, ScalesTheChannelsOfAnImage) {
    const Nest scale = nest("multiply", {kImage, tensor({{"feature", 4}})});
    EXPECT_EQ(scale.result, kImage);
    EXPECT_EQ(scale.inputs[1].loops, (std::vector<int>{0, 1}));
    EXPECT_EQ(of_one_sample(scale).forward[0].elements, 2 * kPixels + 4);
    EXPECT_EQ(of_one_sample(scale).backward_input[0].elements, 3 * kPixels + 2 * 4);
    EXPECT_EQ(scale.saved.size(), 2U);
    EXPECT_THROW(nest("multiply", {kImage, tensor({{"feature", 5}})}), InputError);
}

TEST(CrossEntropy, OfAnImageHasOneClassAPixel) {
    const Nest loss = nest("cross_entropy", {kImage});
    EXPECT_EQ(loss.result, tensor({{"height", 8}, {"width", 6}}));
    EXPECT_EQ(loss.loops[1].name, "class");
    EXPECT_EQ(loss.statistics[0].over, (std::vector<int>{1}));
    EXPECT_EQ(loss.statistics[0].kept, (std::vector<int>{0, 2, 3}));
}

}  // namespace image_operators_test
}  // namespace dodona::graph::test
