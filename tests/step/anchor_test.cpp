// Parameters moved to what was observed.
#include "step/anchor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <string_view>

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

// Errors of which 4 degrees of freedom were thought: sqrt((4 + r^2 / 0.018625) / 5). A run as predicted narrows intervals.
TEST(Anchored, RunsThatAreFurtherOffThanThoughtWidenIntervals) {
    const auto scale = [](double measured) {
        return anchored({}, [&](const plan::Framework& framework) { return linear(framework, measured); })
            .observed->scale;
    };
    EXPECT_NEAR(scale(12), std::sqrt((4 + std::log(1.2) * std::log(1.2) / 0.018625) / 5), 1e-12);
    EXPECT_NEAR(scale(10), std::sqrt(0.8), 1e-12);
    EXPECT_GT(scale(20), 2);
    // Of the same errors the interval is as much wider.
    plan::Framework off;
    off.spread = 0.2;
    off.observed = plan::Framework::Observed{};
    plan::Framework further = off;
    further.observed->scale = 2;
    const Uncertainty uncertainty = linear(off, 10).front().uncertainty;
    const auto above = [&](const plan::Framework& framework) {
        return (interval(uncertainty, seconds(10), framework).hi - seconds(10)).in(unit::second);
    };
    EXPECT_NEAR(above(further), 2 * above(off), 1e-12);
}

/// A step of 10 s that took 12, of which nothing but the spread of 0.2 is uncertain.
std::vector<Observation> longer(const plan::Framework& now, const RunKind& run) {
    std::vector<Observation> found = linear(now, 12);
    for (SourceError& source : found.front().uncertainty.sources) {
        source.below = source.above = 0;
    }
    found.front().run = run;
    return found;
}

/// The share of the interval of such a step that remains after it was learnt, without the size of errors.
double left_of_interval(const plan::Framework& framework, const plan::Framework& moved) {
    const Uncertainty uncertainty = longer(framework, {}).front().uncertainty;
    const Estimate before = interval(uncertainty, seconds(10), framework);
    const Estimate after = interval(uncertainty, seconds(10), moved);
    return (after.hi - after.value) / (before.hi - before.value) / moved.observed->scale;
}

TEST(Anchored, WhatAJobSharesMovesAllTimesAlike) {
    // Nothing but the spread is uncertain: tau^2 = (1 - kLayoutPart) 0.04, rho^2 = kLayoutPart 0.04 + 0.000625.
    plan::Framework framework;
    framework.spread = 0.2;
    const plan::Framework moved = anchored(framework, [](const plan::Framework& now) { return longer(now, {}); });
    const double shared = (1 - kLayoutPart) * 0.04;
    const double theta = std::log(1.2) * shared / (0.04 + kRepeat * kRepeat);
    EXPECT_NEAR(std::log(moved[FrameworkParameter::matmul]), theta, 1e-9);
    EXPECT_NEAR(std::log(moved[FrameworkParameter::collective]), theta, 1e-9) << "a time that the run has nothing of";
    EXPECT_EQ(moved[FrameworkParameter::stragglers], framework[FrameworkParameter::stragglers]) << "no time";
}

// A source's own error is known from one of its runs, in any layout: 0.3^2 of 0.2^2 + 0.3^2 + kRepeat^2 by another layout
// of the same job, and (1 - kLayoutPart) 0.2^2.
TEST(Anchored, WhatASourceSharesIsKnownFromAnyOfItsLayouts) {
    plan::Framework framework;
    framework.spread = 0.2;
    framework.between_sources = 0.3;
    const RunKind observed{.network = "one", .precision = Precision::bf16, .devices = 8, .samples = 4, .layout = "a"};
    RunKind asked = observed;
    asked.layout = "b";
    const plan::Framework moved = anchored(
        framework,
        [&](const plan::Framework& now) {
            std::vector<Observation> found = longer(now, observed);
            found.front().uncertainty.between_sources = 0.3;
            return found;
        },
        asked);
    const double known = (1 - kLayoutPart) * 0.04 + 0.09;
    EXPECT_NEAR(std::log(moved[FrameworkParameter::matmul]), std::log(1.2) * known / (0.04 + 0.09 + kRepeat * kRepeat),
                1e-9);
}

