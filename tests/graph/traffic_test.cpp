// Elements and bytes that each operator moves, forward and backward, counted by hand. V: elements of its tensor.
#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {

namespace traffic_test {

struct Traffic {
    double elements = 0;
    double bytes = 0;
    bool operator==(const Traffic&) const = default;
};

Traffic traffic(const std::vector<Kernel>& kernels) {
    Traffic sum;
    for (const Kernel& kernel : kernels) {
        sum.elements += kernel.elements;
        sum.bytes += kernel.fixed_bytes.in(unit::byte);
    }
    return sum;
}

const Tensor kTokens = tensor({{"sequence", 10}, {"feature", 4}});
const Tensor kImage = tensor({{"channel", 3}, {"height", 8}, {"width", 6}});
constexpr double kV = 40;        // tokens
constexpr double kPixels = 144;  // image

struct Row {
    std::string op;
    std::vector<Tensor> inputs;
    Values values;
    Traffic forward, backward_input, backward_weight;
};

TEST(Traffic, OfEachOperatorIsCountedByHand) {
    const Tensor ids = tensor({{"sequence", 10}}, Element::index);
    const Values half{{"kernel", std::int64_t{2}}};  // 36 outputs
    const Values table{{"vocabulary", std::int64_t{100}}, {"features", std::int64_t{4}}};
    const std::vector<Row> rows{
        {"batch_norm", {kImage}, {}, {3 * kPixels}, {3 * kPixels}, {2 * kPixels}},  // x twice, y | x, dy, dx | x, dy
        {"layer_norm", {kTokens}, {}, {2 * kV}, {3 * kV}, {2 * kV}},
        {"relu", {kTokens}, {}, {2 * kV}, {3 * kV}, {}},
        {"gated", {kTokens, kTokens}, {}, {3 * kV}, {5 * kV}, {}},
        {"add", {kTokens, kTokens}, {}, {3 * kV}, {}, {}},
        {"concat", {kTokens, kTokens}, {}, {4 * kV}, {4 * kV}, {}},
        {"dropout", {kTokens}, {}, {2 * kV, kV}, {2 * kV, kV}, {}},
        {"softmax", {kTokens}, {}, {2 * kV}, {3 * kV}, {}},
        {"cross_entropy", {kTokens}, {}, {2 * kV, 4 * kV}, {kV, 4 * kV}, {}},
        {"max_pool", {kImage}, half, {180, 288}, {180, 288}, {}},  // 144 + 36, 8 bytes an output
        {"average_pool", {kImage}, half, {180}, {180}, {}},
        {"global_pool", {kImage}, {}, {147}, {147}, {}},
        {"flatten", {kImage}, {}, {}, {}, {}},
        {"rotary", {kTokens}, {}, {2 * kV}, {2 * kV}, {}},
        {"embedding", {ids}, table, {2 * kV, 80}, {}, {3 * kV, 80}},  // row, result | dy, gradient read and written
        {"position_embedding", {kTokens}, {{"positions", std::int64_t{10}}}, {3 * kV}, {}, {2 * kV}},
    };
    for (const Row& row : rows) {
        const Nest built = nest(row.op, row.inputs, row.values);
        const Work work = built.work(built.whole());
        EXPECT_EQ(traffic(work.forward), row.forward) << row.op;
        EXPECT_EQ(traffic(work.backward_input), row.backward_input) << row.op;
        EXPECT_EQ(traffic(work.backward_weight), row.backward_weight) << row.op;
        EXPECT_EQ(work.model_forward, Flop{}) << row.op << ": no matrix product";
    }
}

// One head of 4 features, 10 tokens: Q, K, V, O have 40 elements, S and P 100.
TEST(Traffic, OfMaterialisedAttentionPassesTheSquareThroughMemory) {
    const Nest built =
        nest("attention", {kTokens, kTokens, kTokens},
             {{"heads", std::int64_t{1}}, {"dropout", true}, {"implementation", std::string("materialised")}});
    const Work work = built.work(built.whole());
    const double product = 40 + 40 + 100;
    EXPECT_EQ(traffic(work.forward), (Traffic{2 * product + 2 * 100 + 2 * 100, 100})) << "softmax, dropout";
    EXPECT_EQ(traffic(work.backward_input), (Traffic{4 * product + 3 * 100 + 2 * 100, 100}));
}

// A split in two halves the work of an element-wise pass and of the operands that carry the loop.
TEST(Traffic, FollowsTheLocalExtents) {
    const Nest norm = nest("layer_norm", {kTokens});
    LocalExtents local = norm.whole();
    local.loops[0] = 3;
    local.loops[1] /= 2;
    EXPECT_EQ(traffic(norm.work(local).forward).elements, 3 * kV);
}

}  // namespace traffic_test
}  // namespace dodona::graph::test
