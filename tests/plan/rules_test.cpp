// Rules of a strategy: which layer they match, when they end, what they lay.
#include <gtest/gtest.h>

#include "meshes.hpp"
#include "plan/rules.hpp"
#include "tests/graph/networks.hpp"

namespace dodona::plan::test {
namespace rules_test {

using graph::Graph;
using graph::test::find;
using graph::test::layer;
using graph::test::network;
using graph::test::tensor;

Rule rule(Match match, std::vector<Lay> lay) {
    Rule made;
    made.match = std::move(match);
    made.lay = std::move(lay);
    return made;
}

Rule while_wide(std::vector<Lay> lay) {
    Rule made = rule({}, std::move(lay));
    made.condition = Expression::parse("extent/ways >= window", {});
    return made;
}

/// Images of 32, halved twice: extents of outputs 32, 16, 16, 8, then features.
Graph images() {
    using std::int64_t;
    const auto conv = [](const std::string& name, int64_t filters, int64_t kernel, int64_t stride) {
        return layer(name, "conv", {{"filters", filters}, {"kernel", kernel}, {"stride", stride}, {"pad", kernel / 2}});
    };
    return graph::build(
        network(tensor({{"channel", 3}, {"height", 32}, {"width", 32}}),
                {conv("stem", 8, 3, 1), conv("down", 10, 5, 2), conv("body", 8, 3, 1), conv("last", 8, 3, 2),
                 layer("flatten", "flatten"), layer("classifier", "linear", {{"out", int64_t{10}}})}));
}

/// Assigns the layers of a graph in order and remembers how loops were laid.
class Assigned {
public:
    Assigned(const Graph& graph, const Strategy& strategy, const Mesh& mesh)
        : graph_(graph), mesh_(mesh), book_(strategy, mesh) {
        for (graph::Vertex v = 0; v < graph.layers.size(); ++v) {
            assignments_.emplace(graph.layer(v).name, book_.assign(graph.layer(v), limits_));
        }
    }

