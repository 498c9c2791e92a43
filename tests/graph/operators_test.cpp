// Each operator by hand: parameters, arithmetic, bytes moved, what is saved.
#include "graph/operators.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {

namespace operators_test {

const Tensor kImage = tensor({{"channel", 3}, {"height", 8}, {"width", 6}});
const Tensor kTokens = tensor({{"sequence", 10}, {"feature", 4}});

Work of_one_sample(const Nest& built) { return built.work(built.whole()); }

double flop(Flop f) { return f.in(unit::flop); }

std::vector<std::string> loop_names_of(const Nest& built) {
    std::vector<std::string> names;
    for (const Loop& loop : built.loops) {
        names.push_back(loop.name);
    }
    return names;
}

using Names = std::vector<std::string>;

// 5 filters of 3x3x3 over 8x6 with padding 1: outputs 8*6 = 48 positions, 5*27 = 135 weights, 2*48*135 = 12960 flop.
TEST(Convolution, IsCountedByHand) {
    const Nest conv =
        nest("conv", {kImage}, {{"filters", std::int64_t{5}}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}});
    EXPECT_EQ(loop_names_of(conv), (Names{"batch", "group", "channel", "filter", "height", "width"}));
    EXPECT_EQ(conv.result, tensor({{"channel", 5}, {"height", 8}, {"width", 6}}));
    EXPECT_EQ(weights(conv), 135 + 5);
    const Work work = of_one_sample(conv);
    EXPECT_EQ(flop(work.model_forward), 12960);
    EXPECT_EQ(flop(arithmetic(work.backward_input)), 12960);
    EXPECT_EQ(flop(arithmetic(work.backward_weight)), 12960);
}

// 4 groups of 2 channels to 3 filters each: every output reads 2*9 numbers. 4*3*18 = 216 weights.
TEST(Convolution, OfGroupsReadsOnlyItsGroup) {
    const Nest conv = nest(
        "conv", {tensor({{"channel", 8}, {"height", 5}, {"width", 5}})},
        {{"filters", std::int64_t{12}}, {"kernel", std::int64_t{3}}, {"groups", std::int64_t{4}}, {"bias", false}});
    EXPECT_EQ(weights(conv), 216);
    EXPECT_EQ(flop(of_one_sample(conv).model_forward), 2 * 9 * 216) << "3x3 positions";
    EXPECT_TRUE(conv.inputs[0].has(conv.loop("group")));
    EXPECT_FALSE(conv.inputs[0].has(conv.loop("channel")));
}

// Windows overlap 9 times in an image of 3 x 3, but what gains by it needs two dimensions: not 1 x 5, not 3 x 3 x 3.
TEST(Convolution, GainsByOverlappingWindowsInTwoDimensionsOnly) {
    using Extents = std::vector<std::int64_t>;
    const auto window = [](const Tensor& x, const Extents& kernel, const Extents& pad) {
        const Nest conv = nest("conv", {x}, {{"filters", std::int64_t{5}}, {"kernel", kernel}, {"pad", pad}});
        return of_one_sample(conv).forward.front().window;
    };
    const Tensor volume = tensor({{"channel", 3}, {"depth", 8}, {"height", 8}, {"width", 8}});
    EXPECT_EQ(window(kImage, {3, 3}, {1, 1}), 9);
    EXPECT_EQ(window(kImage, {1, 5}, {0, 2}), 1);
    EXPECT_EQ(window(volume, {3, 3, 3}, {1, 1, 1}), 1);
    EXPECT_EQ(window(volume, {1, 3, 3}, {0, 1, 1}), 9);
}

