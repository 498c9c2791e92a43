// Sparse gradients: a table of 1,000 rows of 16, of which a sample touches four.
#include <gtest/gtest.h>

#include "scenes.hpp"
#include "step/state_sharding.hpp"

namespace dodona::step {
namespace sparse_test {

using test::layer;
using test::network;
using test::small_cluster;
using test::tensor;

constexpr double kElements = 16'000;

graph::Graph look_up(double touched) {
    graph::Graph graph = graph::build(
        network(tensor({{"sequence", 4}}, graph::Element::index),
                {layer("table", "embedding", {{"vocabulary", std::int64_t{1000}}, {"features", std::int64_t{16}}})}));
    graph.layers[graph::test::find(graph, "table")].nest.weights[0].touched = touched;
    return graph;
}

/// Four ranks with two micro-batches of one sample each.
plan::Plan four_ranks() {
    plan::Plan plan;
    plan.strategy = test::strategy("data", {"data"});
    plan.mesh = {{"data", 4}};
    plan.batch = 8;
    plan.precision = Precision::fp32;
    return plan;
}

StageStates states_of(double touched, const plan::Plan& plan, const cluster::Cluster& cluster = small_cluster()) {
    const graph::Graph graph = look_up(touched);
    const CostedGraph costed = cost_graph(graph, cluster, plan, {});
    return stage_states(costed, plan, cut_stages(costed, {}, {}).front(), 2);
}

TEST(SparseGradients, HoldTheRowsThatAllRanksTouchInAStep) {
    const StageStates states = states_of(4 * 16, four_ranks());
    // 2 micro-batches x 4 rows a rank, 4 ranks: 32 rows of 16 fp32 numbers and an index of 8 bytes.
    EXPECT_EQ(states.token.gradients, 32 * (16 * 4 + 8) * 1_B);
    EXPECT_EQ(states.token.weights, kElements * 4 * 1_B);
    EXPECT_EQ(states.token.optimizer, kElements * 8 * 1_B);
    // Adam on 512 elements: 28 bytes each.
    EXPECT_DOUBLE_EQ(states.update_traffic.in(1_B), 512 * 28);
}

TEST(SparseGradients, AreGatheredWhereThatIsFasterThanReducingThemWhole) {
    const StageStates states = states_of(4 * 16, four_ranks());
    ASSERT_EQ(states.transfers.size(), 1U);
    EXPECT_EQ(states.transfers[0].what, StateTransfer::What::rows);
    EXPECT_EQ(states.transfers[0].collective, cluster::Collective::all_gather);
    // Every rank sends 8 rows: 2,304 bytes in all; a ring of four takes 3 steps of a quarter.
    EXPECT_EQ(states.transfers[0].size, 2304 * 1_B);
    EXPECT_NEAR(states.transfers[0].time.time.value.in(unit::second), 3 * (10e-6 + 2304.0 / 4 / 25e9), 1e-15);
}

TEST(SparseGradients, AreReducedWholeWhereThatIsFaster) {
    cluster::Cluster slow = small_cluster();
    slow.levels[0].bandwidth = 0.1 * 1_GB_per_s;
    // 14,000 of 16,000 elements a rank: four times 56 kB and indices against twice 64 kB.
    const StageStates states = states_of(7000, four_ranks(), slow);
    ASSERT_EQ(states.transfers.size(), 1U);
    EXPECT_EQ(states.transfers[0].collective, cluster::Collective::all_reduce);
    EXPECT_EQ(states.token.gradients, kElements * 4 * 1_B);
}

TEST(SparseGradients, OfHalfATableAreReducedWholeOrNotByWhatEitherTakes) {
    cluster::Cluster slow = small_cluster();
    slow.levels[0].bandwidth = 0.1 * 1_GB_per_s;
    slow.levels[0].latency = Seconds{};
    // Rows cross links (4 - 1) times, the whole 2 (4 - 1) / 4: of 4 + 8 / 16 bytes an element against 4, 0.44 of all rows
    // take as long. A rank's two samples touch twice 3,500 or 3,600 of 16,000 elements.
    EXPECT_EQ(states_of(3500, four_ranks(), slow).transfers[0].what, StateTransfer::What::rows);
    EXPECT_EQ(states_of(3600, four_ranks(), slow).transfers[0].what, StateTransfer::What::gradients);
}

TEST(SparseGradients, AreDenseWhereAStepTouchesEverything) {
    const StageStates states = states_of(8000, four_ranks());
    EXPECT_EQ(states.transfers[0].collective, cluster::Collective::all_reduce);
    EXPECT_EQ(states.token.gradients, kElements * 4 * 1_B);
    EXPECT_DOUBLE_EQ(states.update_traffic.in(1_B), kElements * 28);
}

TEST(SparseGradients, AreDenseWhereStatesAreSharded) {
    plan::Plan plan = four_ranks();
    plan.shard = plan::ShardLevel::states;
    const StageStates states = states_of(4 * 16, plan);
    ASSERT_EQ(states.transfers.size(), 2U);
    EXPECT_EQ(states.transfers[0].collective, cluster::Collective::reduce_scatter);
    EXPECT_EQ(states.transfers[0].size, kElements * 4 * 1_B);
}

TEST(SparseGradients, OfASplitTableAreThoseOfItsShare) {
    plan::Plan plan = four_ranks();
    plan.strategy.axes = {"data", "tensor"};
    plan.strategy.rules.resize(1);
    plan.strategy.rules[0].match.kinds = {"embedding"};
    plan.strategy.rules[0].lay = {{"vocabulary", {"tensor"}, {}}};
    plan.mesh = {{"data", 1}, {"tensor", 4}};
    plan.batch = 2;
    // 250 rows a rank; of the eight that its two samples look up it has two. Nothing to reduce.
    const StageStates states = states_of(4 * 16, plan);
    EXPECT_TRUE(states.transfers.empty());
    EXPECT_EQ(states.token.gradients, 2 * (16 * 4 + 8) * 1_B);
}

TEST(RowwiseAdagrad, OnATableUpdatesTouchedRowsOnly) {
    plan::Plan plan = four_ranks();
    plan.optimizer = plan::OptimizerKind::rowwise_adagrad;
    const StageStates states = states_of(4 * 16, plan);
    EXPECT_EQ(states.token.optimizer, 1000 * 4 * 1_B);
    // 32 rows: gradient, weight read and written, 12 bytes an element; the row's state read and written.
    EXPECT_DOUBLE_EQ(states.update_traffic.in(1_B), 512 * 12 + 32 * 8);
}

}  // namespace sparse_test
}  // namespace dodona::step
