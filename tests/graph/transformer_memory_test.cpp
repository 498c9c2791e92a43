// Activations that a transformer layer saves, against Korthikanti et al., arXiv:2205.05198, section 4.1.
#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {

namespace transformer_memory_test {

constexpr std::int64_t kLength = 64, kHidden = 32, kHeads = 4, kSamples = 3;

Entry gpt_layer(std::int64_t repeat, const std::string& implementation) {
    return block("layers", repeat,
                 {layer("norm1", "layer_norm"), layer("qkv", "linear", {{"out", 3 * kHidden}}),
                  layer("attention", "attention",
                        {{"heads", kHeads}, {"implementation", implementation}, {"dropout", true}, {"causal", true}}),
                  layer("projection", "linear", {{"out", kHidden}}), layer("dropout1", "dropout"),
                  layer("add1", "add", {}, {"dropout1", "input"}), layer("norm2", "layer_norm"),
                  layer("up", "linear", {{"out", 4 * kHidden}}), layer("gelu", "gelu"),
                  layer("down", "linear", {{"out", kHidden}}), layer("dropout2", "dropout"),
                  layer("add2", "add", {}, {"dropout2", "add1"})});
}

double bytes_of(Element element) {
    const std::map<Element, double> bytes{
        {Element::activation, 2}, {Element::index, 8}, {Element::mask, 1}, {Element::single, 4}};
    return bytes.at(element);
}

Vertex producer(const Graph& graph, Vertex consumer, int operand) {
    return graph.layer(consumer).producers.at(static_cast<std::size_t>(operand));
}

/// Bytes saved by the layers of a segment at fp16 for `kSamples` samples, each distinct tensor once.
double saved_bytes(const Graph& graph, const Segment& segment, bool selective_recomputation) {
    std::set<Vertex> tensors;
    double bytes = 0;
    for (const Vertex vertex : segment.layers) {
        const Nest& built = graph.layer(vertex).nest;
        for (const Saved& saved : built.saved) {
            if (saved.what == Saved::What::internal) {
                double elements = saved.factor;
                for (const int loop : saved.loops) {
                    elements *= built.whole()[loop];
                }
                bytes += saved.selective && selective_recomputation ? 0 : elements * bytes_of(saved.element);
                continue;
            }
            const Vertex owner = saved.what == Saved::What::output ? vertex : producer(graph, vertex, saved.operand);
            if (tensors.insert(owner).second) {
                bytes += graph.layer(owner).nest.result.elements() * bytes_of(saved.element);
            }
        }
    }
    return bytes * kSamples;
}

Graph gpt(const std::string& implementation) {
    return build(network(tensor({{"sequence", kLength}, {"feature", kHidden}}), {gpt_layer(2, implementation)}));
}

constexpr double kSbh = static_cast<double>(kLength * kSamples * kHidden);
constexpr double kSquares = 5.0 * kHeads * kLength / kHidden;  // 5*a*s/h

// sbh * (34 + 5*a*s/h): equation 2. Here 6144 * (34 + 40) = 454656 bytes.
TEST(AGptLayer, SavesWhatTheFormulaSays) {
    const Graph graph = gpt("materialised");
    EXPECT_EQ(saved_bytes(graph, graph.segments[1], false), kSbh * (34 + kSquares));
    EXPECT_EQ(saved_bytes(graph, graph.segments[1], false), 454656);
}

// sbh * 34: section 5, selective recomputation.
TEST(AGptLayer, SavesNoSquareUnderSelectiveRecomputation) {
    const Graph graph = gpt("materialised");
    EXPECT_EQ(saved_bytes(graph, graph.segments[1], true), kSbh * 34);
}

TEST(AGptLayer, SavesNoSquareWhereAttentionIsFused) {
    const Graph graph = gpt("fused");
    EXPECT_EQ(saved_bytes(graph, graph.segments[1], false), kSbh * 34);
}

// 4*h^2 for attention, 8*h^2 for the MLP, biases 3h + h + 4h + h, norms 4h: 12*h^2 + 13*h.
TEST(AGptLayer, HasTwelveSquaresOfItsWidthInParameters) {
    const double h = kHidden;
    EXPECT_EQ(count(gpt("fused")).parameters, 2 * (12 * h * h + 13 * h));
}

// 24*s*h^2 for products with weights, 4*s^2*h for attention (Narayanan et al., arXiv:2104.04473), here its causal half.
TEST(AGptLayer, DoesTheArithmeticOfItsFormula) {
    const double s = kLength, h = kHidden;
    EXPECT_EQ(count(gpt("materialised")).forward_per_sample.in(unit::flop), 2 * (24 * s * h * h + 2 * s * s * h));
}

}  // namespace transformer_memory_test
}  // namespace dodona::graph::test