    /// Ways that a dimension of a layer is split; 0 if it has no such dimension.
    [[nodiscard]] std::int64_t ways(const std::string& name, const std::string& dimension) const {
        const int loop = graph_.layer(find(graph_, name)).nest.loop(dimension);
        return loop == graph::kNoLoop ? 0 : mesh_.ways(assignments_.at(name).loops[static_cast<std::size_t>(loop)]);
    }
    [[nodiscard]] const Rule* rule(const std::string& name) const { return assignments_.at(name).rule; }
    [[nodiscard]] const std::vector<Limit>& limits() const { return limits_; }
    [[nodiscard]] const RuleBook& book() const { return book_; }

private:
    const Graph& graph_;
    const Mesh& mesh_;
    RuleBook book_;
    std::vector<Limit> limits_;
    std::map<std::string, Assignment> assignments_;
};

TEST(TheRules, ApplyTheFirstThatMatches) {
    const Graph graph = images();
    const Mesh mesh = mesh_of({{"a", 2}, {"b", 4}});
    Strategy strategy;
    strategy.rules = {rule({.names = {"d*"}}, {{"filter", {"a"}}}), rule({.kinds = {"conv"}}, {{"filter", {"b"}}})};
    const Assigned assigned(graph, strategy, mesh);
    EXPECT_EQ(assigned.ways("stem", "filter"), 4);
    EXPECT_EQ(assigned.ways("down", "filter"), 2);
    EXPECT_EQ(assigned.rule("down"), strategy.rules.data());
    EXPECT_EQ(assigned.rule("classifier"), nullptr);
}

TEST(TheRules, LeaveALayerWithoutTheirDimensionsToLaterOnes) {
    const Graph graph = images();
    const Mesh mesh = mesh_of({{"a", 2}});
    Strategy strategy;
    strategy.rules = {rule({}, {{"filter", {"a"}}}), rule({}, {{"out_feature", {"a"}}})};
    const Assigned assigned(graph, strategy, mesh);
    EXPECT_EQ(assigned.ways("classifier", "out_feature"), 2);
    EXPECT_EQ(assigned.rule("flatten"), nullptr);
}

TEST(TheRules, ThatLayNothingStillMatch) {
    const Graph graph = images();
    const Mesh mesh = mesh_of({{"a", 2}});
    Strategy strategy;
    strategy.rules = {rule({.kinds = {"conv"}, .first = true}, {}), rule({.kinds = {"conv"}}, {{"channel", {"a"}}})};
    const Assigned assigned(graph, strategy, mesh);
    EXPECT_EQ(assigned.ways("stem", "channel"), 1);
    EXPECT_EQ(assigned.ways("down", "channel"), 2);
}

TEST(TheRules, MatchFirstLayersByWhetherAnythingBeforeThemIsTrained) {
    const Graph graph = images();
    const Mesh mesh = mesh_of({{"a", 2}});
    Strategy strategy;
    strategy.rules = {rule({.first = false}, {{"filter", {"a"}}})};
    const Assigned assigned(graph, strategy, mesh);
    EXPECT_EQ(assigned.ways("stem", "filter"), 1);
    EXPECT_EQ(assigned.ways("body", "filter"), 2);
}

// Four ways: 32/4 >= 3 holds; 16/4 = 4 >= 5 does not; 16/4 >= 3 would hold again for `body`, but the split has ended.
TEST(ACondition, OnceFalseEndsItsRuleForAllLaterLayers) {
    const Graph graph = images();
    const Mesh mesh = mesh_of({{"spatial", 4}});
    Strategy strategy;
    strategy.rules = {while_wide({{"height", {"spatial"}}})};
    const Assigned assigned(graph, strategy, mesh);
    EXPECT_EQ(assigned.ways("stem", "height"), 4);
    EXPECT_EQ(assigned.ways("down", "height"), 1);
    EXPECT_EQ(assigned.ways("body", "height"), 1);
}

// Windows of 9 x 1 and 1 x 9 on 16 x 16: only the dimension along which the window is 1 has enough of it, 16/4, for the rest.
TEST(ACondition, CountsTheWindowAlongItsOwnDimension) {
    const auto ways = [](const std::string& dimension, std::vector<std::int64_t> kernel) {
        const Graph graph = graph::build(
            network(tensor({{"channel", 4}, {"height", 16}, {"width", 16}}),
                    {layer("conv", "conv", {{"filters", std::int64_t{4}}, {"kernel", std::move(kernel)}})}));
        const Mesh mesh = mesh_of({{"spatial", 4}});
        Strategy strategy;
        strategy.rules = {while_wide({{dimension, {"spatial"}}})};
        return Assigned(graph, strategy, mesh).ways("conv", dimension);
    };
    EXPECT_EQ(ways("height", {9, 1}), 1);
    EXPECT_EQ(ways("width", {9, 1}), 4);
    EXPECT_EQ(ways("height", {1, 9}), 4);
    EXPECT_EQ(ways("width", {1, 9}), 1);
    EXPECT_EQ(ways("filter", {9, 9}), 4) << "no window slides along filters";
}

// Windows of 5 that move by 2 on the result: ceil(5 / 2) = 3 inputs reach one output. 12 over 4 are 3 each; 8 over 4 are 2.
TEST(ACondition, CountsTheInputsOfOneOutputWhereWindowsLieOnTheResult) {
    const auto up = [](std::int64_t extent) {
        const Graph graph = graph::build(
            network(tensor({{"channel", 4}, {"height", extent}, {"width", extent}}),
                    {layer("up", "conv_transpose",
                           {{"filters", std::int64_t{4}}, {"kernel", std::int64_t{5}}, {"stride", std::int64_t{2}}})}));
        const Mesh mesh = mesh_of({{"spatial", 4}});
        Strategy strategy;
        strategy.rules = {while_wide({{"height", {"spatial"}}})};
        return Assigned(graph, strategy, mesh).ways("up", "height");
    };
    EXPECT_EQ(up(12), 4);
    EXPECT_EQ(up(8), 1);
}

// Sixteen ways: 32/16 >= 3 does not hold for the first convolution. Four ways hold there and end at the second.
TEST(ACondition, ThatFailsBeforeAnythingIsLaidIsNamedForItsAxisOnly) {
    const Graph graph = images();
    Strategy strategy;
    strategy.rules = {while_wide({{"height", {"spatial"}}}), rule({.kinds = {"linear"}}, {{"out_feature", {"a"}}})};
    const Mesh sixteen = mesh_of({{"a", 2}, {"spatial", 16}});
    const std::optional<LayerName> ended = Assigned(graph, strategy, sixteen).book().ended_at("spatial");
    ASSERT_TRUE(ended.has_value());
    EXPECT_EQ(ended->name, "stem");
    EXPECT_FALSE(Assigned(graph, strategy, sixteen).book().ended_at("a").has_value());
    const Mesh four = mesh_of({{"a", 2}, {"spatial", 4}});
    EXPECT_FALSE(Assigned(graph, strategy, four).book().ended_at("spatial").has_value());
}

TEST(ACondition, EndsOnlyItsOwnRule) {
    const Graph graph = images();
    const Mesh mesh = mesh_of({{"spatial", 4}});
    Strategy strategy;
    strategy.rules = {while_wide({{"height", {"spatial"}}}), rule({.kinds = {"conv"}}, {{"filter", {"spatial"}}})};
    const Assigned assigned(graph, strategy, mesh);
    EXPECT_EQ(assigned.ways("stem", "filter"), 1);
    EXPECT_EQ(assigned.ways("body", "filter"), 4);
}

TEST(WhatLiesEverywhere, IsAddedToRulesAndToLayersWithoutOne) {
    const Graph graph = images();
    const Mesh mesh = mesh_of({{"filter", 2}, {"data", 4}});
    Strategy strategy;
    strategy.everywhere = {{"batch", {"data"}}};
    strategy.rules = {rule({.kinds = {"conv"}}, {{"filter", {"filter"}}})};
    const Assigned assigned(graph, strategy, mesh);
    EXPECT_EQ(assigned.ways("stem", "batch"), 4);
    EXPECT_EQ(assigned.ways("stem", "filter"), 2);
    EXPECT_EQ(assigned.ways("classifier", "batch"), 4);
    EXPECT_EQ(mesh.ways(assigned.book().batch_atoms()), 4);
}

TEST(WhatLiesEverywhere, GivesWayToARuleThatTakesItsAxis) {
    const Graph graph = images();
    const Mesh mesh = mesh_of({{"data", 4}});
    Strategy strategy;
    strategy.everywhere = {{"batch", {"data"}}};
    strategy.rules = {rule({.kinds = {"linear"}}, {{"out_feature", {"data"}}})};
    const Assigned assigned(graph, strategy, mesh);
    EXPECT_EQ(assigned.ways("stem", "batch"), 4);
    EXPECT_EQ(assigned.ways("classifier", "batch"), 1);
    EXPECT_EQ(assigned.ways("classifier", "out_feature"), 4);
}

TEST(ARule, LaysAnAxisOnceWhereTwoOfItsNamesShareRanks) {
    const Graph graph = images();
    Plan plan = plan_on({{"data", 8}});
    plan.folds = {{.name = "expert", .of = {"data"}, .size = 2}};
    const Mesh mesh(plan, Location{});
    Strategy strategy;
    strategy.rules = {rule({.kinds = {"linear"}}, {{"out_feature", {"expert"}}, {"batch", {"data"}}})};
    const Assigned assigned(graph, strategy, mesh);
    EXPECT_EQ(assigned.ways("classifier", "out_feature"), 2);
    EXPECT_EQ(assigned.ways("classifier", "batch"), 4);
}

TEST(ARuleBook, KnowsRulesThatMatchedNothing) {
    const Graph graph = images();
    const Mesh mesh = mesh_of({{"a", 2}});
    Strategy strategy;
    strategy.rules = {rule({.kinds = {"conv"}}, {{"filter", {"a"}}}), rule({.roles = {"row"}}, {{"filter", {"a"}}})};
    const Assigned assigned(graph, strategy, mesh);
    ASSERT_EQ(assigned.book().unused().size(), 1u);
    EXPECT_EQ(assigned.book().unused()[0], &strategy.rules[1]);
}

TEST(ALimit, IsTouchedByAnUnevenSplitAndBrokenByTooManyWays) {
    const Graph graph = images();
    const Mesh four = mesh_of({{"a", 4}});
    Strategy strategy;
    strategy.rules = {rule({.names = {"down"}}, {{"filter", {"a"}}})};
    const std::vector<Limit> uneven = Assigned(graph, strategy, four).limits();
    ASSERT_EQ(uneven.size(), 1u);
    EXPECT_EQ(text(uneven[0]), "filter 10 of layer down divides unevenly 4 ways: the largest shard has 3");
    EXPECT_FALSE(uneven[0].broken());

    const Mesh sixteen = mesh_of({{"a", 16}});
    const std::vector<Limit> broken = Assigned(graph, strategy, sixteen).limits();
    ASSERT_EQ(broken.size(), 1u);
    EXPECT_EQ(text(broken[0]), "filter <= 10: layer down (conv) cannot be split further");
    EXPECT_TRUE(broken[0].broken());
}

TEST(APattern, MatchesAnyRunOfCharactersAtAStar) {
    EXPECT_TRUE(matches_pattern("layers[2..96]/mlp/up", "*/mlp/*"));
    EXPECT_TRUE(matches_pattern("up", "up"));
    EXPECT_TRUE(matches_pattern("", "*"));
    EXPECT_TRUE(matches_pattern("aXbXb", "a*b"));
    EXPECT_TRUE(matches_pattern("abc", "***c"));
    EXPECT_FALSE(matches_pattern("up", "u"));
    EXPECT_FALSE(matches_pattern("up", ""));
    EXPECT_FALSE(matches_pattern("layers/up", "up"));
    EXPECT_FALSE(matches_pattern("ab", "a*bc"));
}

}  // namespace rules_test
}  // namespace dodona::plan::test