// 10 tokens of 4 features to 7: 28 weights, 7 biases, 2*10*28 = 560 flop forward and in each product backward.
TEST(Linear, IsCountedByHand) {
    const Nest linear = nest("linear", {kTokens}, {{"out", std::int64_t{7}}});
    EXPECT_EQ(loop_names_of(linear), (Names{"batch", "sequence", "in_feature", "out_feature"}));
    EXPECT_EQ(linear.result, tensor({{"sequence", 10}, {"feature", 7}}));
    EXPECT_EQ(weights(linear), 35);
    const Work work = of_one_sample(linear);
    EXPECT_EQ(flop(work.model_forward), 560);
    EXPECT_EQ(work.forward[0].elements, 10 * 4 + 4 * 7 + 10 * 7);
    ASSERT_EQ(work.backward_input.size(), 1U);
    EXPECT_EQ(work.backward_input[0].n, 4);
    EXPECT_EQ(work.backward_input[0].k, 7);
    ASSERT_EQ(work.backward_weight.size(), 1U);
    EXPECT_EQ(work.backward_weight[0].k, 10) << "dW sums over tokens";
    ASSERT_EQ(linear.saved.size(), 1U);
    EXPECT_EQ(linear.saved[0].what, Saved::What::input);
}

TEST(Linear, OperandsCarryTheLoopsOfTheProduct) {
    const Nest linear = nest("linear", {kTokens}, {{"out", std::int64_t{7}}});
    const int in = linear.loop("in_feature");
    const int out = linear.loop("out_feature");
    EXPECT_TRUE(linear.inputs[0].has(in) && !linear.inputs[0].has(out));
    EXPECT_TRUE(linear.weights[0].operand.has(in) && linear.weights[0].operand.has(out));
    EXPECT_TRUE(!linear.output.has(in) && linear.output.has(out));
}

TEST(Linear, ScalesWithTheLocalExtents) {
    const Nest linear = nest("linear", {kTokens}, {{"out", std::int64_t{8}}});
    LocalExtents local = linear.whole();
    local.loops = {2, 10, 4, 4};  // two samples, half of the outputs
    EXPECT_EQ(flop(linear.work(local).model_forward), 2 * 20 * 4 * 4);
}

TEST(Linear, ShardsByWholeUnitsAndMayReplicateThem) {
    const Nest linear =
        nest("linear", {kTokens},
             {{"out", std::int64_t{8}}, {"unit", std::int64_t{4}}, {"in_unit", std::int64_t{2}}, {"replicates", true}});
    EXPECT_EQ(linear.loops[2].granule, 2);
    EXPECT_EQ(linear.loops[3].granule, 4);
    EXPECT_TRUE(linear.loops[3].replicates);
    EXPECT_FALSE(linear.loops[2].replicates);
    const Nest norm = nest("rms_norm", {kTokens}, {{"size", std::int64_t{2}}});
    EXPECT_TRUE(norm.loops[2].replicates) << "heads of keys are normalised where they are replicated";
}

TEST(Linear, RefusesUnitsThatDoNotDivideItAndImages) {
    EXPECT_THROW(nest("linear", {kTokens}, {{"out", std::int64_t{7}}, {"unit", std::int64_t{4}}}), InputError);
    EXPECT_THROW(nest("linear", {kImage}, {{"out", std::int64_t{7}}}), InputError);
}

TEST(BatchNorm, HasTwoWeightsAChannelAndIsLocalByDefault) {
    const Nest norm = nest("batch_norm", {kImage});
    EXPECT_EQ(weights(norm), 2 * 3);
    EXPECT_TRUE(norm.statistics.empty());
    EXPECT_TRUE(norm.follows);
    EXPECT_FALSE(norm.linear);
    EXPECT_EQ(of_one_sample(norm).forward[0].elements, 3 * 144) << "read for statistics, read again, write";
}

TEST(BatchNorm, SynchronisedReducesTwoNumbersAChannel) {
    const Nest norm = nest("batch_norm", {kImage}, {{"synchronised", true}});
    ASSERT_EQ(norm.statistics.size(), 1U);
    EXPECT_EQ(norm.statistics[0].over, (std::vector<int>{0, 2, 3}));
    EXPECT_EQ(norm.statistics[0].kept, (std::vector<int>{1}));
    EXPECT_EQ(norm.statistics[0].forward, 2);
    EXPECT_EQ(norm.statistics[0].backward, 2);
}

