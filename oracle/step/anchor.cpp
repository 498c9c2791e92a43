#include "step/anchor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::step {

namespace {

using plan::Framework;
using plan::FrameworkParameter;

constexpr std::size_t kParameters = plan::kFrameworkParameters.size();
constexpr std::size_t kErrors = kParameters + 1;  ///< one per parameter, then the shared one
constexpr int kMoves = 6;

using Errors = std::array<double, kErrors>;
using Matrix = std::vector<std::vector<double>>;
/// B: the log parameters as functions of the errors z.
using Prior = std::array<Errors, kParameters>;

/// Times, and how much longer work takes: if all of these grow by a factor, so does the step. The other parameters say how
/// much work there is and what hides it.
constexpr std::array kTimeParameters{FrameworkParameter::launch,      FrameworkParameter::matmul,
                                     FrameworkParameter::convolution, FrameworkParameter::attention,
                                     FrameworkParameter::recurrent,   FrameworkParameter::recurrent_overhead,
                                     FrameworkParameter::stream,      FrameworkParameter::gather,
                                     FrameworkParameter::optimizer,   FrameworkParameter::collective,
                                     FrameworkParameter::step,        FrameworkParameter::input,
                                     FrameworkParameter::collate,     FrameworkParameter::message,
                                     FrameworkParameter::host_update, FrameworkParameter::element_instructions};

bool is_time_like(FrameworkParameter parameter) { return contains(kTimeParameters, parameter); }

/// The part of the asked run's unexplained variance that no observed run knows of.
double own_variance(const Framework& framework, const RunKind& asked) {
    const double of_run = asked.id.empty() ? kRunPart : 0;
    return (asked.layout.empty() ? kLayoutPart : of_run) * framework.spread * framework.spread;
}

/// Standard deviation of the rest.
double known_error(const Framework& framework, const RunKind& asked) {
    const double all = framework.spread * framework.spread + framework.between_sources * framework.between_sources;
    return std::sqrt(all - own_variance(framework, asked));
}

Prior prior(const std::vector<Observation>& observations, const Framework& framework, const RunKind& asked) {
    Prior b{};
    for (const Observation& observation : observations) {
        for (std::size_t k = 0; k < cost::kErrorSources.size(); ++k) {
            const auto p = static_cast<std::size_t>(cost::kErrorSources[k].parameter);
            b[p][p] = std::clamp(observation.uncertainty.sources[k].sigma(), b[p][p], kMaxSigma);
        }
    }
    const double shared = known_error(framework, asked);
    for (const plan::FrameworkParameterKind& kind : plan::kFrameworkParameters) {
        if (is_time_like(kind.parameter)) {
            b[static_cast<std::size_t>(kind.parameter)][kParameters] = shared;
        }
    }
    return b;
}

/// Correlation of what software of another source adds to the errors of two runs, of any layouts.
double source_correlation(const RunKind& a, const RunKind& b) { return std::pow(job_correlation(a, b), 2); }

/// Covariance of the unexplained errors of two runs. `runs`: the correlation of what is not shared by their source.
double unexplained_covariance(const Uncertainty& a, const Uncertainty& b, double runs, double sources) {
    return a.spread * b.spread * runs + a.between_sources * b.between_sources * sources;
}

/// The run that is asked about, and the framework before it is moved.
struct AskedRun {
    const Framework& framework;
    const RunKind& run;
};

/// ... of a run's with the part of the asked run's that others know of, over the standard deviation of that part.
double known_covariance(const AskedRun& asked, const Observation& one) {
    const double known = known_error(asked.framework, asked.run);
    const Uncertainty of_asked{
        .sources = {}, .spread = asked.framework.spread, .between_sources = asked.framework.between_sources};
    const double runs = asked.run.layout.empty() ? (1 - kLayoutPart) * job_correlation(asked.run, one.run)
                                                 : run_correlation(asked.run, one.run);
    const double sources = source_correlation(asked.run, one.run);
    return known > 0 ? unexplained_covariance(of_asked, one.uncertainty, runs, sources) / known : 0;
}

/// How much a run's log time reacts to an unexplained error: the part of it that is times.
double part_of_times(const Observation& observation) {
    double part = 0;
    for (std::size_t k = 0; k < cost::kErrorSources.size(); ++k) {
        part += is_time_like(cost::kErrorSources[k].parameter) ? observation.uncertainty.sources[k].share : 0;
    }
    return part;
}

/// Derivatives of one run's prediction by the errors z, which move the framework.
Errors reactions(const Observation& observation, const Prior& b) {
    Errors row{};
    for (std::size_t k = 0; k < cost::kErrorSources.size(); ++k) {
        const auto p = static_cast<std::size_t>(cost::kErrorSources[k].parameter);
        const double share = observation.uncertainty.sources[k].share;
        row[p] += share * b[p][p];
        row[kParameters] += share * b[p][kParameters];
    }
    return row;
}

/// A row of A: what the errors z say of one run's log time; of its unexplained error as much as it is alike.
Errors effects(const Observation& observation, const Prior& b, const AskedRun& asked) {
    Errors row = reactions(observation, b);
    row[kParameters] = part_of_times(observation) * known_covariance(asked, observation);
    return row;
}

/// N: covariance of the log times given the errors z.
Matrix noise(const std::vector<Observation>& observations, const AskedRun& asked) {
    Matrix n(observations.size(), std::vector<double>(observations.size()));
    for (std::size_t i = 0; i < n.size(); ++i) {
        const Observation& one = observations[i];
        for (std::size_t j = 0; j < n.size(); ++j) {
            const Observation& other = observations[j];
            const double all = unexplained_covariance(one.uncertainty, other.uncertainty,
                                                      i == j ? 1 : run_correlation(one.run, other.run),
                                                      source_correlation(one.run, other.run));
            const double own = all - known_covariance(asked, one) * known_covariance(asked, other);
            n[i][j] = part_of_times(one) * part_of_times(other) * own;
        }
        n[i][i] += kRepeat * kRepeat;
    }
    return n;
}

/// `first` + a b.
double plus_product(double first, const Errors& a, const Errors& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), first);
}

