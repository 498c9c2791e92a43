// Losses against a target, and networks that end in several of them.
#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {

namespace losses_test {

using std::int64_t;

const Tensor kBoxes = tensor({{"sequence", 10}, {"feature", 4}});

// 40 pairs: forward reads both, backward both and writes dx; one number a position stays.
TEST(ADistance, ReadsAndKeepsPairsAndHasOneNumberAPosition) {
    for (const char* op : {"mean_squared_error", "l1_error"}) {
        const Nest loss = nest(op, {kBoxes, kBoxes});
        const Work work = loss.work(loss.whole());
        EXPECT_EQ(loss.result, tensor({{"sequence", 10}})) << op;
        EXPECT_EQ(work.forward[0].elements, 80) << op;
        EXPECT_EQ(work.backward_input[0].elements, 120) << op;
        EXPECT_EQ(loss.saved.size(), 2U) << op;
        EXPECT_TRUE(loss.output.has(1)) << op;
        EXPECT_FALSE(loss.output.has(2)) << op;
        EXPECT_THROW(nest(op, {kBoxes, tensor({{"sequence", 10}, {"feature", 5}})}), InputError) << op;
    }
    const Tensor image = tensor({{"channel", 3}, {"height", 8}, {"width", 6}});
    EXPECT_EQ(nest("mean_squared_error", {image, image}).result, tensor({{"height", 8}, {"width", 6}}));
}

// Two pairs on each of four devices: 2 rows of images and 2 of texts against 8 each.
TEST(AContrastiveLoss, ComparesOwnRowsWithTheWholeBatch) {
    const Tensor features = tensor({{"feature", 512}});
    const Nest loss = nest("contrastive_loss", {features, features});
    EXPECT_EQ(weights(loss), 1) << "the scale";
    LocalExtents local = loss.whole();
    local.loops[kBatch] = 2;
    local.ways = {4, 1};
    const Work work = loss.work(local);
    EXPECT_EQ(work.model_forward, 2 * (2 * 2.0 * 8 * 512) * unit::flop);
    double backward = 0;
    for (const Kernel& kernel : work.backward_input) {
        backward += kernel.kind == KernelKind::matmul ? kernel.flops.in(unit::flop) : 0;
    }
    EXPECT_EQ(backward, 2 * work.model_forward.in(unit::flop)) << "of the own rows, and of the rows of all";
    EXPECT_THROW(nest("contrastive_loss", {features, tensor({{"feature", 256}})}), InputError);
    EXPECT_THROW(nest("contrastive_loss", {kBoxes, kBoxes}), InputError) << "one row a sample";
}

// A detection head: one body, classes and boxes, two losses. Both reach the body's gradient.
TEST(ANetwork, MayEndInSeveralLosses) {
    NetworkSpec spec = network(tensor({{"channel", 4}, {"height", 2}, {"width", 5}}),
                               {layer("body", "conv", {{"filters", int64_t{8}}, {"kernel", int64_t{1}}}, {"x"}),
                                layer("boxes", "conv", {{"filters", int64_t{4}}, {"kernel", int64_t{1}}}, {"body"}),
                                layer("tokens", "to_sequence", {{"features", int64_t{4}}}, {"boxes"}),
                                layer("place", "l1_error", {}, {"tokens", "target"}),
                                layer("classes", "conv", {{"filters", int64_t{3}}, {"kernel", int64_t{1}}}, {"body"}),
                                layer("class", "cross_entropy", {}, {"classes"})});
    spec.inputs.push_back({"target", kBoxes, {}});
    const Graph graph = build(spec);
    EXPECT_EQ(graph.layer(find(graph, "place")).consumers.size(), 0U);
    EXPECT_EQ(graph.layer(find(graph, "class")).consumers.size(), 0U);
    EXPECT_TRUE(graph.layer(find(graph, "class")).input_gradient);
    EXPECT_EQ(graph.layer(find(graph, "body")).consumers.size(), 2U);
    EXPECT_EQ(count(graph).parameters, 8 * 5 + 4 * 9 + 3 * 9);
}

// 10 frames, 4 classes, 3 labels: 2 * 3 + 1 states a frame, 4 bytes each, forward written and read, backward once more.
TEST(AnAlignment, KeepsTheSumsOfItsPaths) {
    const Nest loss = nest("ctc_loss", {kBoxes}, {{"labels", int64_t{3}}});
    const Work work = loss.work(loss.whole());
    EXPECT_EQ(loss.result, tensor({}));
    EXPECT_EQ(work.forward[0].elements, 40);
    EXPECT_EQ(work.forward[1].fixed_bytes, Bytes::of_base(2 * 4 * 10 * 7));
    EXPECT_EQ(work.backward_input[0].fixed_bytes, Bytes::of_base(3 * 4 * 10 * 7));
    EXPECT_EQ(loss.saved[1].factor, 7);
    EXPECT_THROW(nest("ctc_loss", {kBoxes}, {{"labels", int64_t{11}}}), InputError) << "more labels than frames";
}

// Each pair by itself: half the logits of a loss in both directions, and a bias more.
TEST(PairsByThemselves, HaveTheirLogitsOnceAndALearnedBias) {
    const Tensor features = tensor({{"feature", 64}});
    const Nest both = nest("contrastive_loss", {features, features});
    const Nest each = nest("contrastive_loss", {features, features}, {{"sigmoid", true}});
    EXPECT_EQ(weights(both), 1);
    EXPECT_EQ(weights(each), 2);
    EXPECT_EQ(2 * each.work(each.whole()).model_forward.in(unit::flop),
              both.work(both.whole()).model_forward.in(unit::flop));
}

}  // namespace losses_test
}  // namespace dodona::graph::test