TEST(RmsNorm, RunsOfFeaturesShareAScaleOrHaveTheirOwn) {
    const Tensor x = tensor({{"sequence", 16}, {"feature", 64}});
    EXPECT_EQ(weights(nest("rms_norm", {x}, {{"size", std::int64_t{8}}})), 8);
    const Nest own = nest("rms_norm", {x}, {{"size", std::int64_t{8}}, {"shared", false}});
    EXPECT_EQ(weights(own), 64);
    EXPECT_TRUE(own.statistics.empty());
    EXPECT_EQ(own.loops[2].granule, 8);
}

TEST(LayerNorm, ReducesTwoNumbersATokenAndRmsNormOne) {
    const Nest layer_norm = nest("layer_norm", {kTokens});
    EXPECT_EQ(weights(layer_norm), 8);
    EXPECT_EQ(weights(nest("layer_norm", {kTokens}, {{"bias", false}})), 4);
    const Nest plain = nest("layer_norm", {kTokens}, {{"scale", false}});
    EXPECT_EQ(weights(plain), 0) << "OLMo's";
    EXPECT_TRUE(of_one_sample(plain).backward_weight.empty());
    EXPECT_EQ(plain.statistics.size(), 1U) << "mean and variance all the same";
    EXPECT_THROW(nest("layer_norm", {kTokens}, {{"scale", false}, {"bias", true}}), InputError);
    EXPECT_EQ(layer_norm.statistics[0].over, (std::vector<int>{2}));
    EXPECT_EQ(layer_norm.statistics[0].kept, (std::vector<int>{0, 1}));
    EXPECT_EQ(layer_norm.statistics[0].forward, 2);
    const Nest rms_norm = nest("rms_norm", {kTokens});
    EXPECT_EQ(weights(rms_norm), 4);
    EXPECT_EQ(rms_norm.statistics[0].forward, 1);
    EXPECT_EQ(rms_norm.statistics[0].backward, 1);
    EXPECT_EQ(of_one_sample(rms_norm).forward[0].elements, 2 * 40);
}

TEST(Activations, SaveTheirOutputWhereItSaysEnoughElseTheirInput) {
    for (const char* op : {"relu", "leaky_relu", "sigmoid", "tanh"}) {
        EXPECT_EQ(nest(op, {kTokens}).saved[0].what, Saved::What::output) << op;
    }
    for (const char* op : {"gelu", "silu", "relu_squared"}) {
        EXPECT_EQ(nest(op, {kTokens}).saved[0].what, Saved::What::input) << op;
    }
    EXPECT_EQ(of_one_sample(nest("gelu", {kTokens})).backward_input[0].elements, 3 * 40);
}

TEST(Gated, ReadsAndSavesGateAndUp) {
    const Nest gated = nest("gated", {kTokens, kTokens}, {{"activation", std::string("gelu")}});
    ASSERT_EQ(gated.saved.size(), 2U);
    EXPECT_EQ(gated.saved[1].operand, 1);
    EXPECT_EQ(of_one_sample(gated).forward[0].elements, 3 * 40);
    EXPECT_EQ(of_one_sample(gated).backward_input[0].elements, 5 * 40);
    EXPECT_NO_THROW(nest("gated", {kTokens, kTokens}, {{"activation", std::string("sigmoid")}}));
    EXPECT_THROW(nest("gated", {kTokens, kTokens}, {{"activation", std::string("softmax")}}), InputError);
    EXPECT_THROW(nest("gated", {kTokens, kImage}), InputError);
}

TEST(Multiply, ReadsAndSavesBothFactors) {
    const Nest product = nest("multiply", {kTokens, kTokens});
    ASSERT_EQ(product.saved.size(), 2U);
    EXPECT_EQ(of_one_sample(product).forward[0].elements, 3 * 40);
    EXPECT_EQ(of_one_sample(product).backward_input[0].elements, 5 * 40);
    EXPECT_FALSE(product.linear);
    EXPECT_THROW(nest("multiply", {kTokens, tensor({{"feature", 4}})}), InputError);
}

