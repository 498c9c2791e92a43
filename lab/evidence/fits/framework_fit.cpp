#include "lab/evidence/fits/framework_fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "calibrate/fit/least_squares.hpp"
#include "validate/comparison.hpp"

namespace dodona::calibrate {

namespace {

constexpr double kOutlier = 0.08;     ///< log error from which a run counts linearly
constexpr double kPriorWidth = 2.0;   ///< of a logit: bounds are 90 % of it
constexpr double kDerivative = 1e-6;  ///< relative step of numerical derivatives, squared
constexpr double kQuantile = 1.645;   ///< of a normal distribution, 90 % two-sided
constexpr std::size_t kParts = 5;     ///< of an only group, held out in turn
constexpr double kOffCentre = 0.05;   ///< a logit
constexpr double kSlopeStep = 0.02;   ///< of the width between bounds
constexpr double kMinChange = 0.1;    ///< of a time, however far its parameters are moved

/// Of each run that can be asked: log(predicted / measured).
std::vector<double> log_errors(const std::vector<files::MeasuredRun>& runs, validate::Questions& questions,
                               std::vector<std::string>* groups = nullptr, std::vector<std::size_t>* which = nullptr) {
    std::vector<double> errors;
    const validate::Comparison comparison =
        validate::compare(runs, questions, [](std::int64_t, std::int64_t) { return true; });
    for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
        const validate::RunResult& row = comparison.rows[i];
        if (row.error) {
            errors.push_back(std::log1p(*row.error));
            if (groups != nullptr) {
                groups->push_back(row.group);
            }
            if (which != nullptr) {
                which->push_back(i);
            }
        }
    }
    return errors;
}

/// Returns that of |errors|.
double percentile_90(std::vector<double> errors) {
    if (errors.empty()) {
        return 0;
    }
    for (double& error : errors) {
        error = std::abs(error);
    }
    const auto at = errors.begin() + static_cast<std::ptrdiff_t>(0.9 * static_cast<double>(errors.size() - 1));
    std::nth_element(errors.begin(), at, errors.end());
    return *at;
}

double pseudo_huber_root(double error) {
    const double scaled = error / kOutlier;
    return std::copysign(kOutlier * std::sqrt(2 * (std::sqrt(1 + scaled * scaled) - 1)), error);
}

/// A parameter that is fitted.
struct FreeParameter {
    std::size_t index;  ///< in the framework
    Bounds bounds;
    [[nodiscard]] double logit(double value) const { return Bounds::free(std::clamp(bounds.share(value), 0.01, 0.99)); }
};

plan::Framework framework_at(const plan::Framework& start, const std::vector<FreeParameter>& free,
                             const Eigen::VectorXd& x) {
    plan::Framework framework = start;
    for (std::size_t k = 0; k < free.size(); ++k) {
        framework.numbers[free[k].index].value = free[k].bounds.value(x[static_cast<Eigen::Index>(k)]);
    }
    return framework;
}

std::vector<FreeParameter> free_parameters(const plan::Framework& framework) {
    std::vector<FreeParameter> free;
    for (std::size_t i = 0; i < framework.numbers.size(); ++i) {
        if (const auto& bounds = framework.numbers[i].bounds) {
            free.push_back({i, {.least = bounds->least, .most = bounds->most}});
        }
    }
    return free;
}

/// Returns log(predicted / measured) of runs with a framework.
using Errors = std::function<std::vector<double>(const plan::Framework&)>;

/// Fits to runs of these groups, whose log errors with a framework `errors_of` tells.
FrameworkFit fit(const Errors& errors_of, const std::vector<std::string>& groups, const plan::Framework& start,
                 const Progress& progress) {
    const std::vector<FreeParameter> free = free_parameters(start);
    std::vector<double> weights;
    for (const std::string& group : groups) {
        const auto size = static_cast<double>(std::count(groups.begin(), groups.end(), group));
        weights.push_back(std::pow(size, -0.25));
    }
    Eigen::VectorXd first(static_cast<Eigen::Index>(free.size()));
    for (std::size_t k = 0; k < free.size(); ++k) {
        // Steps of the derivatives are relative: a value half way between its bounds, a logit of 0, would never move.
        const double logit = free[k].logit(start.numbers[free[k].index].value);
        first[static_cast<Eigen::Index>(k)] = std::abs(logit) < kOffCentre ? kOffCentre : logit;
    }
    const Residuals residuals = [&](const Eigen::VectorXd& x, Eigen::VectorXd& values) {
        const std::vector<double> errors = errors_of(framework_at(start, free, x));
        for (std::size_t i = 0; i < errors.size(); ++i) {
            values[static_cast<Eigen::Index>(i)] = weights[i] * pseudo_huber_root(errors[i]);
        }
        // In units of the outlier: one parameter at its bound weighs as one group that misses by that much.
        values.tail(x.size()) = kOutlier * x / kPriorWidth / 4;
    };
    FrameworkFit result{.framework = start};
    if (!free.empty() && weights.size() > free.size()) {
        const LeastSquares found =
            least_squares(residuals, static_cast<Eigen::Index>(weights.size() + free.size()), first,
                          {.derivative_step = kDerivative,
                           .tolerance_of_residuals = 1e-4,
                           .tolerance_of_parameters = 1e-3,
                           .most_evaluations = 60,
                           .most_steps = 25,
                           .first_step = 1,
                           .report = [&](int step, double norm) {
                               progress(fmt::format("  step {}: residual {:.4f}", step, norm));
                           }});
        // Linearised: covariance = variance (J'J)^-1, the prior's rows included.
        const double freedom = std::max(1.0, static_cast<double>(weights.size() - free.size()));
        const double variance = found.residuals.squaredNorm() / freedom;
        result.framework = framework_at(start, free, found.at);
        for (std::size_t k = 0; k < free.size(); ++k) {
            const auto at = static_cast<Eigen::Index>(k);
            const double width = kQuantile * std::sqrt(variance * found.covariance(at, at));
            plan::Framework::Number& number = result.framework.numbers[free[k].index];
            number.lo = free[k].bounds.value(found.at[at] - width);
            number.hi = free[k].bounds.value(found.at[at] + width);
        }
    }
    const std::vector<double> errors = errors_of(result.framework);
    for (const double error : errors) {
        result.error += std::abs(std::expm1(error)) / static_cast<double>(errors.size());
    }
    result.spread = percentile_90(errors) / kQuantile;
    return result;
}

/// Changes of times with each free parameter, from one prediction of all runs for each: most are linear in it.
struct Slopes {
    std::vector<std::size_t> runs;  ///< those that were predicted
    std::vector<std::string> groups;
    std::vector<double> at_start;  ///< log errors
    std::vector<FreeParameter> free;
    std::vector<std::vector<double>> slopes;  ///< of each parameter: change of each time, of itself, a unit

