// Names of frameworks with mechanisms, and what calibration to measured steps explains.
#include "plan/framework.hpp"
#include "plan/plan.hpp"

#include <gtest/gtest.h>

namespace dodona::plan::test {
namespace framework_test {

using Words = std::vector<std::string>;

TEST(AFrameworkReference, IsANameOrAPathAndItsMechanisms) {
    const FrameworkReference plain = framework_reference("megatron-2024");
    EXPECT_EQ(plain.framework, "megatron-2024");
    EXPECT_EQ(plain.mechanisms, Words{});
    const FrameworkReference several = framework_reference("typical+deepep+graphs");
    EXPECT_EQ(several.framework, "typical");
    EXPECT_EQ(several.mechanisms, (Words{"deepep", "graphs"}));
    // A plus in a folder's name is the folder's.
    const FrameworkReference file = framework_reference("c++/mine.yaml+eager");
    EXPECT_EQ(file.framework, "c++/mine.yaml");
    EXPECT_EQ(file.mechanisms, Words{"eager"});
}

TEST(AFramework, IsForeignToMakersThatItWasNotFittedOn) {
    Framework framework;
    EXPECT_FALSE(framework.is_foreign_to(cluster::Maker::amd)) << "not stated";
    framework.fitted_on = {cluster::Maker::nvidia};
    EXPECT_FALSE(framework.is_foreign_to(cluster::Maker::nvidia));
    EXPECT_TRUE(framework.is_foreign_to(cluster::Maker::amd));
    EXPECT_TRUE(framework.is_foreign_to(cluster::Maker::other));
    EXPECT_FALSE(framework.is_foreign_to({})) << "not known";
}

TEST(AFramework, IsBeyondItsFitWhereItsRunsShardLessOrSpreadExpertsLess) {
    Framework framework;
    EXPECT_FALSE(framework.is_beyond_fit(ShardLevel::parameters, 64)) << "not stated";
    framework.fitted_level = ShardLevel::states;
    framework.fitted_expert_nodes = 8;
    EXPECT_FALSE(framework.is_beyond_fit(ShardLevel::none, 1));
    EXPECT_FALSE(framework.is_beyond_fit(ShardLevel::states, 8));
    EXPECT_TRUE(framework.is_beyond_fit(ShardLevel::gradients, 1));
    EXPECT_TRUE(framework.is_beyond_fit(ShardLevel::none, 9));
    framework.add_distance({.name = "other source", .spread = 3}, {.name = "unfamiliar", .spread = 5});
    EXPECT_DOUBLE_EQ(framework.between_sources, 3);
    EXPECT_DOUBLE_EQ(framework.beyond_fit, 4) << "5 as hypot(3, 4)";
}

// Experts over 16 ranks with their tensors over 2 span 32 ranks, 4 nodes of 8; without folds a plan stays on one.
TEST(APlan, SpansTheDomainsOfItsFolds) {
    EXPECT_EQ(domains_of_folds({{.name = "expert", .size = 16}, {.name = "expert_tensor", .size = 2}}, 8), 4);
    EXPECT_EQ(domains_of_folds({{.name = "expert", .size = 4}}, 8), 1);
    EXPECT_EQ(domains_of_folds({}, 8), 1);
}

/// Mechanisms that set the first and the last parameter, and the memory profile.
TEST(AMechanism, ReplacesTheNumbersThatItHasASourceFor) {
    Framework framework;
    framework.name = "software";
    framework.memory = "its own";
    framework.between_sources = 3;
    const FrameworkNumber launch{1e-5, 1e-6, 1e-4, std::nullopt, "a paper"};
    const FrameworkNumber width{0.5, 0.5, 0.5, std::nullopt, "another"};
    Mechanism first{.name = "first", .spread = 4};
    first.numbers.front() = launch;
    first.numbers.back() = width;
    framework.add(first);
    EXPECT_EQ(framework.numbers.front(), launch);
    EXPECT_EQ(framework.numbers.back(), width);
    EXPECT_EQ(framework.numbers[1], neutral_numbers()[1]);
    EXPECT_EQ(framework.memory, "its own");
    EXPECT_DOUBLE_EQ(framework.between_sources, 5) << "independent errors: 3 and 4";
    framework.add({.name = "of memory", .memory = "another"});
    EXPECT_EQ(framework.memory, "another");
    EXPECT_EQ(framework.numbers.front(), launch) << "what has no source changes nothing";
    framework.add({.name = "of attention", .attention_library = cluster::AttentionLibrary::cudnn});
    EXPECT_EQ(framework.attention_library, cluster::AttentionLibrary::cudnn);
    framework.add({.name = "of nothing"});
    EXPECT_EQ(framework.mechanisms, (Words{"first", "of memory", "of attention"}));
    EXPECT_EQ(framework.label(), "software+first+of memory+of attention");
}

// d' E d of two parameters: 2^2 * 3 + 2 * (2 * 5) * 1 + 5^2 * 7 with E = [3 1; 1 7].
TEST(WhatCalibrationExplains, IsAQuadraticFormOfLogParameters) {
    Framework::Observed observed;
    observed.learnt.resize(kFrameworkParameters.size());
    observed.learnt[0] = {3, 1};
    observed.learnt[1] = {1, 7};
    EXPECT_DOUBLE_EQ(observed.explained({2, 5}), 12 + 20 + 175);
    EXPECT_DOUBLE_EQ(observed.explained({2, 0}), 12);
    EXPECT_DOUBLE_EQ(Framework::Observed{}.explained({2, 5}), 0);
}

}  // namespace framework_test
}  // namespace dodona::plan::test