TEST(Anchored, WorkThatIsThereIsNotMoved) {
    plan::Framework framework;
    framework.spread = 0.2;
    framework.number(FrameworkParameter::dispatch_width).value = 0.5;
    framework.number(FrameworkParameter::autocast).value = 4;
    const plan::Framework moved = anchored(framework, [](const plan::Framework& now) { return longer(now, {}); });
    EXPECT_GT(moved[FrameworkParameter::stream], 1);
    EXPECT_EQ(moved[FrameworkParameter::dispatch_width], 0.5) << "collectives are longer already";
    EXPECT_EQ(moved[FrameworkParameter::autocast], 4);
}

TEST(Anchored, ARunMovesThoseMoreThatAreMoreLikeIt) {
    plan::Framework framework;
    framework.spread = 0.2;
    const RunKind observed{.network = "one", .precision = Precision::bf16, .devices = 8, .samples = 4, .layout = "a"};
    const auto moved = [&](const RunKind& asked) {
        const plan::Framework found = anchored(
            framework, [&](const plan::Framework& now) { return longer(now, observed); }, asked);
        return std::log(found[FrameworkParameter::matmul]);
    };
    const double alike = std::log(1.2) * 0.04 / (0.04 + kRepeat * kRepeat);
    EXPECT_NEAR(moved(observed), alike * (1 - kRunPart), 1e-9);
    RunKind itself = observed;
    itself.id = "observed";
    const plan::Framework same = anchored(
        framework, [&](const plan::Framework& now) { return longer(now, itself); }, itself);
    EXPECT_NEAR(std::log(same[FrameworkParameter::matmul]), alike, 1e-9) << "the very run";
    EXPECT_NEAR(left_of_interval(framework, same), kRepeat / std::hypot(0.2, kRepeat), 1e-9);
    RunKind other = observed;
    other.layout = "b";
    EXPECT_NEAR(moved(other), alike * (1 - kLayoutPart), 1e-9);
    other.layout = {};
    EXPECT_NEAR(moved(other), alike * (1 - kLayoutPart), 1e-9) << "any layout";
    RunKind far = observed;
    far.network = "two";
    far.samples = 16;
    EXPECT_NEAR(moved(far), alike * (1 - kRunPart) * job_correlation(far, observed), 1e-9);
}

TEST(Anchored, OfTwoRunsTheOneAlikeCounts) {
    // One job took longer, another shorter; each is asked about in turn.
    plan::Framework framework;
    framework.spread = 0.2;
    const RunKind one{.network = "one", .precision = Precision::bf16, .devices = 8, .samples = 4, .layout = "a"};
    RunKind two = one;
    two.network = "two";
    const auto moved = [&](const RunKind& asked) {
        const auto observe = [&](const plan::Framework& now) {
            std::vector<Observation> both = longer(now, one);
            both.push_back(longer(now, two).front());
            both.back().measured = seconds(10 / 1.2);
            return both;
        };
        return std::log(anchored(framework, observe, asked)[FrameworkParameter::matmul]);
    };
    // By symmetry the runs weigh 1 and -1: (c - d) r / (1 + rho - k) with the correlations c, d of the asked run and k.
    const double between = run_correlation(one, two);
    const double expected = std::log(1.2) * (1 - kRunPart - between) / (1 + kRepeat * kRepeat / 0.04 - between);
    EXPECT_NEAR(moved(one), expected, 1e-9);
    EXPECT_NEAR(moved(two), -expected, 1e-9);
    EXPECT_GT(expected, 0.03);
}

TEST(Anchored, OneLayoutIsKnownBetterThanAnyOther) {
    plan::Framework framework;
    framework.spread = 0.2;
    const RunKind asked{.network = "one", .precision = Precision::bf16, .devices = 8, .samples = 4, .layout = "a"};
    const auto width = [&](const RunKind& of) {
        const plan::Framework moved = anchored(
            framework,
            [&](const plan::Framework& now) {
                std::vector<Observation> many;
                for (int i = 0; i < 50; ++i) {
                    many.push_back(longer(now, asked).front());
                }
                return many;
            },
            of);
        return left_of_interval(framework, moved);
    };
    EXPECT_NEAR(width(asked), std::sqrt(kRunPart), 0.01);
    // Runs of one layout do not tell what it has of its own from what all layouts share.
    RunKind any = asked;
    any.layout = {};
    EXPECT_NEAR(width(any), std::sqrt(1 - std::pow(1 - kLayoutPart, 2) / (1 - kRunPart)), 0.01);
}

