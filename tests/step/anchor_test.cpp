// Parameters moved to what was observed.
#include "step/anchor.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "scenes.hpp"
#include "step/predict.hpp"

namespace dodona::step {
namespace anchor_test {

using plan::FrameworkParameter;
using test::small_cluster;
using test::small_network;
using test::strategy;

constexpr Seconds seconds(double value) { return Seconds::of_base(value); }

/// A step that is linear in log parameters: T = 10 s x matmul^0.6 x stream^0.4, of which both may be off.
std::vector<Observation> linear(const plan::Framework& framework, double measured) {
    Observation observation{.uncertainty = {.sources = {}, .spread = framework.spread},
                            .predicted = seconds(10 * std::pow(framework[FrameworkParameter::matmul], 0.6) *
                                                 std::pow(framework[FrameworkParameter::stream], 0.4)),
                            .measured = seconds(measured)};
    const auto source = [&](cost::ErrorSource which) -> SourceError& {
        return observation.uncertainty.sources[static_cast<std::size_t>(which)];
    };
    source(cost::ErrorSource::matmul) = {.share = 0.6, .below = 0.1 * kNormal90, .above = 0.1 * kNormal90};
    source(cost::ErrorSource::stream) = {.share = 0.4, .below = 0.3 * kNormal90, .above = 0.3 * kNormal90};
    return {observation};
}

TEST(Anchored, OneRunMovesParametersByTheirVariances) {
    // theta_k = sigma_k^2 s_k r / (sum_j sigma_j^2 s_j^2 + rho^2): sum = 0.0036 + 0.0144 + 0.000625 = 0.018625.
    const plan::Framework neutral;
    const plan::Framework moved =
        anchored(neutral, [](const plan::Framework& framework) { return linear(framework, 12); });
    const double r = std::log(1.2);
    EXPECT_NEAR(std::log(moved[FrameworkParameter::matmul]), 0.01 * 0.6 * r / 0.018625, 1e-9);
    EXPECT_NEAR(std::log(moved[FrameworkParameter::stream]), 0.09 * 0.4 * r / 0.018625, 1e-9);
    ASSERT_TRUE(moved.observed);
    EXPECT_EQ(moved.observed->runs, 1);
    EXPECT_NEAR(moved.observed->missed_before, r, 1e-12);
    EXPECT_NEAR(moved.observed->missed_after, r * 0.000625 / 0.018625, 1e-9);
    // What was learnt of this very step: S^2 / (S + rho^2) of S = 0.018.
    plan::Framework::ByParameter shares{};
    shares[static_cast<std::size_t>(FrameworkParameter::matmul)] = 0.6;
    shares[static_cast<std::size_t>(FrameworkParameter::stream)] = 0.4;
    EXPECT_NEAR(moved.observed->explained(shares), 0.018 * 0.018 / 0.018625, 1e-12);
}

TEST(Anchored, WhatAJobSharesMovesAllTimesAlike) {
    // Nothing but the spread is uncertain: tau^2 = (1 - kLayoutPart) 0.04, rho^2 = kLayoutPart 0.04 + 0.000625.
    plan::Framework framework;
    framework.spread = 0.2;
    const plan::Framework moved = anchored(framework, [](const plan::Framework& now) {
        std::vector<Observation> found = linear(now, 12);
        for (SourceError& source : found.front().uncertainty.sources) {
            source.below = source.above = 0;
        }
        return found;
    });
    const double shared = (1 - kLayoutPart) * 0.04;
    const double theta = std::log(1.2) * shared / (0.04 + kRepeat * kRepeat);
    EXPECT_NEAR(std::log(moved[FrameworkParameter::matmul]), theta, 1e-9);
    EXPECT_NEAR(std::log(moved[FrameworkParameter::collective]), theta, 1e-9) << "a time that the run has nothing of";
    EXPECT_EQ(moved[FrameworkParameter::stragglers], framework[FrameworkParameter::stragglers]) << "no time";
}

TEST(Anchored, AStepTellsHowItsSourceDiffers) {
    // Nothing but what a source shares is uncertain: tau^2 = (1 - kLayoutPart) 0.04; the rest of 0.04 is the run's own.
    plan::Framework framework;
    framework.between_sources = 0.2;
    const plan::Framework moved = anchored(framework, [](const plan::Framework& now) {
        std::vector<Observation> found = linear(now, 12);
        found.front().uncertainty = {.sources = {}, .between_sources = 0.2};
        found.front().uncertainty.sources[static_cast<std::size_t>(cost::ErrorSource::matmul)].share = 1;
        return found;
    });
    const double tau = (1 - kLayoutPart) * 0.04;
    const double theta = std::log(1.2) * tau / (0.04 + kRepeat * kRepeat);
    EXPECT_NEAR(std::log(moved[FrameworkParameter::collective]), theta, 1e-9);
    Uncertainty shared;
    shared.between_sources = 0.2;
    shared.sources[static_cast<std::size_t>(cost::ErrorSource::matmul)].share = 1;
    const Estimate before = interval(shared, seconds(10), framework);
    const Estimate after = interval(shared, seconds(10), moved);
    EXPECT_NEAR((after.hi - after.value) / (before.hi - before.value),
                std::sqrt(1 - tau * tau / (0.04 + kRepeat * kRepeat) / 0.04), 1e-9);
}

TEST(Anchored, NoRunMovesAnErrorFurtherThanErrorsAre) {
    // A thousand times as long as predicted: something else was wrong.
    const plan::Framework moved =
        anchored({}, [](const plan::Framework& framework) { return linear(framework, 10'000); });
    EXPECT_NEAR(std::log(moved[FrameworkParameter::stream]), kMostMoved * 0.3, 1e-9);
    plan::Framework bounded;
    bounded.number(FrameworkParameter::stream).bounds = {0.9, 1.3};
    const plan::Framework inside =
        anchored(bounded, [](const plan::Framework& framework) { return linear(framework, 10'000); });
    EXPECT_EQ(inside[FrameworkParameter::stream], 1.3);
}

TEST(Anchored, StepsThatWereRightMoveNothingAndNarrowTheInterval) {
    const plan::Framework neutral;
    const plan::Framework moved =
        anchored(neutral, [](const plan::Framework& framework) { return linear(framework, 10); });
    EXPECT_EQ(moved.numbers, neutral.numbers);
    const Uncertainty same = linear(neutral, 10).front().uncertainty;
    const Estimate before = interval(same, seconds(10), neutral);
    const Estimate after = interval(same, seconds(10), moved);
    // Of the variance S = 0.018 is left S rho^2 / (S + rho^2).
    const double left = std::sqrt(0.000625 / 0.018625);
    EXPECT_NEAR((after.hi - after.value) / (before.hi - before.value), left, 1e-9);
    EXPECT_NEAR((after.value - after.lo) / (before.value - before.lo), left, 1e-9);
}

TEST(Anchored, ManyRunsTellParametersApart) {
    // Streams take half as long again, in steps that are mostly streams and steps that hardly have any; both products
    // and streams are uncertain by 40 %.
    const auto step = [](const plan::Framework& framework, double stream) {
        return 10 * std::pow(framework[FrameworkParameter::matmul], 1 - stream) *
               std::pow(framework[FrameworkParameter::stream], stream);
    };
    plan::Framework truth;
    truth.number(FrameworkParameter::stream).value = 1.5;
    const plan::Framework moved = anchored({}, [&](const plan::Framework& framework) {
        std::vector<Observation> found;
        for (const double stream : {0.1, 0.3, 0.5, 0.7, 0.9}) {
            Observation one{.uncertainty = {},
                            .predicted = seconds(step(framework, stream)),
                            .measured = seconds(step(truth, stream))};
            const double width = 0.4 * kNormal90;
            one.uncertainty.sources[static_cast<std::size_t>(cost::ErrorSource::matmul)] = {1 - stream, width, width};
            one.uncertainty.sources[static_cast<std::size_t>(cost::ErrorSource::stream)] = {stream, width, width};
            found.push_back(one);
        }
        return found;
    });
    EXPECT_EQ(moved.observed->runs, 5);
    EXPECT_NEAR(moved[FrameworkParameter::stream], 1.5, 0.01);
    EXPECT_NEAR(moved[FrameworkParameter::matmul], 1, 0.01);
    EXPECT_NEAR(moved.observed->missed_after, 0, 0.005);
}

TEST(Anchored, StepsOfAPlanArePredictedAnewUntilTheyFit) {
    // A whole prediction, which no power law describes: what was observed is nearly met where much is uncertain.
    plan::Framework believed;
    believed.number(FrameworkParameter::stream).lo = 0.1;
    believed.number(FrameworkParameter::stream).hi = 10;
    const auto predicted = [](const plan::Framework& framework) {
        plan::Plan plan;
        plan.strategy = strategy("data", {"data"});
        plan.mesh = {{"data", 2}};
        plan.batch = 4096;
        plan.microbatch = 2048;
        plan.precision = Precision::fp32;
        plan.framework = framework;
        return predict(small_network(), small_cluster(), plan);
    };
    const Seconds measured = 1.1 * predicted(believed).step.value;
    const plan::Framework moved = anchored(believed, [&](const plan::Framework& framework) {
        const Prediction now = predicted(framework);
        return std::vector<Observation>{{now.uncertainty, now.step.value, measured}};
    });
    EXPECT_NEAR(predicted(moved).step.value / measured, 1, 0.02);
    EXPECT_NEAR(moved.observed->missed_after, std::log(measured / predicted(moved).step.value), 1e-9);
}

}  // namespace anchor_test
}  // namespace dodona::step