double missed(const Observation& observation) { return std::log(observation.measured / observation.predicted); }

double mean_missed(const std::vector<Observation>& observations) {
    auto sum = sum_of<double>(observations, [](const Observation& observation) { return missed(observation); });
    return sum / static_cast<double>(observations.size());
}

/// Inverse by Gauss-Jordan elimination. Domain: positive definite.
Matrix inverse(Matrix m) {
    const std::size_t size = m.size();
    Matrix result(size, std::vector<double>(size));
    for (std::size_t i = 0; i < size; ++i) {
        result[i][i] = 1;
    }
    for (std::size_t i = 0; i < size; ++i) {
        const double pivot = m[i][i];
        check(pivot > 0, "a covariance with noise is never singular");
        for (std::size_t j = 0; j < size; ++j) {
            m[i][j] /= pivot;
            result[i][j] /= pivot;
        }
        for (std::size_t row = 0; row < size; ++row) {
            const double factor = row == i ? 0 : m[row][i];
            for (std::size_t j = 0; j < size && factor != 0; ++j) {
                m[row][j] -= factor * m[i][j];
                result[row][j] -= factor * result[i][j];
            }
        }
    }
    return result;
}

/// Posterior of the errors z given the observations.
struct Posterior {
    std::vector<Errors> effects;  ///< A
    Matrix weights;               ///< K^-1
    Errors mean{};
    double distance = 0;     ///< r' K^-1 r
    bool is_capped = false;  ///< the observations are further off than errors explain
};

Posterior posterior(const std::vector<Observation>& observations, const Prior& b, Matrix covariance,
                    const AskedRun& asked, const Errors& moved) {
    Posterior result;
    std::vector<double> residuals;
    for (const Observation& one : observations) {
        result.effects.push_back(effects(one, b, asked));
        residuals.push_back(plus_product(missed(one), reactions(one, b), moved));  // before anything moved
    }
    for (std::size_t i = 0; i < observations.size(); ++i) {
        for (std::size_t j = 0; j < observations.size(); ++j) {
            covariance[i][j] = plus_product(covariance[i][j], result.effects[i], result.effects[j]);
        }
    }
    result.weights = inverse(std::move(covariance));
    for (std::size_t i = 0; i < observations.size(); ++i) {
        const double weighed = std::inner_product(residuals.begin(), residuals.end(), result.weights[i].begin(), 0.0);
        result.distance += residuals[i] * weighed;
        for (std::size_t e = 0; e < kErrors; ++e) {
            result.mean[e] += result.effects[i][e] * weighed;
        }
    }
    for (double& error : result.mean) {
        result.is_capped |= std::abs(error) > kMaxShift;
        error = std::clamp(error, -kMaxShift, kMaxShift);
    }
    return result;
}

