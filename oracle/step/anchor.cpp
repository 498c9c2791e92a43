#include "step/anchor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/check.hpp"

namespace dodona::step {

namespace {

using plan::Framework;
using plan::FrameworkParameter;

constexpr std::size_t kParameters = plan::kFrameworkParameters.size();
constexpr std::size_t kErrors = kParameters + 1;  ///< one per parameter, then the shared one
constexpr int kMoves = 6;

using Errors = std::array<double, kErrors>;
using Square = std::array<Errors, kErrors>;
/// B: the log parameters as functions of the errors z.
using Prior = std::array<Errors, kParameters>;

/// Whether a parameter is proportional to time: if all of these grow by a factor, so does the step.
bool is_time_like(FrameworkParameter parameter) {
    return parameter != FrameworkParameter::overlap_states && parameter != FrameworkParameter::overlap_layers &&
           parameter != FrameworkParameter::interference && parameter != FrameworkParameter::stragglers;
}

Prior prior(const std::vector<Observation>& observations, const Framework& framework) {
    Prior b{};
    for (const Observation& observation : observations) {
        for (std::size_t k = 0; k < cost::kErrorSources.size(); ++k) {
            const auto p = static_cast<std::size_t>(cost::kErrorSources[k].parameter);
            b[p][p] = std::clamp(observation.uncertainty.sources[k].sigma(), b[p][p], kMostSigma);
        }
    }
    const double shared = std::sqrt(1 - kLayoutPart) * std::hypot(framework.spread, framework.between_sources);
    for (const plan::FrameworkParameterKind& kind : plan::kFrameworkParameters) {
        if (is_time_like(kind.parameter)) {
            b[static_cast<std::size_t>(kind.parameter)][kParameters] = shared;
        }
    }
    return b;
}

/// Variance of one run's log time that has nothing to do with what is asked: of its layout and its repetition.
double own_variance(const Observation& observation) {
    const double unexplained = observation.uncertainty.unexplained();
    return kLayoutPart * unexplained * unexplained + kRepeat * kRepeat;
}

/// A row of A B: derivatives of one run's log time by the errors z.
Errors effects(const Observation& observation, const Prior& b) {
    Errors row{};
    for (std::size_t k = 0; k < cost::kErrorSources.size(); ++k) {
        const auto p = static_cast<std::size_t>(cost::kErrorSources[k].parameter);
        const double share = observation.uncertainty.sources[k].share;
        row[p] += share * b[p][p];
        row[kParameters] += share * b[p][kParameters];
    }
    return row;
}

/// `first` + a b.
double plus_product(double first, const Errors& a, const Errors& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), first);
}

double missed(const Observation& observation) { return std::log(observation.measured / observation.predicted); }

double mean_missed(const std::vector<Observation>& observations) {
    double sum = 0;
    for (const Observation& observation : observations) {
        sum += missed(observation);
    }
    return sum / static_cast<double>(observations.size());
}

Square identity() {
    Square result{};
    for (std::size_t i = 0; i < kErrors; ++i) {
        result[i][i] = 1;
    }
    return result;
}

/// Inverse by Gauss-Jordan elimination. Domain: the identity plus a positive semidefinite matrix, so pivots are at
/// least 1.
Square inverse(Square m) {
    Square result = identity();
    for (std::size_t i = 0; i < kErrors; ++i) {
        const double pivot = m[i][i];
        check(pivot > 0, "one plus a square is never singular");
        for (std::size_t j = 0; j < kErrors; ++j) {
            m[i][j] /= pivot;
            result[i][j] /= pivot;
        }
        for (std::size_t row = 0; row < kErrors; ++row) {
            const double factor = row == i ? 0 : m[row][i];
            for (std::size_t j = 0; j < kErrors && factor != 0; ++j) {
                m[row][j] -= factor * m[i][j];
                result[row][j] -= factor * result[i][j];
            }
        }
    }
    return result;
}