// 10 tokens of 4 features, 10 factors: forward reads both and writes y; backward reads x, the factors and dy and writes both
// gradients, 3 * 40 + 2 * 10.
TEST(Multiply, GatesTokens) {
    const Nest gated = nest("multiply", {kTokens, tensor({{"sequence", 10}, {"feature", 1}})});
    EXPECT_EQ(gated.result, kTokens);
    EXPECT_EQ(gated.inputs[1].loops, (std::vector<int>{0, 1, kNoLoop}))
        << "its gradient is partial where features are split";
    EXPECT_EQ(of_one_sample(gated).forward[0].elements, 2 * 40 + 10);
    EXPECT_EQ(of_one_sample(gated).backward_input[0].elements, 3 * 40 + 2 * 10);
}

TEST(Add, SavesNothingAndLetsPartialSumsThrough) {
    const Nest add = nest("add", {kTokens, kTokens, kTokens});
    EXPECT_TRUE(add.saved.empty());
    EXPECT_TRUE(add.linear);
    EXPECT_EQ(add.inputs.size(), 3U);
    EXPECT_EQ(of_one_sample(add).forward[0].elements, 4 * 40);
    EXPECT_TRUE(of_one_sample(add).backward_input.empty());
    EXPECT_THROW(nest("add", {kTokens, tensor({{"sequence", 10}, {"feature", 5}})}), InputError);
}

TEST(Concat, JoinsChannelsOrTheLastDimension) {
    const Nest images = nest("concat", {kImage, tensor({{"channel", 5}, {"height", 8}, {"width", 6}})});
    EXPECT_EQ(images.result, tensor({{"channel", 8}, {"height", 8}, {"width", 6}}));
    EXPECT_FALSE(images.loops[1].can_split);
    EXPECT_TRUE(images.loops[2].can_split);
    EXPECT_EQ(nest("concat", {kTokens, kTokens}).result, tensor({{"sequence", 10}, {"feature", 8}}));
    EXPECT_THROW(nest("concat", {kImage, tensor({{"channel", 3}, {"height", 7}, {"width", 6}})}), InputError);
}

TEST(Concat, JoinsAnyDimensionByName) {
    const Values along{{"along", std::string("sequence")}};
    const Nest longer = nest("concat", {kTokens, tensor({{"sequence", 5}, {"feature", 4}})}, along);
    EXPECT_EQ(longer.result, tensor({{"sequence", 15}, {"feature", 4}}));
    EXPECT_FALSE(longer.loops[1].can_split);
    EXPECT_TRUE(longer.loops[2].can_split);
    EXPECT_EQ(faults(network(kTokens, {layer("c", "concat", {{"along", std::string("sequense")}}, {"x", "x"})})),
              "c.along: \"sequense\" is not a choice here; did you mean \"sequence\"?\n");
}

// 6 of 10 tokens of 4: backward writes 40 zeroes, reads and writes 24 gradients.
TEST(Slice, IsAViewOfTheFirstPositions) {
    const Nest slice = nest("slice", {kTokens}, {{"along", std::string("sequence")}, {"size", std::int64_t{6}}});
    EXPECT_EQ(slice.result, tensor({{"sequence", 6}, {"feature", 4}}));
    EXPECT_FALSE(slice.loops[1].can_split);
    EXPECT_TRUE(slice.loops[2].can_split);
    EXPECT_TRUE(of_one_sample(slice).forward.empty());
    EXPECT_EQ(of_one_sample(slice).backward_input[0].elements, 40 + 2 * 24);
    EXPECT_EQ(faults(network(kTokens, {layer("s", "slice", {{"size", std::int64_t{11}}})})),
              "s.along: missing\ns.size: 11 positions of a sequence of 10\n");
}

