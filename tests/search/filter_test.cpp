// What a user fixes and excludes, and what else a search is asked to look at.
#include "search/filter.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "../step/scenes.hpp"
#include "search/space.hpp"

namespace dodona::search {
namespace filter_test {

using step::test::pipelined;
using step::test::small_cluster;
using step::test::small_network;
using step::test::strategy;

Space space_of(std::vector<Constraint> fixed, std::vector<Constraint> excluded) {
    return {.devices = 4,
            .batch = 32,
            .precision = Precision::fp32,
            .strategies = {strategy("data", {"data"}), pipelined()},
            .optimizer = plan::OptimizerKind::momentum,
            .fixed = std::move(fixed),
            .excluded = std::move(excluded),
            .top = 100};
}

Answer found(std::vector<Constraint> fixed, std::vector<Constraint> excluded = {}) {
    return search(small_network(), small_cluster(), space_of(std::move(fixed), std::move(excluded)));
}

TEST(Filter, FixedSizesAreTheOnlyOnes) {
    const Answer answer = found({AxisSize{"pipeline", 2}});
    ASSERT_FALSE(answer.plans.empty());
    for (const step::Prediction& plan : answer.plans) {
        EXPECT_EQ(plan.plan.axis_size("pipeline"), 2);
    }
    EXPECT_LT(answer.counts.configurations, found({}).counts.configurations);
}

TEST(Filter, FixedToOneLeavesStrategiesWithoutTheAxis) {
    const Answer answer = found({AxisSize{"pipeline", 1}});
    EXPECT_TRUE(std::any_of(answer.plans.begin(), answer.plans.end(),
                            [](const step::Prediction& plan) { return plan.plan.strategy.name == "data"; }));
}

TEST(Filter, WordsOfPlansAreKept) {
    for (const step::Prediction& plan : found({MicroBatch{2}, plan::RecomputeKind::full}).plans) {
        EXPECT_EQ(plan.plan.microbatch, 2);
        EXPECT_EQ(plan.plan.recompute, plan::RecomputeKind::full);
    }
    for (const step::Prediction& plan : found({}, {plan::RecomputeKind::none, MicroBatch{8}}).plans) {
        EXPECT_NE(plan.plan.microbatch, 8);
        EXPECT_NE(plan.plan.recompute, plan::RecomputeKind::none);
    }
}

TEST(Filter, ExcludedStrategiesAndSizesAreNotLookedAt) {
    for (const step::Prediction& plan : found({}, {NamedStrategy{"data"}}).plans) {
        EXPECT_EQ(plan.plan.strategy.name, "pipeline");
    }
    for (const step::Prediction& plan : found({}, {AxisSize{"pipeline", 4}}).plans) {
        EXPECT_NE(plan.plan.axis_size("pipeline"), 4);
    }
}

TEST(Filter, ReportsMeaninglessConstraints) {
    const std::vector<plan::Strategy> strategies{pipelined()};
    const auto is = [](Constraint due) { return ReadConstraint(std::move(due)); };
    const auto fault = [](std::string due) { return ReadConstraint(ConstraintFault{std::move(due)}); };
    EXPECT_EQ(axis_constraint("pipeline", "2", strategies), is(AxisSize{"pipeline", 2}));
    EXPECT_EQ(strategy_constraint("pipeline", strategies), is(NamedStrategy{"pipeline"}));
    EXPECT_EQ(setting_constraint(PlanSetting::virtual_stages, "3"), is(VirtualStages{3}));
    EXPECT_EQ(setting_constraint(PlanSetting::schedule, "1f1b"), is(plan::ScheduleKind::one_forward_one_backward));
    EXPECT_EQ(axis_constraint("tensor", "2", strategies),
              fault("none of the strategies searched has an axis tensor; their axes are data, pipeline"));
    EXPECT_EQ(axis_constraint("pipeline", "two", strategies), fault("pipeline is a whole number from 1"));
    EXPECT_EQ(axis_constraint("pipeline", "02", strategies), fault("pipeline is a whole number from 1"));
    EXPECT_EQ(setting_constraint(PlanSetting::microbatch, "0"), fault("microbatch is a whole number from 1"));
    EXPECT_EQ(setting_constraint(PlanSetting::recompute, "modules"),
              ReadConstraint(Constraint(plan::RecomputeKind::layers)));
    EXPECT_EQ(setting_constraint(PlanSetting::recompute, "some"),
              fault("recompute is one of none, selective, layers, full"));
    EXPECT_EQ(setting_constraint(PlanSetting::recompute, "every"),
              fault("recompute is one of none, selective, layers, full"));
    EXPECT_EQ(strategy_constraint("zero9", strategies), fault("zero9 is not one of the strategies searched"));
}

TEST(Vary, PlacementsAreAllOrdersOfAxesInUse) {
    EXPECT_EQ(placements({{"a", 2}, {"b", 1}, {"c", 4}}).size(), 2U);
    EXPECT_EQ(placements({{"a", 2}, {"b", 2}, {"c", 4}}).size(), 6U);
    EXPECT_EQ(placements({{"a", 2}}).front(), (std::vector<plan::MeshAxis>{{"a", 2}}));
}

TEST(Vary, GroupsArePartsOfTheRanksThatShareStates) {
    plan::Plan plan;
    plan.strategy = strategy("data", {"data"});
    plan.mesh = {{"data", 8}};
    EXPECT_EQ(shard_groups(plan), (std::vector<std::int64_t>{0, 2, 4}));
}

TEST(Vary, MoreToLookAtIsNeverWorse) {
    Space space = space_of({}, {});
    const Answer plain = search(small_network(), small_cluster(), space);
    space.vary = {.placement = true, .group = true, .overlap = true};
    const Answer varied = search(small_network(), small_cluster(), space);
    EXPECT_GT(varied.counts.configurations, plain.counts.configurations);
    EXPECT_LE(varied.plans.front().step.value, 1.005 * plain.plans.front().step.value);
}

TEST(Workers, AnyNumberGivesTheSameAnswer) {
    Space space = space_of({}, {});
    space.vary = {.placement = true, .overlap = true};
    space.workers = 1;
    const Answer one = search(small_network(), small_cluster(), space);
    for (const int workers : {2, 3, 8}) {
        space.workers = workers;
        const Answer many = search(small_network(), small_cluster(), space);
        ASSERT_EQ(many.plans.size(), one.plans.size());
        for (std::size_t i = 0; i < one.plans.size(); ++i) {
            EXPECT_EQ(many.plans[i].step.value, one.plans[i].step.value);
            EXPECT_EQ(many.plans[i].plan.mesh, one.plans[i].plan.mesh);
            EXPECT_EQ(many.plans[i].plan.microbatch, one.plans[i].plan.microbatch);
        }
        EXPECT_EQ(many.counts.evaluated, one.counts.evaluated);
    }
}

}  // namespace filter_test
}  // namespace dodona::search