    [[nodiscard]] std::vector<double> errors(const plan::Framework& framework, const plan::Framework& start,
                                             const std::vector<std::size_t>& of) const {
        std::vector<double> result;
        for (const std::size_t run : of) {
            double change = 1;
            for (std::size_t k = 0; k < free.size(); ++k) {
                change +=
                    slopes[k][run] * (framework.numbers[free[k].index].value - start.numbers[free[k].index].value);
            }
            result.push_back(at_start[run] + std::log(std::max(kMinChange, change)));
        }
        return result;
    }
};

Slopes slopes_of(const std::vector<files::MeasuredRun>& runs, validate::Questions& questions,
                 const plan::Framework& start) {
    Slopes result{.runs = {}, .groups = {}, .at_start = {}, .free = free_parameters(start), .slopes = {}};
    questions.replace(start);
    result.at_start = log_errors(runs, questions, &result.groups, &result.runs);
    for (const FreeParameter& parameter : result.free) {
        plan::Framework moved = start;
        double& value = moved.numbers[parameter.index].value;
        const double width = kSlopeStep * (parameter.bounds.most - parameter.bounds.least);
        const double by = value + width < parameter.bounds.most ? width : -width;
        value += by;
        questions.replace(moved);
        std::vector<double> slope = log_errors(runs, questions);
        for (std::size_t i = 0; i < slope.size(); ++i) {
            slope[i] = std::expm1(slope[i] - result.at_start[i]) / by;
        }
        result.slopes.push_back(std::move(slope));
    }
    return result;
}

}  // namespace

