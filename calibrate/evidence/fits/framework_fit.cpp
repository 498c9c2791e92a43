#include "calibrate/evidence/fits/framework_fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include <Eigen/Dense>
#include <fmt/format.h>
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

#include "validate/comparison.hpp"

namespace dodona::calibrate {

namespace {

constexpr double kOutlier = 0.08;     ///< log error from which a run counts linearly
constexpr double kPriorWidth = 2.0;   ///< of a logit: bounds are 90 % of it
constexpr double kDerivative = 1e-6;  ///< relative step of numerical derivatives, squared
constexpr double kQuantile = 1.645;   ///< of a normal distribution, 90 % two-sided
constexpr std::size_t kParts = 5;     ///< of an only group, held out in turn
constexpr double kOffCentre = 0.05;   ///< a logit

/// Of each run that can be asked: log(predicted / measured).
std::vector<double> log_errors(const std::vector<files::MeasuredRun>& runs, validate::Questions& questions,
                               std::vector<std::string>* groups = nullptr) {
    std::vector<double> errors;
    const validate::Comparison comparison =
        validate::compare(runs, questions, [](std::int64_t, std::int64_t) { return true; });
    for (const validate::RunResult& row : comparison.rows) {
        if (row.error) {
            errors.push_back(std::log1p(*row.error));
            if (groups != nullptr) {
                groups->push_back(row.group);
            }
        }
    }
    return errors;
}

/// Of |errors|.
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

/// Between logits and parameters.
struct Free {
    std::size_t index;
    plan::Framework::Number::Bounds bounds;
    [[nodiscard]] double value(double x) const {
        return bounds.least + (bounds.most - bounds.least) / (1 + std::exp(-x));
    }
    [[nodiscard]] double logit(double value) const {
        const double share = std::clamp((value - bounds.least) / (bounds.most - bounds.least), 0.01, 0.99);
        return std::log(share / (1 - share));
    }
};

struct Functor {
    using Scalar = double;
    enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };
    using InputType = Eigen::VectorXd;
    using ValueType = Eigen::VectorXd;
    using JacobianType = Eigen::MatrixXd;

    const std::vector<files::MeasuredRun>& runs;
    validate::Questions& questions;
    plan::Framework start;
    std::vector<Free> free;
    std::vector<double> weights;

    [[nodiscard]] int inputs() const { return static_cast<int>(free.size()); }
    [[nodiscard]] int values() const { return static_cast<int>(weights.size() + free.size()); }

    [[nodiscard]] plan::Framework at(const Eigen::VectorXd& x) const {
        plan::Framework framework = start;
        for (std::size_t k = 0; k < free.size(); ++k) {
            framework.numbers[free[k].index].value = free[k].value(x[static_cast<Eigen::Index>(k)]);
        }
        return framework;
    }

    int operator()(const Eigen::VectorXd& x, Eigen::VectorXd& residuals) const {
        questions.replace(at(x));
        const std::vector<double> errors = log_errors(runs, questions);
        for (std::size_t i = 0; i < errors.size(); ++i) {
            residuals[static_cast<Eigen::Index>(i)] = weights[i] * pseudo_huber_root(errors[i]);
        }
        for (std::size_t k = 0; k < free.size(); ++k) {
            // In units of the outlier: one parameter at its bound weighs as one group that misses by that much.
            residuals[static_cast<Eigen::Index>(errors.size() + k)] =
                kOutlier * x[static_cast<Eigen::Index>(k)] / kPriorWidth / 4;
        }
        return 0;
    }
};

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
    std::set<std::string> groups;
    for (const files::MeasuredRun& run : runs) {
        groups.insert(run.group);
    }
    const bool only = groups.size() == 1;
    std::map<std::string, GroupError> errors;
    for (std::size_t part = 0; part < (only ? kParts : groups.size()); ++part) {
        const std::string& out = *std::next(groups.begin(), static_cast<std::ptrdiff_t>(only ? 0 : part));
        std::vector<files::MeasuredRun> seen, unseen;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const bool is_out = only ? i % kParts == part : runs[i].group == out;
            (is_out ? unseen : seen).push_back(runs[i]);
        }
        if (seen.empty() || unseen.empty()) {
            continue;
        }
        const FrameworkFit fitted = fit(seen, questions, start, [](const std::string&) {});
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
    Functor functor{.runs = runs, .questions = questions, .start = start, .free = {}, .weights = {}};
    for (std::size_t i = 0; i < start.numbers.size(); ++i) {
        if (start.numbers[i].bounds) {
            functor.free.push_back({i, *start.numbers[i].bounds});
        }
    }
    questions.replace(start);
    std::vector<std::string> groups;
    static_cast<void>(log_errors(runs, questions, &groups));
    for (const std::string& group : groups) {
        const auto size = static_cast<double>(std::count(groups.begin(), groups.end(), group));
        functor.weights.push_back(std::pow(size, -0.25));
    }
    Eigen::VectorXd x(functor.inputs());
    for (std::size_t k = 0; k < functor.free.size(); ++k) {
        // Steps of the derivatives are relative: a value half way between its bounds, a logit of 0, would never move.
        const double logit = functor.free[k].logit(start.numbers[functor.free[k].index].value);
        x[static_cast<Eigen::Index>(k)] = std::abs(logit) < kOffCentre ? kOffCentre : logit;
    }
    FrameworkFit result;
    if (functor.inputs() > 0 && functor.weights.size() > functor.free.size()) {
        using Derived = Eigen::NumericalDiff<Functor, Eigen::Forward>;
        Derived derived(functor, kDerivative);
        Eigen::LevenbergMarquardt<Derived> solver(derived);
        solver.parameters.factor = 1;
        solver.parameters.xtol = 1e-3;
        solver.parameters.ftol = 1e-4;
        solver.parameters.maxfev = 60;
        auto status = solver.minimizeInit(x);
        for (int step = 0; step < 25; ++step) {
            status = solver.minimizeOneStep(x);
            progress(fmt::format("  step {}: residual {:.4f}", step + 1, solver.fnorm));
            if (status != Eigen::LevenbergMarquardtSpace::Running) {
                break;
            }
        }
        // Linearised: covariance = variance (J'J)^-1, the prior's rows included.
        Eigen::MatrixXd jacobian(functor.values(), functor.inputs());
        derived.df(x, jacobian);
        const Eigen::MatrixXd covariance = (jacobian.transpose() * jacobian).inverse();
        const double freedom = std::max(1.0, static_cast<double>(functor.weights.size() - functor.free.size()));
        const double variance = solver.fvec.squaredNorm() / freedom;
        result.framework = functor.at(x);
        for (std::size_t k = 0; k < functor.free.size(); ++k) {
            const auto at = static_cast<Eigen::Index>(k);
            const double width = kQuantile * std::sqrt(variance * covariance(at, at));
            plan::Framework::Number& number = result.framework.numbers[functor.free[k].index];
            number.lo = functor.free[k].value(x[at] - width);
            number.hi = functor.free[k].value(x[at] + width);
        }
    } else {
        result.framework = start;
    }
    questions.replace(result.framework);
    const std::vector<double> errors = log_errors(runs, questions);
    for (const double error : errors) {
        result.error += std::abs(std::expm1(error)) / static_cast<double>(errors.size());
    }
    result.spread = percentile_90(errors) / kQuantile;
    return result;
}

}  // namespace dodona::calibrate