TEST(Anchored, AStepTellsHowItsSourceDiffers) {
    // Nothing but what a source shares is uncertain, 0.04, and any of its layouts tells it.
    plan::Framework framework;
    framework.between_sources = 0.2;
    const plan::Framework moved = anchored(framework, [](const plan::Framework& now) {
        std::vector<Observation> found = linear(now, 12);
        found.front().uncertainty = {.sources = {}, .between_sources = 0.2};
        found.front().uncertainty.sources[static_cast<std::size_t>(cost::ErrorSource::matmul)].share = 1;
        return found;
    });
    const double theta = std::log(1.2) * 0.04 / (0.04 + kRepeat * kRepeat);
    EXPECT_NEAR(std::log(moved[FrameworkParameter::collective]), theta, 1e-9);
    Uncertainty shared;
    shared.between_sources = 0.2;
    shared.sources[static_cast<std::size_t>(cost::ErrorSource::matmul)].share = 1;
    const Estimate before = interval(shared, seconds(10), framework);
    const Estimate after = interval(shared, seconds(10), moved);
    EXPECT_NEAR((after.hi - after.value) / (before.hi - before.value) / moved.observed->scale,
                kRepeat / std::hypot(0.2, kRepeat), 1e-9);
}

TEST(Anchored, NoRunMovesAnErrorFurtherThanErrorsAre) {
    // A thousand times as long as predicted: something else was wrong.
    const plan::Framework moved =
        anchored({}, [](const plan::Framework& framework) { return linear(framework, 10'000); });
    EXPECT_NEAR(std::log(moved[FrameworkParameter::stream]), kMaxShift * 0.3, 1e-9);
    EXPECT_TRUE(moved.observed->learnt.empty()) << "what was wrong is not known";
    const Uncertainty same = linear({}, 10).front().uncertainty;
    EXPECT_GT(interval(same, seconds(10), moved).hi, interval(same, seconds(10), {}).hi);
    plan::Framework bounded;
    bounded.number(FrameworkParameter::stream).bounds = {0.9, 1.3};
    const plan::Framework inside =
        anchored(bounded, [](const plan::Framework& framework) { return linear(framework, 10'000); });
    EXPECT_EQ(inside[FrameworkParameter::stream], 1.3);
}

// Parameters at their furthest, two standard deviations, make 10 s e^(+-0.36) = 14.3 and 7.0 s. Of 40 s the rest is a fixed
// time; to 4 s all is shortened.
TEST(Anchored, APlanWhoseOwnStepWasMeasuredIsHeldToIt) {
    for (const double measured : {40.0, 4.0}) {
        plan::Framework moved =
            anchored({}, [&](const plan::Framework& framework) { return linear(framework, measured); });
        const auto parts = [](const plan::Framework& framework) {
            return linear(framework, 1).front().predicted + framework.seconds(FrameworkParameter::step);
        };
        const Seconds explained = parts(moved);
        hold_to(moved, seconds(measured), parts);
        EXPECT_NEAR((moved.observed->whole * parts(moved)).in(unit::second), measured, 1e-9);
        EXPECT_EQ(moved.observed->unexplained, seconds(measured) - explained);
        EXPECT_EQ(moved.observed->whole < 1, measured < 10);
        EXPECT_EQ(moved[FrameworkParameter::step] > 0, measured > 10);
        const Estimate held = interval(linear({}, 10).front().uncertainty, seconds(measured), moved);
        EXPECT_NEAR(held.hi / held.value, std::exp(kNormal90 * kRepeat), 1e-12);
    }
}

TEST(Anchored, StepsThatWereRightMoveNothingAndNarrowTheInterval) {
    const plan::Framework neutral;
    const plan::Framework moved =
        anchored(neutral, [](const plan::Framework& framework) { return linear(framework, 10); });
    EXPECT_EQ(moved.numbers, neutral.numbers);
    const Uncertainty same = linear(neutral, 10).front().uncertainty;
    const Estimate before = interval(same, seconds(10), neutral);
    const Estimate after = interval(same, seconds(10), moved);
    // Of the variance S = 0.018 is left S rho^2 / (S + rho^2), of errors that are smaller than was thought.
    const double left = moved.observed->scale * std::sqrt(0.000625 / 0.018625);
    EXPECT_LT(moved.observed->scale, 1);
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

constexpr std::size_t kSources = cost::kErrorSources.size();
constexpr std::size_t kNumbers = plan::kFrameworkParameters.size();

std::size_t parameter_of(std::size_t source) { return static_cast<std::size_t>(cost::kErrorSources[source].parameter); }

/// The part of the unexplained error that all layouts of a job share, of a spread of 0.04 and 0.03 between sources.
const double kShared = std::sqrt((1 - kLayoutPart) * 0.04 * 0.04 + 0.03 * 0.03);

/// Two runs of linear steps that have something of every source of error.
struct TwoRuns {
    plan::Framework framework;
    std::array<std::array<double, kSources>, 2> shares{};
    std::array<double, 2> missed{0.08, -0.03};

    TwoRuns() {
        framework.spread = 0.04;
        framework.between_sources = 0.03;
        for (std::size_t p = 0; p < kNumbers; ++p) {
            framework.numbers[p] = {1 + 0.1 * static_cast<double>(p), 0.9, 3.5, {{1e-3, 1e3}}, "a test"};
        }
        for (std::size_t k = 0; k < kSources; ++k) {
            shares[0][k] = 0.02 * static_cast<double>((7 * k + 3) % 11) - 0.04;
            shares[1][k] = 0.02 * static_cast<double>((5 * k + 1) % 13) - 0.05;
        }
    }

    /// Standard deviation of a source; the second run's is another one.
    static double sigma(std::size_t run, std::size_t source) {
        return 0.02 * static_cast<double>(1 + (3 * source + 2 * run) % 5);
    }

    [[nodiscard]] std::vector<Observation> observe(const plan::Framework& now) const {
        std::vector<Observation> observations;
        for (std::size_t run = 0; run < 2; ++run) {
            Observation& one = observations.emplace_back();
            one.uncertainty.spread = framework.spread;
            one.uncertainty.between_sources = framework.between_sources;
            double log_time = 0;
            for (std::size_t k = 0; k < kSources; ++k) {
                const double error = sigma(run, k) * kNormal90;
                one.uncertainty.sources[k] = {.share = shares[run][k], .below = error, .above = error};
                const std::size_t p = parameter_of(k);
                log_time += shares[run][k] * std::log(now.numbers[p].value / framework.numbers[p].value);
            }
            one.run.layout = std::to_string(run);
            one.predicted = seconds(10 * std::exp(log_time));
            one.measured = seconds(10 * std::exp(missed[run]));
        }
        return observations;
    }

    using Vector = std::array<double, kNumbers + 1>;

    /// The errors of parameters, and the one that all times of a job share, by which a parameter moves.
    [[nodiscard]] Vector row_of_parameter(std::size_t p) const {
        Vector row{};
        for (std::size_t k = 0; k < kSources; ++k) {
            if (parameter_of(k) == p) {
                row[p] = std::max({row[p], sigma(0, k), sigma(1, k)});
            }
        }
        static const std::set<std::string_view> times{
            "launch",  "matmul",  "convolution", "attention",           "recurrent", "recurrent_overhead",
            "stream",  "gather",  "optimizer",   "collective",          "step",      "input",
            "collate", "message", "host_update", "element_instructions"};
        const bool is_time = times.contains(plan::kFrameworkParameters[p].word);
        row[kNumbers] = is_time ? kShared : 0;
        return row;
    }

    /// ... by which a combination of log parameters moves.
    [[nodiscard]] Vector row_of(const plan::Framework::ByParameter& combination) const {
        Vector row{};
        for (std::size_t p = 0; p < kNumbers; ++p) {
            const Vector one = row_of_parameter(p);
            for (std::size_t e = 0; e < row.size(); ++e) {
                row[e] += combination[p] * one[e];
            }
        }
        return row;
    }

    [[nodiscard]] Vector row_of_run(std::size_t run) const {
        plan::Framework::ByParameter combination{};
        for (std::size_t k = 0; k < kSources; ++k) {
            combination[parameter_of(k)] += shares[run][k];
        }
        return row_of(combination);
    }
};

double product(const TwoRuns::Vector& a, const TwoRuns::Vector& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The part of a run's time that grows with all times.
double time_part(const TwoRuns& runs, std::size_t run) { return runs.row_of_run(run)[kNumbers] / kShared; }

// With rows a, b of two runs, g = (a'a + n, a'b; a'b, b'b + n) and residuals r: the errors move by (a b) g^-1 r, and of
// the variance of a combination c the runs explain (c'a c'b) g^-1 (c'a c'b)'.
TEST(Anchored, TwoRunsMoveEveryParameterByItsCovarianceWithThem) {
    const TwoRuns runs;
    const plan::Framework moved =
        anchored(runs.framework, [&](const plan::Framework& framework) { return runs.observe(framework); });
    const auto a = runs.row_of_run(0);
    const auto b = runs.row_of_run(1);
    // Two layouts of one job: each has the error of its own layout.
    const double own = kLayoutPart * 0.04 * 0.04;
    const auto own_of = [&](std::size_t run) { return own * std::pow(time_part(runs, run), 2) + kRepeat * kRepeat; };
    const double aa = product(a, a) + own_of(0);
    const double ab = product(a, b);
    const double bb = product(b, b) + own_of(1);
    const double determinant = aa * bb - ab * ab;
    const auto solved = [&](double x, double y) {
        return std::array{(bb * x - ab * y) / determinant, (aa * y - ab * x) / determinant};
    };
    const auto weights = solved(runs.missed[0], runs.missed[1]);
    for (std::size_t p = 0; p < kNumbers; ++p) {
        const auto row = runs.row_of_parameter(p);
        const double theta = weights[0] * product(row, a) + weights[1] * product(row, b);
        const plan::FrameworkNumber& before = runs.framework.numbers[p];
        const plan::FrameworkNumber& after = moved.numbers[p];
        EXPECT_NEAR(std::log(after.value / before.value), theta, 1e-9) << plan::kFrameworkParameters[p].word;
        EXPECT_NEAR(after.lo / before.lo, after.value / before.value, 1e-12);
        EXPECT_NEAR(after.hi / before.hi, after.value / before.value, 1e-12);
        EXPECT_EQ(moved.observed->from[p], before.value);
    }
    plan::Framework::ByParameter combination{};
    for (std::size_t p = 0; p < kNumbers; ++p) {
        combination[p] = 0.1 * static_cast<double>((4 * p + 1) % 9) - 0.3;
    }
    const auto c = runs.row_of(combination);
    const auto explains = solved(product(c, a), product(c, b));
    EXPECT_NEAR(moved.observed->explained(combination), explains[0] * product(c, a) + explains[1] * product(c, b),
                1e-12);
    // The interval of the first run itself: the variance that is left of it, on either side.
    const Uncertainty first = runs.observe(runs.framework).front().uncertainty;
    double variance = 0.04 * 0.04 + 0.03 * 0.03;
    for (const SourceError& source : first.sources) {
        variance += std::pow(source.share * source.sigma(), 2);
    }
    const auto known = solved(product(a, a), product(a, b));
    const double left = variance - (known[0] * product(a, a) + known[1] * product(a, b));
    ASSERT_GT(left, kLayoutPart * 0.04 * 0.04);
    const Estimate wide = interval(first, seconds(10), runs.framework);
    const Estimate narrow = interval(first, seconds(10), moved);
    const double ratio = moved.observed->scale * std::sqrt(left / variance);
    EXPECT_NEAR((narrow.hi - narrow.value) / (wide.hi - wide.value), ratio, 1e-9);
    EXPECT_NEAR((narrow.value - narrow.lo) / (wide.value - wide.lo), ratio, 1e-9);
    // Of two runs alike nothing but their layouts differs; of these two the shares that the runs do not explain.
    const Uncertainty second = runs.observe(runs.framework).back().uncertainty;
    const double layouts = 2 * kLayoutPart * 0.04 * 0.04;
    EXPECT_NEAR(difference(first, first, moved), std::sqrt(layouts), 1e-12);
    double apart = 0;
    plan::Framework::ByParameter shares{};
    for (std::size_t k = 0; k < kSources; ++k) {
        apart += std::pow(
            first.sources[k].share * first.sources[k].sigma() - second.sources[k].share * second.sources[k].sigma(), 2);
        shares[parameter_of(k)] += first.sources[k].share - second.sources[k].share;
    }
    const double explained = moved.observed->explained(shares);
    EXPECT_NEAR(difference(first, second, moved), std::sqrt(std::max(0.0, apart - explained) + layouts), 1e-12);
    EXPECT_EQ(moved.observed->runs, 2);
    EXPECT_NEAR(moved.observed->missed_before, (0.08 - 0.03) / 2, 1e-12);
    // Of each residual n times its weight is left.
    EXPECT_NEAR(moved.observed->missed_after, (own_of(0) * weights[0] + own_of(1) * weights[1]) / 2, 1e-9);
}

}  // namespace anchor_test
}  // namespace dodona::step