void GroupError::add(const GroupError& other) {
    const auto before = static_cast<double>(runs);
    const auto more = static_cast<double>(other.runs);
    mean = (before * mean + more * other.mean) / (before + more);
    most = (before * most + more * other.most) / (before + more);
    runs += other.runs;
}

std::map<std::string, GroupError> errors_by_group(const std::vector<files::MeasuredRun>& runs,
                                                  validate::Questions& questions, const plan::Framework& framework) {
    questions.replace(framework);
    std::vector<std::string> groups;
    const std::vector<double> errors = log_errors(runs, questions, &groups);
    std::map<std::string, std::vector<double>> sizes;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        sizes[groups[i]].push_back(errors[i]);
    }
    std::map<std::string, GroupError> result;
    for (const auto& [group, all] : sizes) {
        GroupError& error = result[group];
        error.runs = all.size();
        error.most = percentile_90(all);
        for (const double one : all) {
            error.mean += std::abs(std::expm1(one)) / static_cast<double>(all.size());
        }
    }
    return result;
}

std::map<std::string, GroupError> errors_held_out(const std::vector<files::MeasuredRun>& runs,
                                                  validate::Questions& questions, const plan::Framework& start) {
    const Slopes slopes = slopes_of(runs, questions, start);
    const std::set<std::string> groups(slopes.groups.begin(), slopes.groups.end());
    const bool only = groups.size() == 1;
    std::map<std::string, GroupError> errors;
    for (std::size_t part = 0; part < (only ? kParts : groups.size()); ++part) {
        const auto is_out = [&](std::size_t run) {
            return only ? run % kParts == part : slopes.groups[run] == *std::next(groups.begin(), part);
        };
        std::vector<std::size_t> seen;
        std::vector<std::string> their_groups;
        std::vector<files::MeasuredRun> unseen;
        for (std::size_t i = 0; i < slopes.groups.size(); ++i) {
            if (is_out(i)) {
                unseen.push_back(runs[slopes.runs[i]]);
            } else {
                seen.push_back(i);
                their_groups.push_back(slopes.groups[i]);
            }
        }
        if (seen.empty() || unseen.empty()) {
            continue;
        }
        const FrameworkFit fitted =
            fit([&](const plan::Framework& framework) { return slopes.errors(framework, start, seen); }, their_groups,
                start, [](const std::string&) {});
        for (const auto& [group, error] : errors_by_group(unseen, questions, fitted.framework)) {
            errors[group].add(error);
        }
    }
    return errors;
}

double spread_of(const FrameworkFit& fitted, const std::map<std::string, GroupError>& held_out) {
    std::vector<double> most;
    for (const auto& [group, error] : held_out) {
        most.push_back(error.most);
    }
    if (most.empty()) {
        return fitted.spread;
    }
    const auto middle = most.begin() + static_cast<std::ptrdiff_t>(most.size() / 2);
    std::nth_element(most.begin(), middle, most.end());
    return std::max(fitted.spread, *middle / kQuantile);
}

FrameworkFit fit(const std::vector<files::MeasuredRun>& runs, validate::Questions& questions,
                 const plan::Framework& start, const Progress& progress) {
    std::vector<std::string> groups;
    questions.replace(start);
    static_cast<void>(log_errors(runs, questions, &groups));
    const auto errors = [&](const plan::Framework& framework) {
        questions.replace(framework);
        return log_errors(runs, questions);
    };
    FrameworkFit fitted = fit(errors, groups, start, progress);
    questions.replace(fitted.framework);
    return fitted;
}

}  // namespace dodona::calibrate