/// How many times larger the errors of these runs are than was thought. The ratio of the variances has a scaled inverse
/// chi-squared prior of kScaleFreedom degrees of freedom and scale 1; this is the root of the posterior's scale.
double scale_of_errors(const Posterior& found) {
    return std::sqrt((kScaleFreedom + found.distance) / (kScaleFreedom + static_cast<double>(found.effects.size())));
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

/// E = B A' K^-1 A B'.
std::vector<Framework::ByParameter> learnt(const Prior& b, const Posterior& found) {
    const std::size_t runs = found.effects.size();
    std::vector<Framework::ByParameter> rows(kParameters);
    std::vector<std::vector<double>> covariance(kParameters);  // B A'
    for (std::size_t p = 0; p < kParameters; ++p) {
        for (const Errors& row : found.effects) {
            covariance[p].push_back(plus_product(0, b[p], row));
        }
    }
    for (std::size_t p = 0; p < kParameters; ++p) {
        for (std::size_t q = 0; q < kParameters; ++q) {
            for (std::size_t i = 0; i < runs; ++i) {
                rows[p][q] += covariance[p][i] * std::inner_product(covariance[q].begin(), covariance[q].end(),
                                                                    found.weights[i].begin(), 0.0);
            }
        }
    }
    return rows;
}

}  // namespace

Framework anchored(const Framework& framework, const Observe& observe, const RunKind& asked) {
    Framework start = framework;
    start.observed.reset();
    std::vector<Observation> observations = observe(start);
    check(!observations.empty(), "parameters are moved to at least one observed step");
    const Prior b = prior(observations, start, asked);
    const AskedRun of_asked{start, asked};
    const Matrix own = noise(observations, of_asked);
    Framework::Observed observed;
    observed.runs = static_cast<std::int64_t>(observations.size());
    observed.missed_before = mean_missed(observations);
    const double all = framework.spread * framework.spread + framework.between_sources * framework.between_sources;
    observed.own_part = all > 0 ? own_variance(framework, asked) / all : 0;
    Posterior found;
    Framework moved = start;
    for (int move = 0; move < kMoves; ++move) {
        found = posterior(observations, b, own, of_asked, found.mean);
        if (move == 0) {
            observed.scale = scale_of_errors(found);
        }
        moved = moved_by(start, b, found.mean);
        observations = observe(moved);
    }
    observed.missed_after = mean_missed(observations);
    if (!found.is_capped) {
        observed.learnt = learnt(b, found);
    }
    std::transform(start.numbers.begin(), start.numbers.end(), observed.from.begin(),
                   [](const Framework::Number& number) { return number.value; });
    moved.observed = std::move(observed);
    return moved;
}

void hold_to(plan::Framework& framework, Seconds measured, const std::function<Seconds(const plan::Framework&)>& step) {
    Framework::Observed& observed = framework.observed.value();
    const Seconds left = measured - step(framework);
    observed.unexplained = left;
    observed.repeat = kRepeat;
    if (left > Seconds{}) {
        Framework::Number& fixed = framework.number(plan::FrameworkParameter::step);
        const double more = left.in(unit::second);
        fixed = {.value = fixed.value + more,
                 .lo = fixed.lo + more,
                 .hi = fixed.hi + more,
                 .bounds = {},
                 .source = fmt::format("{:.4g} s of it as measured, without an explanation{}{}", more,
                                       fixed.source.empty() ? "" : "; the rest: ", fixed.source)};
    }
    observed.whole = measured / step(framework);
}

}  // namespace dodona::step
