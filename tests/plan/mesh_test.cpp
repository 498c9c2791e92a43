// The mesh: named axes over atoms, folds and sharding groups that cut them.
#include <gtest/gtest.h>

#include <bit>

#include "meshes.hpp"

namespace dodona::plan::test {
namespace mesh_test {

using Strides = std::vector<cluster::Group::Stride>;

TEST(AMesh, OrdersRanksWithTheFirstAxisInnermost) {
    const Mesh mesh = mesh_of({{"tensor", 8}, {"data", 16}, {"pipeline", 4}});
    EXPECT_EQ(mesh.devices(), 512);
    EXPECT_EQ(mesh.group(mesh.axis("tensor")).strides, (Strides{{1, 8}}));
    EXPECT_EQ(mesh.group(mesh.axis("data")).strides, (Strides{{8, 16}}));
    EXPECT_EQ(mesh.group(mesh.axis("pipeline")).strides, (Strides{{128, 4}}));  // 8 * 16 ranks to a stage
}

TEST(AMesh, JoinsAxesThatLieSideBySideIntoOneStride) {
    const Mesh mesh = mesh_of({{"tensor", 8}, {"data", 16}, {"pipeline", 4}});
    EXPECT_EQ(mesh.group(mesh.axes({"tensor", "data"})).strides, (Strides{{1, 128}}));
    EXPECT_EQ(mesh.group(mesh.axes({"pipeline", "tensor"})).strides, (Strides{{1, 8}, {128, 4}}));
}

TEST(AMesh, HasNoAtomsForAnAxisOfSizeOneOrOneThatItLacks) {
    const Mesh mesh = mesh_of({{"tensor", 1}, {"data", 16}});
    EXPECT_EQ(mesh.axis("tensor"), Atoms{0});
    EXPECT_EQ(mesh.axis("expert"), Atoms{0});
    EXPECT_EQ(mesh.ways(mesh.axis("tensor")), 1);
}

TEST(AMesh, NamesTheAxesOfAtomsInItsOwnOrder) {
    const Mesh mesh = mesh_of({{"tensor", 2}, {"data", 4}});
    EXPECT_EQ(mesh.names(mesh.axes({"data", "tensor"})), (std::vector<std::string>{"tensor", "data"}));
    EXPECT_TRUE(mesh.names(0).empty());
}

TEST(AFold, UsesTheInnermostRanksOfItsAxesAndAddsNoDevice) {
    Plan plan = plan_on({{"tensor", 2}, {"data", 16}});
    plan.folds = {{.name = "expert", .of = {"data"}, .size = 4}};
    const Mesh mesh(plan, Location{});
    EXPECT_EQ(mesh.devices(), 32);
    EXPECT_EQ(mesh.ways(mesh.axis("expert")), 4);
    EXPECT_EQ(mesh.group(mesh.axis("expert")).strides, (Strides{{2, 4}}));  // neighbours on data, whose stride is 2
    EXPECT_EQ(mesh.group(mesh.axis("data")).strides, (Strides{{2, 16}}));
    EXPECT_EQ(mesh.names(mesh.axis("expert")), (std::vector<std::string>{"data"}));
    // What is left of data: 16 / 4 ranks that hold the same experts, 2 * 4 apart.
    const Atoms rest = mesh.axis("data") & ~mesh.axis("expert");
    EXPECT_EQ(mesh.group(rest).strides, (Strides{{8, 4}}));
}

// Tensor 4 on both; experts take what expert-tensor 2 leaves: the other 2 of tensor and 4 of data.
TEST(AFold, MayLeaveOutWhatAnotherTakes) {
    Plan plan = plan_on({{"tensor", 4}, {"data", 8}});
    plan.folds = {{.name = "expert_tensor", .of = {"tensor"}, .size = 2},
                  {.name = "expert", .of = {"tensor", "data"}, .size = 8, .apart_from = "expert_tensor"}};
    const Mesh mesh(plan, Location{});
    EXPECT_EQ(mesh.group(mesh.axis("expert_tensor")).strides, (Strides{{1, 2}}));
    EXPECT_EQ(mesh.group(mesh.axis("expert")).strides, (Strides{{2, 8}}));
    EXPECT_EQ(mesh.axis("expert") & mesh.axis("expert_tensor"), Atoms{0});
    EXPECT_EQ(mesh.devices(), 32);
}

TEST(AFold, OfAStrategyLeavesTheMesh) {
    Plan plan = plan_on({{"data", 8}, {"expert", 4}});
    plan.strategy.folds = {{"expert_tensor", {"tensor"}, {}}, {"expert", {"tensor", "data"}, "expert_tensor"}};
    plan.fold_axes();
    EXPECT_EQ(plan.devices(), 8);
    ASSERT_EQ(plan.folds.size(), 1u);
    EXPECT_FALSE(plan.folds[0].apart_from) << "there is no expert_tensor to be apart from";
    const Mesh mesh(plan, Location{});
    EXPECT_EQ(mesh.group(mesh.axis("expert")).strides, (Strides{{1, 4}}));
}

// The first axis of `of` is used up first: context 2, then 8 / 2 = 4 ranks of data.
TEST(AFold, OfTwoAxesTakesAllOfTheFirstBeforeItCutsTheSecond) {
    Plan plan = plan_on({{"context", 2}, {"data", 16}});
    plan.folds = {{.name = "expert", .of = {"context", "data"}, .size = 8}};
    const Mesh mesh(plan, Location{});
    EXPECT_EQ(mesh.group(mesh.axis("expert")).strides, (Strides{{1, 8}}));
    EXPECT_EQ(mesh.axis("expert") & mesh.axis("context"), mesh.axis("context"));
}

TEST(AFold, OfTwoAxesBeginsWithTheOneThatIsNamedFirst) {
    Plan plan = plan_on({{"inner", 2}, {"outer", 4}});
    plan.folds = {{.name = "expert", .of = {"outer", "inner"}, .size = 4}};
    const Mesh mesh(plan, Location{});
    EXPECT_EQ(mesh.axis("expert"), mesh.axis("outer"));
    EXPECT_EQ(mesh.group(mesh.axis("expert")).strides, (Strides{{2, 4}}));
}

TEST(AFold, WithoutASizeTakesAllOfItsAxes) {
    Plan plan = plan_on({{"context", 2}, {"data", 6}});
    plan.folds = {{.name = "expert", .of = {"context", "data"}}};
    const Mesh mesh(plan, Location{});
    EXPECT_EQ(mesh.axis("expert"), mesh.axes({"context", "data"}));
}

TEST(AFold, OfOneRankTakesNone) {
    Plan plan = plan_on({{"data", 16}});
    plan.folds = {{.name = "expert", .of = {"data"}, .size = 1}};
    const Mesh mesh(plan, Location{});
    EXPECT_EQ(mesh.axis("expert"), Atoms{0});
    EXPECT_EQ(mesh.devices(), 16);
}

// 2 of 24 ranks, and 8 of the same 24: atoms of 2, 4 and 3.
TEST(TwoFolds, MayCutOneAxisTwice) {
    Plan plan = plan_on({{"data", 24}});
    plan.folds = {{.name = "inner", .of = {"data"}, .size = 2}, {.name = "outer", .of = {"data"}, .size = 8}};
    const Mesh mesh(plan, Location{});
    EXPECT_EQ(std::popcount(mesh.axis("data")), 3);
    EXPECT_EQ(mesh.ways(mesh.axis("inner")), 2);
    EXPECT_EQ(mesh.ways(mesh.axis("outer")), 8);
    EXPECT_EQ(mesh.axis("inner") & mesh.axis("outer"), mesh.axis("inner"));
}

// The same mesh with and without folds: data 8 after tensor 2 is one atom, or atoms of 2 and 4.
TEST(AMesh, KnowsAtomsOfACoarserOne) {
    Plan plan = plan_on({{"tensor", 2}, {"data", 8}, {"pipeline", 3}});
    const Mesh coarse(plan, Location{});
    plan.folds = {{.name = "expert", .of = {"data"}, .size = 2}};
    const Mesh fine(plan, Location{});
    ASSERT_EQ(std::popcount(fine.axis("data")), 2);
    for (const char* axis : {"tensor", "data", "pipeline"}) {
        EXPECT_EQ(fine.refined(coarse, coarse.axis(axis)), fine.axis(axis)) << axis;
    }
    EXPECT_EQ(fine.refined(coarse, coarse.axes({"tensor", "pipeline"})), fine.axes({"tensor", "pipeline"}));
}

TEST(TwoFolds, MustNest) {
    Plan plan = plan_on({{"data", 24}});
    plan.folds = {{.name = "a", .of = {"data"}, .size = 4}, {.name = "b", .of = {"data"}, .size = 6}};
    EXPECT_EQ(fault_of(plan), "folds and sharding cut axis \"data\" at 4 and 6, which do not nest");
}

TEST(AFold, MustDivideItsAxes) {
    Plan plan = plan_on({{"data", 16}});
    plan.folds = {{.name = "expert", .of = {"data"}, .size = 3}};
    EXPECT_EQ(fault_of(plan), "fold \"expert\" of 3 ranks does not divide the axes data evenly");
    plan.folds[0].size = 32;
    EXPECT_EQ(fault_of(plan), "fold \"expert\" of 32 ranks does not divide the axes data evenly");
}

TEST(AShardingGroup, CutsTheAxesOverWhichStatesAreSharded) {
    Plan plan = plan_on({{"tensor", 2}, {"data", 16}});
    plan.strategy.shard_axes = {"data"};
    plan.shard_group = 4;
    const Mesh mesh(plan, Location{});
    EXPECT_EQ(mesh.devices(), 32);
    const Atoms group = mesh.shard_atoms(mesh.axis("data"));
    EXPECT_EQ(mesh.group(group).strides, (Strides{{2, 4}}));
    EXPECT_EQ(mesh.ways(mesh.axis("data") & ~group), 4);
}

TEST(AShardingGroup, OfTwoAxesTakesTheInnerOneFirst) {
    Plan plan = plan_on({{"context", 2}, {"tensor", 8}, {"data", 16}});
    plan.strategy.shard_axes = {"data", "context"};
    plan.shard_group = 8;
    const Mesh mesh(plan, Location{});
    const Atoms group = mesh.shard_atoms(mesh.axes({"data", "context"}));
    EXPECT_EQ(mesh.group(group).strides, (Strides{{1, 2}, {16, 4}}));
}

TEST(AShardingGroup, OfOneRankShardsNothing) {
    Plan plan = plan_on({{"data", 16}});
    plan.strategy.shard_axes = {"data"};
    plan.shard_group = 1;
    const Mesh mesh(plan, Location{});
    EXPECT_EQ(mesh.shard_atoms(mesh.axis("data")), Atoms{0});
}

TEST(AShardingGroup, IsAllOfTheAxesUnlessAPlanSaysOtherwise) {
    const Mesh mesh = mesh_of({{"data", 16}});
    EXPECT_EQ(mesh.shard_atoms(mesh.axis("data")), mesh.axis("data"));
}

TEST(AShardingGroup, MustDivideItsAxes) {
    Plan plan = plan_on({{"data", 16}});
    plan.strategy.shard_axes = {"data"};
    plan.shard_group = 5;
    EXPECT_EQ(fault_of(plan), "a sharding group of 5 ranks does not divide the axes data evenly");
}

}  // namespace mesh_test
}  // namespace dodona::plan::test