/// Posterior of the errors z given the observations.
struct Posterior {
    Square covariance{};
    Errors mean{};
};

Posterior posterior(const std::vector<Observation>& observations, const Prior& b, const std::vector<double>& noise,
                    const Errors& moved) {
    Square m = identity();
    Errors right{};
    for (std::size_t i = 0; i < observations.size(); ++i) {
        const Errors row = effects(observations[i], b);
        const double residual = plus_product(missed(observations[i]), row, moved);  // before anything moved
        for (std::size_t e = 0; e < kErrors; ++e) {
            right[e] += row[e] * residual / noise[i];
            for (std::size_t f = 0; f < kErrors; ++f) {
                m[e][f] += row[e] * row[f] / noise[i];
            }
        }
    }
    Posterior result{.covariance = inverse(m)};
    std::transform(result.covariance.begin(), result.covariance.end(), result.mean.begin(),
                   [&](const Errors& row) { return std::clamp(plus_product(0, row, right), -kMostMoved, kMostMoved); });
    return result;
}

Framework moved_by(const Framework& framework, const Prior& b, const Errors& errors) {
    Framework moved = framework;
    for (const plan::FrameworkParameterKind& kind : plan::kFrameworkParameters) {
        const Framework::Number& before = framework.number(kind.parameter);
        const double theta = plus_product(0, b[static_cast<std::size_t>(kind.parameter)], errors);
        if (std::abs(theta) < 1e-9 || before.value == 0) {
            continue;
        }
        Framework::Number& number = moved.number(kind.parameter);
        const Framework::Number::Bounds bounds =
            before.bounds.value_or(Framework::Number::Bounds{kind.least, kind.most});
        number.value = std::clamp(before.value * std::exp(theta), std::min(bounds.least, before.value),
                                  std::max(bounds.most, before.value));
        const double ratio = number.value / before.value;
        number.lo = ratio * before.lo;
        number.hi = ratio * before.hi;
        number.bounds.reset();
        number.source = fmt::format("{:.4g} moved to fit observed steps{}{}", before.value,
                                    before.source.empty() ? "" : "; before: ", before.source);
    }
    return moved;
}

/// E = B (1 - cov) B'.
std::vector<Framework::ByParameter> learnt(const Prior& b, const Square& covariance) {
    std::vector<Framework::ByParameter> rows(kParameters);
    for (std::size_t p = 0; p < kParameters; ++p) {
        for (std::size_t q = 0; q < kParameters; ++q) {
            for (std::size_t e = 0; e < kErrors; ++e) {
                for (std::size_t f = 0; f < kErrors; ++f) {
                    rows[p][q] += b[p][e] * ((e == f ? 1 : 0) - covariance[e][f]) * b[q][f];
                }
            }
        }
    }
    return rows;
}

}  // namespace

Framework anchored(const Framework& framework, const Observe& observe) {
    Framework start = framework;
    start.observed.reset();
    std::vector<Observation> observations = observe(start);
    check(!observations.empty(), "parameters are moved to at least one observed step");
    const Prior b = prior(observations, start);
    std::vector<double> noise;
    for (const Observation& observation : observations) {
        noise.push_back(own_variance(observation));
    }
    Framework::Observed observed;
    observed.runs = static_cast<std::int64_t>(observations.size());
    observed.missed_before = mean_missed(observations);
    Posterior found;
    Framework moved = start;
    for (int move = 0; move < kMoves; ++move) {
        found = posterior(observations, b, noise, found.mean);
        moved = moved_by(start, b, found.mean);
        observations = observe(moved);
    }
    observed.missed_after = mean_missed(observations);
    observed.learnt = learnt(b, found.covariance);
    std::transform(start.numbers.begin(), start.numbers.end(), observed.from.begin(),
                   [](const Framework::Number& number) { return number.value; });
    moved.observed = std::move(observed);
    return moved;
}

}  // namespace dodona::step
