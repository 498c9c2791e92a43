// Norms of LARS and LAMB that ranks share: three tensors alike for two ranks.
#include "step/split_norms.hpp"

#include <gtest/gtest.h>

#include "cost/collective_time.hpp"
#include "scenes.hpp"
#include "step/predict.hpp"

namespace dodona::step {
namespace split_norms_test {

using namespace dodona::literals;

using test::layer;
using test::network;
using test::small_cluster;
using test::tensor;

graph::Graph chain(std::int64_t layers) {
    std::vector<graph::Entry> entries;
    for (std::int64_t i = 0; i < layers; ++i) {
        entries.push_back(layer("layer" + std::to_string(i), "linear", {{"out", std::int64_t{1024}}, {"bias", false}}));
    }
    return graph::build(network(tensor({{"feature", 1024}}), std::move(entries)));
}

plan::Plan plan_on(std::int64_t ranks) {
    plan::Plan plan;
    plan.strategy = test::strategy("data", {"data", "tensor"});
    plan.mesh = {{"data", ranks}};
    plan.batch = 8;
    plan.precision = Precision::fp32;
    plan.optimizer = plan::OptimizerKind::lamb;
    return plan;
}

std::optional<SplitNorms> norms_of(const plan::Plan& plan, std::int64_t layers = 3) {
    const graph::Graph graph = chain(layers);
    return split_norms(graph, small_cluster(), predict(graph, small_cluster(), plan));
}

TEST(SplitNorms, AreDealtToRanksTheLongestFirst) {
    const std::optional<SplitNorms> one = norms_of(plan_on(2), 1);
    ASSERT_TRUE(one);
    EXPECT_EQ(one->tensors, 1);
    EXPECT_EQ(one->most, one->all) << "one tensor is not split";
    // Two norms, each reads 1024 x 1024 numbers of 4 bytes: 5 us and 4.19 MB at 900 GB/s.
    EXPECT_NEAR(one->all.in(1_us), 2 * (5 + 4 * 1024 * 1024 / 900e3), 1e-9);
    const std::optional<SplitNorms> three = norms_of(plan_on(2));
    ASSERT_TRUE(three);
    EXPECT_EQ(three->tensors, 3);
    EXPECT_EQ(three->ranks, 2);
    EXPECT_NEAR(three->all / one->all, 3, 1e-12);
    EXPECT_NEAR(three->most / one->all, 2, 1e-12);
    EXPECT_NEAR(norms_of(plan_on(4))->most / one->all, 1, 1e-12);
}

TEST(SplitNorms, AreGatheredInOneCollectiveOfAllRanks) {
    // A ring of four: three steps of a quarter of 3 x 2 numbers of 4 bytes.
    const std::optional<SplitNorms> norms = norms_of(plan_on(4));
    ASSERT_TRUE(norms);
    EXPECT_NEAR(norms->gather.in(unit::second), 3 * (10e-6 + 3 * 2 * 4 / 4 / 25e9), 1e-15);
}

TEST(SplitNorms, AreOfDataParallelismWithNormsAlone) {
    plan::Plan plan = plan_on(2);
    EXPECT_TRUE(norms_of(plan));
    plan.optimizer = plan::OptimizerKind::lars;
    EXPECT_TRUE(norms_of(plan));
    plan.optimizer = plan::OptimizerKind::adam;
    EXPECT_FALSE(norms_of(plan)) << "takes no norms";
    EXPECT_FALSE(norms_of(plan_on(1))) << "there is nobody to share them with";
    plan = plan_on(2);
    plan.shard = plan::ShardLevel::states;
    EXPECT_FALSE(norms_of(plan)) << "every rank has its own share already";
    plan = plan_on(2);
    plan.strategy.rules.resize(1);
    plan.strategy.rules[0].lay = {{"out_feature", {"tensor"}, {}}};
    plan.mesh = {{"data", 2}, {"tensor", 2}};
    EXPECT_FALSE(norms_of(plan)) << "ranks hold different weights";
}

}  // namespace split_norms_test
}  // namespace dodona::step