// Ten tokens of four, six zeroes after them: 40 numbers are read, 64 written; the gradient is a view.
TEST(PadTokens, PutsZeroesAfterASequence) {
    const Nest padded = nest("pad_tokens", {kTokens}, {{"size", std::int64_t{16}}});
    EXPECT_EQ(padded.result, tensor({{"sequence", 16}, {"feature", 4}}));
    EXPECT_EQ(of_one_sample(padded).forward[0].elements, 40 + 64);
    EXPECT_TRUE(of_one_sample(padded).backward_input.empty());
    EXPECT_THROW(nest("pad_tokens", {kTokens}, {{"size", std::int64_t{9}}}), InputError);
}

// Runs of five of ten tokens of four features become two: X and the gates are read, Y is written; backward reads both and dY and
// writes two gradients. With overlap, half of the features is of the next run.
TEST(CompressTokens, WeightsARunByASoftmaxOfGates) {
    const Nest whole = nest("compress_tokens", {kTokens, kTokens}, {{"count", std::int64_t{5}}});
    EXPECT_EQ(whole.result, tensor({{"sequence", 2}, {"feature", 4}}));
    EXPECT_EQ(weights(whole), 5 * 4) << "a bias for each place of a run";
    EXPECT_EQ(of_one_sample(whole).forward[0].elements, 2 * 40 + 8);
    EXPECT_EQ(of_one_sample(whole).backward_input[0].elements, 4 * 40 + 8);
    const Nest halves = nest("compress_tokens", {kTokens, kTokens}, {{"count", std::int64_t{5}}, {"overlap", true}});
    EXPECT_EQ(halves.result, tensor({{"sequence", 2}, {"feature", 2}}));
    EXPECT_EQ(weights(halves), 5 * 4);
    EXPECT_EQ(of_one_sample(halves).forward[0].elements, 2 * 40 + 4);
    EXPECT_THROW(nest("compress_tokens", {kTokens, kTokens}, {{"count", std::int64_t{3}}}), InputError);
}

// Two tokens before ten: 40 elements copied, 8 put before them.
TEST(PrependTokens, LearnsTokensBeforeASequence) {
    const Nest longer = nest("prepend_tokens", {kTokens}, {{"count", std::int64_t{2}}});
    EXPECT_EQ(longer.result, tensor({{"sequence", 12}, {"feature", 4}}));
    EXPECT_EQ(weights(longer), 8);
    EXPECT_FALSE(longer.loops[1].can_split);
    const Work work = of_one_sample(longer);
    EXPECT_EQ(work.forward[0].elements, 40 + 8 + 48) << "x and the tokens read, y written";
    EXPECT_EQ(work.backward_input[0].elements, 80);
    EXPECT_EQ(work.backward_weight[0].elements, 8 + 8) << "dy of the tokens read, dW written";
    EXPECT_THROW(nest("prepend_tokens", {kImage}), InputError);
}

// Two images of five positions: a token before each, 40 elements copied, 8 put.
TEST(PrependTokens, ThatEachDocumentHasAreTheSame) {
    const Nest longer = nest("prepend_tokens", {kTokens}, {{"documents", std::int64_t{2}}});
    EXPECT_EQ(longer.result, tensor({{"sequence", 12}, {"feature", 4}}));
    EXPECT_EQ(weights(longer), 4);
    EXPECT_EQ(of_one_sample(longer).forward[0].elements, 40 + 4 + 48);
    EXPECT_EQ(faults(network(kTokens, {layer("p", "prepend_tokens", {{"documents", std::int64_t{3}}})})),
              "p.documents: a sequence of 10 is not 3 equal parts\n");
}

TEST(PositionEmbedding, OfDocumentsCountsFromTheFirstOfEach) {
    const Nest nest_of_two =
        nest("position_embedding", {kTokens}, {{"positions", std::int64_t{5}}, {"documents", std::int64_t{2}}});
    EXPECT_EQ(weights(nest_of_two), 20);
    EXPECT_EQ(of_one_sample(nest_of_two).forward[0].elements, 80 + 20) << "x, y and the table of one document";
    EXPECT_THROW(nest("position_embedding", {kTokens}, {{"positions", std::int64_t{5}}}), InputError);
}

