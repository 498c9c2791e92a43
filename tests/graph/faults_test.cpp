// What a user can get wrong in a network: every fault is found, once, and named.
#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {

namespace faults_test {

const Tensor kFeatures = tensor({{"feature", 4}});

Entry square(const std::string& name, std::vector<std::string> from = {}) {
    return layer(name, "linear", {{"out", std::int64_t{4}}}, std::move(from));
}

TEST(ANetwork, WithoutInputsOrLayersIsAFault) {
    EXPECT_EQ(faults({}), "the network has no input\nthe network has no layers\n");
}

TEST(ANetwork, ReportsAllFaultsAtOnceAndNoneThatFollowFromAnother) {
    const auto wrong = layer("b", "linear", {{"out", std::int64_t{0}}});
    EXPECT_EQ(faults(network(kFeatures, {layer("a", "linaer"), wrong, square("c", {"x"}), layer("d", "conv", {}, {"c"}),
                                         square("e", {"d"}), layer("f", "linear", {{"out", 0.5}}, {"x"})})),
              "a.op: unknown operator \"linaer\"; did you mean \"linear\"?\n"
              "d: reads (feature 4), which is not an image\n"
              "d.kernel: missing\n"
              "d.filters: missing\n"
              "f.out: 0.5 is not a whole number\n")
        << "b reads a, whose shape is not known";
}

TEST(AnEntry, ThatReadsWhatIsNotThereIsAFault) {
    EXPECT_EQ(faults(network(kFeatures, {square("first"), square("b", {"frist"})})),
              "b.from: nothing is named \"frist\"; did you mean \"first\"?\n");
    EXPECT_EQ(faults(network(kFeatures, {square("a", {"b"}), square("b", {"x"})})),
              "a.from: \"b\" does not come before it\n");
    EXPECT_EQ(faults(network(kFeatures, {square("a", {"a"})})), "a.from: \"a\" does not come before it\n");
    EXPECT_EQ(faults(network(kFeatures, {square("a"), block("k", 1, {square("b", {"a"})})})),
              "b.from: nothing is named \"a\"\n")
        << "a block reads only its own input";
}

TEST(AnEntry, WithANameThatIsTakenOrNoNameIsAFault) {
    EXPECT_EQ(faults(network(kFeatures, {square("a"), square("a")})), "a: a second entry of this name\n");
    EXPECT_EQ(faults(network(kFeatures, {square("x")})), "x: a second entry of this name\n") << "the input is named x";
    EXPECT_EQ(faults(network(kFeatures, {block("k", 1, {square("input")})})),
              "input: this name is the block's input\n");
    EXPECT_EQ(faults(network(kFeatures, {square("a/b")})), "\"a/b\" cannot be a name\n");
    EXPECT_EQ(faults(network(kFeatures, {square("")})), "\"\" cannot be a name\n");
}

TEST(AnOperator, GivenTheWrongNumberOfTensorsIsAFault) {
    EXPECT_EQ(faults(network(kFeatures, {layer("sum", "add")})), "sum.from: add reads 2 tensors or more, not 1\n");
    EXPECT_EQ(faults(network(kFeatures, {layer("r", "relu", {}, {"x", "x"})})), "r.from: relu reads 1 tensor, not 2\n");
}

TEST(ABlock, ThatIsGivenATensorCalledInputIsAFault) {
    Entry inner = block("k", 2, {square("a")});
    inner.from = {"b", "input"};
    EXPECT_EQ(faults(network(kFeatures, {block("l", 1, {square("b"), inner})})),
              "k.from: \"input\" is what the block calls \"b\"\n");
    Entry taken = block("k", 2, {square("source")});
    taken.from = {"x", "source"};
    EXPECT_EQ(faults(network(kFeatures, {square("source"), taken})), "source: a second entry of this name\n");
}

TEST(AnOperator, GivenIdsForNumbersIsAFault) {
    const Tensor ids = tensor({{"sequence", 4}}, Element::index);
    EXPECT_EQ(faults(network(ids, {layer("r", "relu")})), "r: relu reads numbers, but is given ids\n");
    const Values table{{"vocabulary", std::int64_t{3}}, {"features", std::int64_t{4}}};
    EXPECT_EQ(faults(network(tensor({{"sequence", 4}}), {layer("e", "embedding", table)})),
              "e: embedding reads ids, but is given numbers\n");
}

TEST(AnInput, WithAnUnknownDimensionOrAnAbsurdExtentIsAFault) {
    EXPECT_EQ(faults(network(tensor({{"chanel", 3}}), {layer("r", "relu")})),
              "x.chanel: unknown dimension; did you mean \"channel\"?\n");
    EXPECT_EQ(faults(network(tensor({{"feature", 0}}), {layer("r", "relu")})), "x.feature: 0 is out of range\n");
    EXPECT_EQ(faults(network(tensor({{"feature", 2}, {"feature", 2}}), {layer("r", "relu")})),
              "x.feature: named twice\n");
    EXPECT_EQ(faults(network(tensor({{"height", 1'000'000'000}, {"width", 1'000'000'000}}), {layer("r", "relu")})),
              "x: more than 1e+15 elements a sample\n");
}

TEST(ATensor, OfAbsurdSizeIsAFault) {
    const Values wide{{"out", std::int64_t{1'000'000'000}}};
    EXPECT_EQ(faults(network(tensor({{"feature", 10'000'000}}), {layer("a", "linear", wide)})),
              "a: a tensor of 1e+16 elements; at most 1e+15 are allowed\n");
}

TEST(ABlock, WithoutLayersOrWithAnAbsurdRepeatIsAFault) {
    EXPECT_EQ(faults(network(kFeatures, {block("k", 2, {})})), "k: the block k has no layers\n");
    EXPECT_EQ(faults(network(kFeatures, {block("k", 0, {square("a")})})), "k.repeat: 0 is out of range\n");
    EXPECT_EQ(faults(network(kFeatures, {block("k", 1'000'001, {square("a")})})),
              "k.repeat: 1000001 is out of range\n");
}

TEST(ABlock, WithAFaultInsideReportsItOnce) {
    EXPECT_EQ(faults(network(kFeatures, {block("k", 96, {layer("a", "relu", {{"slope", 0.1}})})})),
              "k[1]/a.slope: unknown attribute\n");
}

TEST(Blocks, ThatNestTooDeepOrMakeTooManyLayersAreFaults) {
    Entry nested = square("a");
    for (int depth = 0; depth < 33; ++depth) {
        nested = block("k", 1, {nested});
    }
    EXPECT_EQ(faults(network(kFeatures, {nested})), "k: blocks nest deeper than 32\n");
    nested = square("a");
    for (int depth = 0; depth < 20; ++depth) {
        nested = block("k", 2, {nested});  // 2^20 distinct layers
    }
    EXPECT_EQ(faults(network(kFeatures, {nested})), "more than 20000 distinct layers\n");
    nested = square("a");
    for (int depth = 0; depth < 4; ++depth) {
        nested = block("k", 1'000'000, {nested});
    }
    EXPECT_EQ(faults(network(kFeatures, {nested})), "k: more than 1000000000 instances of the block k\n");
}

}  // namespace faults_test
}  // namespace dodona::graph::test
