// What a step's interval is made of: shares are derivatives, errors of one source add, those of several do in squares.
#include "step/uncertainty.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "scenes.hpp"
#include "step/predict.hpp"

namespace dodona::step {
namespace uncertainty_test {

using cost::ErrorSource;
using plan::FrameworkParameter;
using test::pipelined;
using test::small_cluster;
using test::small_network;
using test::strategy;

plan::Framework software() {
    plan::Framework framework;
    framework.name = "software";
    framework.number(FrameworkParameter::launch).value = 4e-6;
    framework.number(FrameworkParameter::convolution).value = 1.2;
    framework.number(FrameworkParameter::stream).value = 1.5;
    framework.number(FrameworkParameter::optimizer).value = 1.3;
    framework.number(FrameworkParameter::collective).value = 1.1;
    framework.number(FrameworkParameter::overlap_states).value = 0.7;
    framework.number(FrameworkParameter::interference).value = 0.2;
    framework.number(FrameworkParameter::stragglers).value = 0.01;
    framework.number(FrameworkParameter::step).value = 1e-5;
    framework.number(FrameworkParameter::input).value = 2e-6;
    return framework;
}

plan::Plan data_plan(std::int64_t microbatch, bool overlap) {
    plan::Plan plan;
    plan.strategy = strategy("data", {"data"});
    plan.mesh = {{"data", 4}};
    plan.batch = 1024;
    plan.microbatch = microbatch;
    plan.precision = Precision::fp32;
    plan.overlap = {.gradients = overlap, .parameters = overlap};
    plan.framework = software();
    return plan;
}

plan::Plan pipeline_plan() {
    plan::Plan plan = data_plan(64, true);
    plan.strategy = pipelined();
    plan.mesh = {{"pipeline", 4}};
    return plan;
}

double share(const Prediction& p, ErrorSource source) {
    return p.uncertainty.sources[static_cast<std::size_t>(source)].share;
}

/// (log T(parameter x e^h) - log T(parameter x e^-h)) / 2h.
double derivative(plan::Plan plan, FrameworkParameter parameter) {
    constexpr double kStep = 1e-4;
    const double value = plan.framework[parameter];
    plan.framework.number(parameter).value = value * std::exp(kStep);
    const Seconds more = predict(small_network(), small_cluster(), plan).step.value;
    plan.framework.number(parameter).value = value * std::exp(-kStep);
    const Seconds less = predict(small_network(), small_cluster(), plan).step.value;
    return std::log(more / less) / (2 * kStep);
}

TEST(Sources, SharesAreTheDerivativesOfTheStep) {
    plan::Plan sharded = data_plan(64, true);
    sharded.shard = plan::ShardLevel::parameters;
    for (const plan::Plan& plan : {data_plan(256, false), data_plan(32, true), sharded, pipeline_plan()}) {
        const Prediction p = predict(small_network(), small_cluster(), plan);
        for (const auto source :
             {ErrorSource::convolution, ErrorSource::stream, ErrorSource::inside_node, ErrorSource::optimizer,
              ErrorSource::launch, ErrorSource::stragglers, ErrorSource::step, ErrorSource::input,
              ErrorSource::overlap_states, ErrorSource::interference}) {
            const cost::ErrorSourceKind& kind = cost::kErrorSources[static_cast<std::size_t>(source)];
            EXPECT_NEAR(share(p, source), derivative(plan, kind.parameter), 2e-6)
                << kind.word << " of " << plan.strategy.name << ", micro-batch " << plan.microbatch;
        }
    }
}

TEST(Sources, SharesOfTimesAddUpToTheStep) {
    for (const plan::Plan& plan : {data_plan(256, false), data_plan(32, true), pipeline_plan()}) {
        const Prediction p = predict(small_network(), small_cluster(), plan);
        double sum = 0;
        for (const cost::ErrorSourceKind& kind : cost::kErrorSources) {
            const bool is_ratio = kind.source == ErrorSource::overlap_states ||
                                  kind.source == ErrorSource::overlap_layers ||
                                  kind.source == ErrorSource::interference || kind.source == ErrorSource::stragglers;
            sum += is_ratio ? 0 : share(p, kind.source);
        }
        EXPECT_NEAR(sum, 1, 1e-9) << plan.strategy.name << ", micro-batch " << plan.microbatch;
    }
}

TEST(Sources, TableOfSourcesIsInTheirOrder) {
    for (std::size_t k = 0; k < cost::kErrorSources.size(); ++k) {
        EXPECT_EQ(static_cast<std::size_t>(cost::kErrorSources[k].source), k);
    }
}

constexpr Seconds seconds(double value) { return Seconds::of_base(value); }

/// A step of 10 s: 6 s of products, 3 s of streams, 1 s of launches.
cost::StepTimes ten_seconds() {
    cost::StepTimes times;
    times[ErrorSource::matmul] = {seconds(6), seconds(5.4), seconds(7.2)};
    times[ErrorSource::stream] = {seconds(3), seconds(2.4), seconds(4.5)};
    times[ErrorSource::launch] = Estimate::exactly(seconds(1));
    return times;
}

TEST(Interval, SourcesAddInSquaresOnEitherSide) {
    // Above: products 6 x 0.2 = 1.2 s, streams 3 x 0.5 = 1.5 s: sqrt(1.44 + 2.25) = 1.9209 s.
    // Below: 6 x 0.1 = 0.6 s, 3 x 0.2 = 0.6 s: 0.8485 s.
    const plan::Framework neutral;
    const Estimate found = interval(uncertainty(ten_seconds(), seconds(10), neutral), seconds(10), neutral);
    EXPECT_NEAR(found.hi.in(unit::second), 10 + std::sqrt(1.44 + 2.25), 1e-12);
    EXPECT_NEAR(found.lo.in(unit::second), 10 - std::sqrt(0.72), 1e-12);
}

TEST(Interval, ParametersAndSpreadOfTheFrameworkWidenIt) {
    // Launch 40 us, 30 to 60: 0.5 above, 0.25 below of 1 s. Spread 0.1: e^0.16449 - 1 = 0.17879, 1 - e^-0.16449 =
    // 0.15167.
    plan::Framework framework;
    framework.number(FrameworkParameter::launch) = {40e-6, 30e-6, 60e-6, std::nullopt, "here"};
    framework.spread = 0.1;
    const Estimate found = interval(uncertainty(ten_seconds(), seconds(10), framework), seconds(10), framework);
    EXPECT_NEAR(found.hi.in(unit::second), 10 + std::sqrt(1.44 + 2.25 + 0.25 + std::pow(1.7879, 2)), 1e-4);
    EXPECT_NEAR(found.lo.in(unit::second), 10 - std::sqrt(0.72 + 0.0625 + std::pow(1.5167, 2)), 1e-4);
}

TEST(Interval, WidensByWhatRunsOfOneSourceShareButPlansAreComparedWithoutIt) {
    // 0.06 and 0.08 are 0.1 together.
    plan::Framework framework;
    framework.spread = 0.06;
    framework.between_sources = 0.08;
    plan::Framework together;
    together.spread = 0.1;
    const Uncertainty parts = uncertainty(ten_seconds(), seconds(10), framework);
    EXPECT_NEAR(interval(parts, seconds(10), framework).hi /
                    interval(uncertainty(ten_seconds(), seconds(10), together), seconds(10), together).hi,
                1, 1e-12);
    EXPECT_NEAR(difference(parts, parts, framework), std::sqrt(2 * kLayoutPart) * 0.06, 1e-12);
}

TEST(Interval, WidensForPlansBeyondTheFitAndNothingElseShareThat) {
    // 0.06 and 0.08 are 0.1 together, of which 0.08 is not that of a plan within the fit.
    plan::Framework framework;
    framework.between_sources = 0.06;
    framework.beyond_fit = 0.08;
    const Uncertainty within = uncertainty(ten_seconds(), seconds(10), framework);
    const Uncertainty beyond = uncertainty(ten_seconds(), seconds(10), framework, true);
    EXPECT_NEAR(within.between_sources, 0.06, 1e-12);
    EXPECT_NEAR(beyond.between_sources, 0.1, 1e-12);
    EXPECT_GT(interval(beyond, seconds(10), framework).hi, interval(within, seconds(10), framework).hi);
    EXPECT_NEAR(difference(beyond, beyond, framework), 0, 1e-12);
    EXPECT_NEAR(difference(within, beyond, framework), 0.08, 1e-12);
}

TEST(Interval, OfAStepThatTakesNoTimeHasNoSources) {
    const plan::Framework neutral;
    for (const SourceError& source : uncertainty(ten_seconds(), Seconds{}, neutral).sources) {
        EXPECT_EQ(source.share, 0);
        EXPECT_EQ(source.above, 0);
    }
}

TEST(Interval, OfOneSourceIsItsOwn) {
    cost::StepTimes times;
    times[ErrorSource::matmul] = {seconds(10), seconds(9.5), seconds(18)};
    const plan::Framework neutral;
    const Estimate found = interval(uncertainty(times, seconds(10), neutral), seconds(10), neutral);
    EXPECT_NEAR(found.hi.in(unit::second), 18, 1e-12);
    EXPECT_NEAR(found.lo.in(unit::second), 9.5, 1e-12);
}

TEST(Difference, OfPlansAlikeIsWhatLayoutsHaveOfTheirOwn) {
    plan::Framework framework;
    framework.spread = 0.1;
    const Uncertainty a = uncertainty(ten_seconds(), seconds(10), framework);
    EXPECT_NEAR(difference(a, a, framework), std::sqrt(2 * kLayoutPart) * 0.1, 1e-12);
}

TEST(Difference, OnlyCountsWhatTwoPlansDoNotShare) {
    // Streams of 3 s in 10 s against 5 s in 12 s, 0.2 below and 0.5 above: sigma 0.35 / 1.6449 = 0.21278;
    // products 6 of 10 against 6 of 12, sigma 0.15 / 1.6449 = 0.09119.
    const plan::Framework neutral;
    cost::StepTimes more = ten_seconds();
    more[ErrorSource::stream] = {seconds(5), seconds(4), seconds(7.5)};
    const Uncertainty a = uncertainty(ten_seconds(), seconds(10), neutral);
    const Uncertainty b = uncertainty(more, seconds(12), neutral);
    const double streams = (5.0 / 12 - 0.3) * 0.35 / 1.6449;
    const double products = (0.6 - 0.5) * 0.15 / 1.6449;
    EXPECT_NEAR(difference(a, b, neutral), std::hypot(streams, products), 1e-9);
}

}  // namespace uncertainty_test
}  // namespace dodona::step