// Ten tokens of four: five of eight, a view, or the mean of two, 40 read and 20 written.
TEST(MergeTokens, IsAViewOrAMean) {
    const Nest view = nest("merge_tokens", {kTokens}, {{"count", std::int64_t{2}}});
    EXPECT_EQ(view.result, tensor({{"sequence", 5}, {"feature", 8}}));
    EXPECT_FALSE(view.loops[1].can_split);
    EXPECT_FALSE(view.loops[2].can_split);
    EXPECT_TRUE(of_one_sample(view).forward.empty());
    const Nest mean = nest("merge_tokens", {kTokens}, {{"count", std::int64_t{2}}, {"mean", true}});
    EXPECT_EQ(mean.result, tensor({{"sequence", 5}, {"feature", 4}}));
    EXPECT_TRUE(mean.loops[2].can_split);
    EXPECT_EQ(of_one_sample(mean).forward[0].elements, 40 + 20);
    EXPECT_EQ(of_one_sample(mean).backward_input[0].elements, 20 + 40);
    EXPECT_EQ(faults(network(kTokens, {layer("m", "merge_tokens", {{"count", std::int64_t{3}}})})),
              "m.count: 10 tokens are not whole runs of 3\n");
}

TEST(LayerScale, LearnsAFactorOfEachFeature) {
    const Nest scale = nest("layer_scale", {kTokens});
    EXPECT_EQ(weights(scale), 4);
    EXPECT_EQ(scale.result, kTokens);
    ASSERT_EQ(scale.saved.size(), 1U);
    EXPECT_EQ(of_one_sample(scale).forward[0].elements, 80);
    EXPECT_EQ(of_one_sample(scale).backward_weight[0].elements, 80) << "dy and the input are read";
}

// 2x2 windows step by 2: 3*4*3 = 36 outputs of 144 inputs; 8 bytes of position each.
TEST(MaxPool, SavesItsInputAndAPositionAnOutput) {
    const Nest pool = nest("max_pool", {kImage}, {{"kernel", std::int64_t{2}}});
    EXPECT_EQ(pool.result, tensor({{"channel", 3}, {"height", 4}, {"width", 3}}));
    ASSERT_EQ(pool.saved.size(), 2U);
    EXPECT_EQ(pool.saved[0].what, Saved::What::input);
    EXPECT_EQ(pool.saved[1].element, Element::index);
    EXPECT_EQ(of_one_sample(pool).forward[0].elements, 144 + 36);
    EXPECT_EQ(of_one_sample(pool).forward[0].fixed_bytes, 288_B);
    ASSERT_TRUE(pool.inputs[0].windows[2].has_value());
    EXPECT_EQ(pool.inputs[0].windows[2]->stride, 2) << "the kernel, if no stride is given";
}

TEST(AveragePool, SavesNothing) {
    const Nest pool = nest("average_pool", {kImage}, {{"kernel", std::int64_t{2}}});
    EXPECT_TRUE(pool.saved.empty());
    EXPECT_TRUE(pool.linear);
}

TEST(GlobalPool, SumsOverPositions) {
    const Nest pool = nest("global_pool", {kImage});
    EXPECT_EQ(pool.result, tensor({{"feature", 3}}));
    EXPECT_TRUE(pool.inputs[0].has(pool.loop("height")));
    EXPECT_FALSE(pool.output.has(pool.loop("height")));
    EXPECT_EQ(of_one_sample(pool).forward[0].elements, 144 + 3);
}

TEST(Flatten, IsAViewWhoseMajorPartIsTheChannel) {
    const Nest flat = nest("flatten", {kImage});
    EXPECT_EQ(flat.result, tensor({{"feature", 144}}));
    EXPECT_EQ(flat.output.loops, (std::vector<int>{0, 1}));
    EXPECT_TRUE(flat.loops[1].can_split);
    EXPECT_FALSE(flat.loops[2].can_split);
    EXPECT_TRUE(of_one_sample(flat).forward.empty());
}

