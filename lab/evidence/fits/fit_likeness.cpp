#include "lab/evidence/fits/fit_likeness.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "calibrate/fit/normal_errors.hpp"
#include "files/library.hpp"
#include "files/run_conventions.hpp"
#include "files/run_table.hpp"
#include "step/likeness.hpp"
#include "validate/anchors.hpp"
#include "validate/comparison.hpp"

namespace dodona::calibrate {

namespace {

/// Root mean square of the errors of a user whose runs count.
constexpr double kMaxError = 0.3;

struct Run {
    step::RunKind kind;
    double error = 0;  ///< log(measured / predicted)
};

using Users = std::vector<std::vector<Run>>;

/// What is fitted, all positive: v, the parts of a layout and of a run, the likeness.
using Values = std::array<double, 8>;
constexpr std::array<const char*, 8> kNames{"variance",        "layout part", "run part",        "other network",
                                            "other precision", "one device",  "doubled devices", "doubled samples"};

/// Of a user whose errors are not too large, and who has two runs at least.
bool counts(const std::vector<Run>& runs) {
    const auto squares = sum_of<double>(runs, [](const Run& run) { return run.error * run.error; });
    return runs.size() > 1 && squares < kMaxError * kMaxError * static_cast<double>(runs.size());
}

Users users_of(const LikenessFitOptions& options) {
    validate::Questions questions(files::Library(options.data), {},
                                  files::load_run_conventions(options.conventions, files::command_line()));
    std::map<std::string, std::vector<Run>> users;
    for (const files::MeasuredRun& run : files::load_runs(options.runs, files::command_line())) {
        if (!run.step_time) {
            continue;
        }
        try {
            const validate::Question question = questions.of(run);
            const validate::RunResult result = validate::compared(run, question);
            if (result.error) {
                users[validate::user_of(run)].push_back(
                    {step::run_kind(*question.graph, question.plan), -std::log1p(*result.error)});
            }
        } catch (const InputError&) {
            continue;  // `dodona validate` says why
        }
    }
    Users counted;
    for (auto& [user, runs] : users) {
        if (counts(runs)) {
            counted.push_back(std::move(runs));
        }
    }
    return counted;
}

double minus_log_likelihood(const Users& users, const Values& values) {
    const double variance = values[0];
    const step::Likeness likeness{.layout_part = values[1],
                                  .run_part = values[2],
                                  .other_network = values[3],
                                  .other_precision = values[4],
                                  .one_device = values[5],
                                  .doubled_devices = values[6],
                                  .doubled_samples = values[7]};
    if (likeness.run_part > likeness.layout_part || likeness.layout_part >= 1) {
        return std::numeric_limits<double>::infinity();
    }
    double sum = 0;
    for (const std::vector<Run>& runs : users) {
        std::vector<double> errors;
        append(errors, runs, &Run::error);
        const auto covariance = [&](std::size_t i, std::size_t j) {
            return variance * (i == j ? 1 : step::run_correlation(runs[i].kind, runs[j].kind, likeness));
        };
        const std::optional<double> here = unlikeliness(errors, covariance);
        if (!here) {
            return std::numeric_limits<double>::infinity();
        }
        sum += *here;
    }
    return sum;
}

/// The likeliest values, by steps along one value after another that shrink.
Values likeliest(const Users& users, Values values) {
    double least = minus_log_likelihood(users, values);
    for (double step = 2; step > 1.01; step = std::pow(step, 0.6)) {
        for (double& value : values) {
            for (const double factor : {step, 1 / step}) {
                for (double before = value;; before = value) {
                    value = before * factor;
                    const double here = minus_log_likelihood(users, values);
                    if (here >= least - 1e-6) {
                        value = before;
                        break;
                    }
                    least = here;
                }
            }
        }
    }
    return values;
}

}  // namespace

void fit_likeness(const LikenessFitOptions& options) {
    const Users users = users_of(options);
    if (users.empty()) {
        fail({}, fmt::format("{} has no user with two runs whose errors are below {:.0f} %", options.runs,
                             100 * kMaxError));
    }
    const auto runs = sum_of<std::size_t>(users, [](const std::vector<Run>& of_user) { return of_user.size(); });
    const step::Likeness now;
    const Values start{0.015,          now.layout_part,     now.run_part,       now.other_network, now.other_precision,
                       now.one_device, now.doubled_devices, now.doubled_samples};
    const Values found = likeliest(users, start);
    fmt::print("{} runs of {} users; -log likelihood {:.1f}, of the values in use {:.1f}\n", runs, users.size(),
               minus_log_likelihood(users, found), minus_log_likelihood(users, start));
    for (std::size_t i = 0; i < found.size(); ++i) {
        fmt::print("    {:<16} {:.3g}\n", kNames[i], found[i]);
    }
}

}  // namespace dodona::calibrate
