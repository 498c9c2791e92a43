#include <gtest/gtest.h>

#include "graph/shared_by_instances.hpp"
#include "networks.hpp"

namespace dodona::graph::test {

namespace build_test {

const Tensor kFeatures = tensor({{"feature", 4}});

Entry square(const std::string& name) { return layer(name, "linear", {{"out", std::int64_t{4}}, {"bias", false}}); }

const Layer& named(const Graph& graph, const std::string& name) { return graph.layer(find(graph, name)); }

// 4 -> 4 -> 4 without biases: 2*16 weights, 2*2*16 flop a sample.
TEST(AChain, IsCountedLayerByLayer) {
    const Graph graph = build(network(kFeatures, {square("a"), square("b")}));
    const Counts counts = count(graph);
    EXPECT_EQ(counts.parameters, 32);
    EXPECT_EQ(counts.forward_per_sample.in(unit::flop), 64);
    EXPECT_EQ(counts.distinct_layers, 2);
    EXPECT_EQ(counts.layers, 2);
    ASSERT_EQ(graph.segments.size(), 2U);
    EXPECT_EQ(graph.segments[0].layers.size(), 2U) << "the input belongs to the first segment";
    EXPECT_EQ(graph.segments[1].name, "b");
}

TEST(ARepeatedBlock, CostsTwoCopiesHoweverDeep) {
    const Counts two = count(build(network(kFeatures, {block("layers", 2, {square("a"), square("b")})})));
    const Counts deep = count(build(network(kFeatures, {block("layers", 96, {square("a"), square("b")})})));
    EXPECT_EQ(two.distinct_layers, 4);
    EXPECT_EQ(deep.distinct_layers, 4);
    EXPECT_EQ(deep.layers, 192);
    EXPECT_EQ(deep.parameters, 48 * two.parameters);
    EXPECT_EQ(deep.forward_per_sample, 48 * two.forward_per_sample);
}

TEST(ARepeatedBlock, IsAFirstInstanceAndOneThatStandsForTheOthers) {
    const Graph graph = build(network(kFeatures, {block("layers", 96, {square("a")}), square("head")}));
    ASSERT_EQ(graph.segments.size(), 3U);
    EXPECT_EQ(graph.segments[0].name, "layers[1]");
    EXPECT_EQ(graph.segments[0].count, 1);
    EXPECT_EQ(graph.segments[1].name, "layers[2..96]");
    EXPECT_EQ(graph.segments[1].count, 95);
    EXPECT_EQ(graph.segments[1].block, "layers");
    EXPECT_EQ(named(graph, "layers[2..96]/a").block, "layers");
    EXPECT_EQ(graph.instances(find(graph, "layers[2..96]/a")), 95);
    EXPECT_EQ(graph.segments[2].block, "");
    EXPECT_EQ(named(graph, "layers[2..96]/a").producers, std::vector{find(graph, "layers[1]/a")});
    EXPECT_EQ(named(graph, "head").producers, std::vector{find(graph, "layers[2..96]/a")});
}

TEST(ABlock, ThatDoesNotRepeatHasNoNumberInItsName) {
    const Graph graph = build(network(kFeatures, {block("stem", 1, {square("a")}), block("pair", 2, {square("a")})}));
    EXPECT_EQ(graph.layers.size(), 4U);
    EXPECT_NO_THROW(find(graph, "stem/a"));
    EXPECT_NO_THROW(find(graph, "pair[1]/a"));
    EXPECT_NO_THROW(find(graph, "pair[2]/a"));
}

// 3 outer of (5 inner of one layer, and one layer): 3*6 instances; distinct 2*(2 + 1).
TEST(NestedBlocks, MultiplyTheirCounts) {
    const Graph graph = build(network(kFeatures, {block("outer", 3, {block("inner", 5, {square("a")}), square("b")})}));
    const Counts counts = count(graph);
    EXPECT_EQ(counts.distinct_layers, 6);
    EXPECT_EQ(counts.layers, 18);
    EXPECT_EQ(counts.parameters, 18 * 16);
    const Vertex inner = find(graph, "outer[2..3]/inner[2..5]/a");
    EXPECT_EQ(graph.layer(inner).count, 4) << "within one instance of its segment";
    EXPECT_EQ(graph.instances(inner), 8);
    EXPECT_EQ(graph.layer(inner).block, "inner");
    EXPECT_EQ(graph.segments[graph.layer(inner).segment].name, "outer[2..3]");
}

// A stage whose first instance doubles the channels: the second differs from the first, the third not from the second.
TEST(ARepeatedBlock, MayChangeTheShapeInItsFirstInstance) {
    const auto wide = layer("a", "linear", {{"out", std::int64_t{8}}, {"bias", false}});
    const Graph graph = build(network(kFeatures, {block("stage", 5, {wide})}));
    EXPECT_EQ(count(graph).parameters, 4 * 8 + 4 * 8 * 8);
}

TEST(ARepeatedBlock, ThatChangesTheShapeEveryTimeIsAFault) {
    const Tensor image = tensor({{"channel", 1}, {"height", 64}, {"width", 64}});
    const auto halve = layer("pool", "max_pool", {{"kernel", std::int64_t{2}}});
    EXPECT_EQ(
        faults(network(image, {block("stage", 3, {halve})})),
        "stage: the block stage cannot repeat 3 times: its first instance makes (channel 1, height 32, width 32), "
        "its second (channel 1, height 16, width 16)\n");
    EXPECT_EQ(faults(network(image, {block("stage", 2, {halve})})), "") << "two instances are both written out";
}

TEST(ABlock, MayReadMoreThanItsInputWhichAllItsInstancesReadAlike) {
    Entry decoder = block("decoder", 4, {square("a"), layer("sum", "add", {}, {"a", "source"})});
    decoder.from = {"x", "source"};
    const Graph graph = build(network(kFeatures, {square("source"), square("between"), decoder}));
    const Vertex source = find(graph, "source");
    const Vertex first = find(graph, "decoder[1]/sum");
    EXPECT_EQ(named(graph, "decoder[1]/a").producers, (std::vector{find(graph, "x")}));
    EXPECT_EQ(named(graph, "decoder[2..4]/a").producers, (std::vector{first}));
    EXPECT_EQ(named(graph, "decoder[1]/sum").producers, (std::vector{find(graph, "decoder[1]/a"), source}));
    EXPECT_EQ(named(graph, "decoder[2..4]/sum").producers, (std::vector{find(graph, "decoder[2..4]/a"), source}));
    EXPECT_TRUE(is_shared_by_instances(graph, source));
    EXPECT_FALSE(is_shared_by_instances(graph, first)) << "the next instance alone reads it";
    EXPECT_FALSE(is_shared_by_instances(graph, find(graph, "x")));
}

TEST(AResidualBlock, ReadsItsInputTwice) {
    const Graph graph =
        build(network(kFeatures, {block("residual", 4, {square("a"), layer("sum", "add", {}, {"a", "input"})})}));
    const Vertex first = find(graph, "residual[1]/sum");
    const Vertex later = find(graph, "residual[2..4]/a");
    EXPECT_EQ(named(graph, "residual[2..4]/sum").producers, (std::vector{later, first}));
    EXPECT_EQ(graph.layer(first).consumers.size(), 2U);
}

TEST(Producers, AreInTheOrderOfTheOperandsTheyFeed) {
    const Graph graph = build(network(kFeatures, {square("a"), square("b"), layer("sum", "add", {}, {"b", "a", "b"})}));
    EXPECT_EQ(named(graph, "sum").producers, (std::vector{find(graph, "b"), find(graph, "a"), find(graph, "b")}));
}

TEST(InputGradients, AreNeededOnlyBehindWeights) {
    const Graph graph = build(network(
        kFeatures, {layer("relu", "relu"), square("a"), layer("relu2", "relu"), layer("side", "gelu", {}, {"x"})}));
    EXPECT_FALSE(named(graph, "relu").input_gradient);
    EXPECT_FALSE(named(graph, "a").input_gradient);
    EXPECT_TRUE(named(graph, "relu2").input_gradient);
    EXPECT_FALSE(named(graph, "side").input_gradient);
}

TEST(TiedWeights, CountOnce) {
    const Tensor ids = tensor({{"sequence", 5}}, Element::index);
    const auto embedding =
        layer("embedding", "embedding", {{"vocabulary", std::int64_t{10}}, {"features", std::int64_t{4}}});
    const Values tied{{"out", std::int64_t{10}}, {"bias", false}, {"tied", std::string("embedding")}};
    const Graph graph = build(network(ids, {embedding, block("head", 1, {layer("logits", "linear", tied)})}));
    EXPECT_EQ(count(graph).parameters, 40);
    EXPECT_EQ(count(graph).forward_per_sample.in(unit::flop), 2 * 5 * 40);
    EXPECT_EQ(named(graph, "head/logits").nest.weights[0].tied_to, "embedding");
}

// GNMT's decoder and encoder look up one table; an adaptive softmax scores its words with it, too.
TEST(ATiedTable, CountsOnceHoweverManyRead) {
    const Tensor ids = tensor({{"sequence", 4}}, Element::index);
    Values values{{"vocabulary", std::int64_t{100}}, {"features", std::int64_t{8}}};
    const Entry first = layer("first", "embedding", values);
    values["tied"] = std::string("first");
    const Entry second = layer("second", "embedding", values, {"x"});
    const Entry words = layer("words", "adaptive_softmax",
                              {{"vocabulary", std::int64_t{100}},
                               {"cutoffs", std::vector<std::int64_t>{20}},
                               {"tail_percent", std::vector<std::int64_t>{10}},
                               {"tied", std::string("first")},
                               {"bias", true}},
                              {"sum"});
    const Graph graph = build(network(ids, {first, second, layer("sum", "add", {}, {"first", "second"}), words}));
    // The table, one cluster's row, and a bias a word and cluster.
    EXPECT_EQ(count(graph).parameters, 100 * 8 + 8 + 101);
}

TEST(TiedWeights, MustExistAndHaveOneSize) {
    const auto tied = [](const std::string& to) {
        return layer("b", "linear", {{"out", std::int64_t{8}}, {"tied", to}});
    };
    EXPECT_EQ(faults(network(kFeatures, {square("first"), tied("frist")})),
              "b.tied: no layer is named \"frist\"; did you mean \"first\"?\n");
    EXPECT_EQ(faults(network(kFeatures, {square("first"), tied("first")})),
              "b.tied: first has no weight of its own with 32 elements\n");
    EXPECT_EQ(faults(network(kFeatures, {tied("b")})), "b.tied: b has no weight of its own with 32 elements\n");
}

// 12 layers of one weight of 16 (ALBERT), and a layer of each of two that share with what has their name (Zamba).
TEST(SharedWeights, AreThoseOfTheFirst) {
    Entry all = block("layers", 12, {square("a")});
    all.weights_of = "/layers";
    const Graph deep = build(network(kFeatures, {all}));
    EXPECT_EQ(count(deep).parameters, 16);
    EXPECT_EQ(count(deep).forward_per_sample.in(unit::flop), 12 * 32);
    EXPECT_EQ(named(deep, "layers[2..12]/a").nest.weights[0].tied_to, "layers[1]/a");

    const auto sharing = [](const std::string& name, const std::string& other) {
        Entry a = square("a"), b = square(other);
        a.weights_of = b.weights_of = "/shared";
        return block(name, 1, {a, b, square("own")});
    };
    EXPECT_EQ(count(build(network(kFeatures, {sharing("one", "b"), sharing("two", "b")}))).parameters, 4 * 16);
    EXPECT_EQ(count(build(network(kFeatures, {sharing("one", "b"), sharing("two", "c")}))).parameters, 5 * 16);
    Entry wide = layer("a", "linear", {{"out", std::int64_t{8}}, {"bias", false}});
    wide.weights_of = "/shared";
    EXPECT_EQ(faults(network(kFeatures, {sharing("one", "b"), wide})), "a.weights: one/a has other weights\n");
}

TEST(SeveralInputs, AreReadByName) {
    NetworkSpec spec = network(kFeatures, {square("a"), layer("sum", "add", {}, {"a", "y"})});
    spec.inputs.push_back({"y", kFeatures, {}});
    const Graph graph = build(spec);
    EXPECT_EQ(graph.segments[0].layers.size(), 3U);
    EXPECT_EQ(named(graph, "y").kind, "input");
    EXPECT_EQ(count(graph).distinct_layers, 2);
}

}  // namespace build_test
}  // namespace dodona::graph::test