TEST(Dropout, SavesAByteAnElement) {
    const Nest dropout = nest("dropout", {kTokens});
    ASSERT_EQ(dropout.saved.size(), 1U);
    EXPECT_EQ(dropout.saved[0].element, Element::mask);
    EXPECT_EQ(of_one_sample(dropout).forward[0].fixed_bytes, 40_B);
}

TEST(Dropout, DoesNothingWhereItIsNotActive) {
    const Nest dropout = nest("dropout", {kTokens}, {{"active", false}});
    EXPECT_EQ(dropout.result, kTokens);
    EXPECT_TRUE(dropout.saved.empty());
    EXPECT_TRUE(of_one_sample(dropout).forward.empty());
}

TEST(Softmax, ReducesTwoNumbersForwardAndOneBackward) {
    const Nest softmax = nest("softmax", {kTokens});
    EXPECT_EQ(softmax.saved[0].what, Saved::What::output);
    EXPECT_EQ(softmax.statistics[0].forward, 2);
    EXPECT_EQ(softmax.statistics[0].backward, 1);
}

TEST(CrossEntropy, KeepsFourBytesALogitAndReducesThreeNumbersAToken) {
    const Nest loss = nest("cross_entropy", {kTokens});
    EXPECT_EQ(loop_names_of(loss), (Names{"batch", "sequence", "class"}));
    EXPECT_EQ(loss.result, tensor({{"sequence", 10}}));
    EXPECT_EQ(loss.saved[0].element, Element::single);
    EXPECT_EQ(loss.saved[0].loops, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(loss.statistics[0].kept, (std::vector<int>{0, 1}));
    EXPECT_EQ(loss.statistics[0].forward, 3);
    EXPECT_EQ(loss.statistics[0].backward, 0);
    EXPECT_EQ(nest("cross_entropy", {tensor({{"feature", 5}})}).result, tensor({}));
}

TEST(Embedding, LooksUpARowAToken) {
    const Nest embedding = nest("embedding", {tensor({{"sequence", 10}}, Element::index)},
                                {{"vocabulary", std::int64_t{100}}, {"features", std::int64_t{4}}});
    EXPECT_EQ(loop_names_of(embedding), (Names{"batch", "sequence", "vocabulary", "feature"}));
    EXPECT_EQ(embedding.result, kTokens);
    EXPECT_EQ(weights(embedding), 400);
    EXPECT_FALSE(embedding.inputs[0].has(embedding.loop("vocabulary")));
    EXPECT_FALSE(embedding.output.has(embedding.loop("vocabulary")));
    EXPECT_EQ(of_one_sample(embedding).forward[0].kind, KernelKind::gather);
    EXPECT_EQ(of_one_sample(embedding).forward[0].elements, 80);
    EXPECT_EQ(embedding.saved[0].element, Element::index);
}

TEST(PositionEmbedding, AddsATableAtLeastAsLongAsTheSequence) {
    const Nest embedding = nest("position_embedding", {kTokens}, {{"positions", std::int64_t{16}}});
    EXPECT_EQ(weights(embedding), 64);
    EXPECT_EQ(embedding.result, kTokens);
    EXPECT_EQ(of_one_sample(embedding).forward[0].elements, 80 + 40);
    EXPECT_THROW(nest("position_embedding", {kTokens}, {{"positions", std::int64_t{9}}}), InputError);
}

TEST(Rotary, HasNoWeightsAndSavesNothing) {
    const Nest rotary = nest("rotary", {kTokens});
    EXPECT_EQ(weights(rotary), 0);
    EXPECT_TRUE(rotary.saved.empty());
    EXPECT_TRUE(rotary.follows);
}

TEST(TheTableOfOperators, NamesEveryLoopThatAnyOperatorUses) {
    const Tensor volume = tensor({{"channel", 2}, {"depth", 4}, {"height", 4}, {"width", 4}});
    const Tensor signal = tensor({{"channel", 2}, {"length", 4}});
    const Values kernel{{"kernel", std::int64_t{1}}, {"filters", std::int64_t{2}}};
    std::vector<Nest> nests{
        nest("conv", {volume}, kernel),
        nest("conv", {signal}, kernel),
        nest("linear", {kTokens}, {{"out", std::int64_t{2}}}),
        nest("attention", {kTokens, kTokens, kTokens}, {{"heads", std::int64_t{2}}}),
        nest("attention", {tensor({{"sequence", 2}, {"feature", 6}})}, {{"heads", std::int64_t{2}}}),
        nest("layer_norm", {kTokens}),
        nest("cross_entropy", {kTokens}),
        nest("lstm", {kTokens}, {{"hidden", std::int64_t{2}}}),
        nest("embedding_bag", {tensor({{"table", 2}, {"lookup", 2}}, Element::index)},
             {{"rows", std::int64_t{3}}, {"features", std::int64_t{4}}}),
        nest("embedding", {tensor({{"sequence", 2}}, Element::index)},
             {{"vocabulary", std::int64_t{3}}, {"features", std::int64_t{4}}}),
        nest("router", {kTokens}, {{"experts", std::int64_t{4}}}),
        nest("lstm", {kTokens}, {{"hidden", std::int64_t{4}}}),
        nest("embedding_bag", {tensor({{"table", 2}, {"lookup", 3}}, Element::index)},
             {{"tables", std::int64_t{2}},
              {"rows", std::int64_t{5}},
              {"features", std::int64_t{4}},
              {"lookups", std::int64_t{3}}}),
    };
    std::vector<std::string> used;
    for (const Nest& built : nests) {
        for (const Loop& loop : built.loops) {
            EXPECT_NE(std::ranges::find(loop_names(), loop.name), loop_names().end()) << loop.name;
            used.push_back(loop.name);
        }
    }
    for (const std::string& name : loop_names()) {
        EXPECT_NE(std::ranges::find(used, name), used.end()) << name << " is used by no operator";
    }
}

TEST(Multiply, HasAGateATokenOrAHead) {
    const Tensor heads = tensor({{"sequence", 10}, {"feature", 2}});
    const Nest built = nest("multiply", {kTokens, heads});
    EXPECT_EQ(built.result, kTokens);
    EXPECT_EQ(built.loops.back().granule, 2) << "shards are whole heads";
    EXPECT_TRUE(built.inputs[1].has(2));
    EXPECT_EQ(of_one_sample(built).forward[0].elements, 2 * 40 + 20);
    const Nest one = nest("multiply", {kTokens, tensor({{"sequence", 10}, {"feature", 1}})});
    EXPECT_FALSE(one.inputs[1].has(2));
    EXPECT_EQ(of_one_sample(one).forward[0].elements, 2 * 40 + 10);
    EXPECT_THROW(nest("multiply", {kTokens, tensor({{"sequence", 10}, {"feature", 3}})}), InputError);
}

TEST(LayerScale, MayBeOneNumber) {
    EXPECT_EQ(weights(nest("layer_scale", {kTokens})), 4);
    EXPECT_EQ(weights(nest("layer_scale", {kTokens}, {{"shared", true}})), 1);
}

TEST(PositionEmbedding, MayBeOfRunsOfTokens) {
    const Values runs{{"positions", std::int64_t{3}}, {"run", std::int64_t{5}}};
    EXPECT_EQ(weights(nest("position_embedding", {kTokens}, runs)), 3 * 4);
    EXPECT_THROW(nest("position_embedding", {kTokens}, {{"positions", std::int64_t{3}}, {"run", std::int64_t{4}}}),
                 InputError);
    EXPECT_THROW(nest("position_embedding", {kTokens}, {{"positions", std::int64_t{1}}, {"run", std::int64_t{5}}}),
                 InputError);
}

TEST(Xielu, HasTwoLearnedNumbersWhoseGradientsReadItsInput) {
    const Nest built = nest("xielu", {kTokens});
    EXPECT_EQ(weights(built), 2);
    EXPECT_EQ(of_one_sample(built).forward[0].elements, 80);
    EXPECT_EQ(of_one_sample(built).backward_weight[0].elements, 80);
}

}  // namespace operators_test
}  // namespace dodona::graph::test
