// Shards that follow from two derivations against those derived for each micro-batch.
#include "plan/mesh_shards.hpp"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "drawn_plan.hpp"

namespace dodona::derivation {
namespace mesh_shards_test {

void expect_equal(const plan::ShardedLayer& a, const plan::ShardedLayer& b) {
    EXPECT_EQ(a.loops, b.loops);
    EXPECT_EQ(a.local.ways, b.local.ways);
    ASSERT_EQ(a.local.loops.size(), b.local.loops.size());
    for (std::size_t i = 0; i < a.local.loops.size(); ++i) {
        EXPECT_DOUBLE_EQ(a.local.loops[i], b.local.loops[i]) << "loop " << i;
    }
    EXPECT_EQ(a.product, b.product);
    EXPECT_EQ(a.output, b.output);
    EXPECT_DOUBLE_EQ(a.output_elements, b.output_elements);
    EXPECT_DOUBLE_EQ(a.transient_elements, b.transient_elements);
    ASSERT_EQ(a.transfers.size(), b.transfers.size());
    for (std::size_t i = 0; i < a.transfers.size(); ++i) {
        EXPECT_EQ(a.transfers[i].transfer.collective, b.transfers[i].transfer.collective);
        EXPECT_EQ(a.transfers[i].transfer.atoms, b.transfers[i].transfer.atoms);
        EXPECT_DOUBLE_EQ(a.transfers[i].transfer.elements, b.transfers[i].transfer.elements);
        EXPECT_EQ(a.transfers[i].times, b.transfers[i].times);
    }
    ASSERT_EQ(a.weights.size(), b.weights.size());
    for (std::size_t i = 0; i < a.weights.size(); ++i) {
        EXPECT_DOUBLE_EQ(a.weights[i].elements, b.weights[i].elements);
        EXPECT_DOUBLE_EQ(a.weights[i].touched, b.weights[i].touched);
    }
    ASSERT_EQ(a.saved.size(), b.saved.size());
    for (std::size_t i = 0; i < a.saved.size(); ++i) {
        EXPECT_EQ(a.saved[i].tensor, b.saved[i].tensor);
        EXPECT_EQ(a.saved[i].sharding, b.saved[i].sharding);
        EXPECT_DOUBLE_EQ(a.saved[i].elements, b.saved[i].elements);
    }
}

TEST(MeshShards, AreThoseThatAreDerivedForEachMicroBatch) {
    int meshes = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
        const drawn::World world = seed % 4 == 0 ? drawn::draw_uneven_world(seed) : drawn::draw_world(seed);
        if (world.space.strategies.empty()) {
            continue;
        }
        drawn::Draw draw(seed);
        const plan::Strategy& strategy = world.space.strategies[draw.below(world.space.strategies.size())];
        const plan::Plan plan = drawn::draw_plan(draw, world, strategy);
        const std::optional<plan::Mesh> mesh = plan::Mesh::of(plan);
        if (!mesh) {
            continue;
        }
        ++meshes;
        plan::MeshShards shards(world.graph, *mesh);
        for (const std::int64_t microbatch : {2, 3, 7, 48, 480, 1026, 5000, 1}) {
            SCOPED_TRACE(world.network + ", " + strategy.name + ", seed " + std::to_string(seed) + ", micro-batch " +
                         std::to_string(microbatch));
            const plan::ShardedGraph expected = plan::shard(world.graph, *mesh, strategy, microbatch);
            const plan::SharedShards found = shards.of(strategy, microbatch);
            EXPECT_EQ(found->microbatch, microbatch);
            EXPECT_EQ(found->data_ways, expected.data_ways);
            EXPECT_EQ(found->limits.size(), expected.limits.size());
            for (std::size_t v = 0; v < expected.layers.size(); ++v) {
                SCOPED_TRACE(world.graph.layer(static_cast<graph::Vertex>(v)).name);
                expect_equal(found->layers[v], expected.layers[v]);
            }
            if (testing::Test::HasFailure()) {
                return;
            }
        }
    }
    EXPECT_GT(meshes, 250);
}

TEST(MeshShards, ThatAreHeldAreNotWrittenAgain) {
    const drawn::World world = drawn::draw_uneven_world(3);
    const plan::Strategy& strategy = world.space.strategies.front();
    plan::Plan plan;
    plan.strategy = strategy;
    plan.mesh = {{"data", 2}};
    plan.fold_axes();
    plan::MeshShards shards(world.graph, plan::Mesh(plan, {}));
    shards.of(strategy, 1);
    const plan::SharedShards held = shards.of(strategy, 2);
    const plan::SharedShards other = shards.of(strategy, 3);
    EXPECT_EQ(held->microbatch, 2);
    EXPECT_EQ(other->microbatch, 3);
}

}  // namespace mesh_shards_test
}  // namespace dodona::derivation
