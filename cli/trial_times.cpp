#include "cli/trial_times.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/software.hpp"
#include "cli/workload.hpp"
#include "files/number.hpp"
#include "reports/collect/trials_report.hpp"
#include "step/predict.hpp"

namespace dodona::cli {

namespace {

using trials::Settings;
using trials::Study;
using trials::TimeSource;
using trials::Units;

/// An expression's value as a count, such as a batch.
std::int64_t count_of(const char* what, const Expression& expression, const Settings& settings, const Units& units) {
    const double value = trials::evaluate(expression, settings, units.cores, units.gpus);
    if (value < 1 || value > kMostCount || value != std::floor(value)) {
        fail(
            {},
            fmt::format("{}: {} is {} for {}", what, expression.text(), files::shortest(value), trials::text(settings)),
            "a whole number, 1 or more");
    }
    return static_cast<std::int64_t>(value);
}

/// Seconds of a step of the study's network, predicted once for each batch, size and setting of the model's file.
class StepTimes {
public:
    StepTimes(Arguments& arguments, const Study& study, const std::string& machine)
        : arguments_(arguments), study_(study) {
        workload_.model = taken_as(arguments, files::NameOf::model, study.model);
        workload_.machine = machine;
        workload_.cluster = read_machine(machine);
    }

    Estimate trial_time(const Settings& settings, const Units& units) {
        const std::int64_t batch = count_of("batch", *study_.batch, settings, units);
        const double samples = trials::evaluate(*study_.samples, settings, units.cores, units.gpus);
        const double epochs = trials::evaluate(*study_.epochs, settings, units.cores, units.gpus);
        if (samples <= 0 || epochs <= 0) {
            fail({}, fmt::format("samples or epochs is not above 0 for {}", trials::text(settings)),
                 "see the study's file");
        }
        const double steps = epochs * std::ceil(samples / static_cast<double>(batch));
        return steps * step(model_settings(settings, units), batch, std::max<std::int64_t>(1, units.gpus),
                            trials::text(settings));
    }

private:
    using Parameters = std::vector<std::pair<std::string, std::string>>;

    [[nodiscard]] Parameters model_settings(const Settings& settings, const Units& units) const {
        Parameters parameters;
        for (const auto& [name, value] : study_.set) {
            const std::string* word = trials::value_of(settings, value);
            parameters.emplace_back(name, word != nullptr
                                              ? *word
                                              : files::shortest(trials::evaluate(Expression::parse(value, {}), settings,
                                                                                 units.cores, units.gpus)));
        }
        return parameters;
    }

    const Estimate& step(const Parameters& parameters, std::int64_t batch, std::int64_t gpus,
                         const std::string& trial) {
        const auto key = std::tuple(parameters, batch, gpus);
        const auto known = known_.find(key);
        return known != known_.end() ? known->second
                                     : known_.emplace(key, predicted(parameters, batch, gpus, trial)).first->second;
    }

    Estimate predicted(const Parameters& parameters, std::int64_t batch, std::int64_t gpus, const std::string& trial) {
        if (batch % gpus != 0) {
            fail({}, fmt::format("a batch of {} cannot be shared by {} GPUs: {}", batch, gpus, trial),
                 "another --gpus-per-trial, or batches that it divides");
        }
        workload_.graph = read_network(workload_.model, parameters);
        plan::Plan plan;
        plan.precision = precision_of(arguments_, workload_.cluster);
        plan.optimizer = optimizer_of(arguments_, workload_.graph);
        plan.overlap = overlap_of(arguments_);
        arguments_.throw_if_faults();
        plan.strategy = read_strategy("data");
        plan.framework = framework_of(arguments_, workload_, plan);
        plan.memory = memory_of(plan.framework);
        plan.mesh = {{"data", gpus}};
        plan.batch = batch;
        plan.microbatch = batch / gpus;
        const step::Prediction prediction = step::predict(workload_.graph, workload_.cluster, plan);
        if (prediction.why_not) {
            fail({},
                 fmt::format("{} does not run on {}: {}", trial, reports::units_text({0, gpus}),
                             text(*prediction.why_not)),
                 "a smaller batch, or another --gpus-per-trial");
        }
        return prediction.step;
    }

    Arguments& arguments_;
    const Study& study_;
    Workload workload_;
    std::map<std::tuple<Parameters, std::int64_t, std::int64_t>, Estimate> known_;
};

/// Whether the observed trial had these settings, as far as it says which, and ran on this.
bool is_of(const files::ObservedTrial& observed, const Settings& settings, const Units& units) {
    const bool same = std::all_of(observed.settings.begin(), observed.settings.end(), [&](const auto& setting) {
        const std::string* value = trials::value_of(settings, setting.first);
        return value != nullptr && *value == setting.second;
    });
    const bool same_cores = observed.units.cores == 0 || units.cores == 0 || observed.units.cores == units.cores;
    const bool same_gpus = observed.units.gpus == 0 || units.gpus == 0 || observed.units.gpus == units.gpus;
    return same && same_cores && same_gpus;
}

std::optional<Seconds> observed_time(const std::vector<files::ObservedTrial>& observed, const Settings& settings,
                                     const Units& units) {
    Seconds sum;
    int count = 0;
    for (const files::ObservedTrial& one : observed) {
        if (is_of(one, settings, units)) {
            sum += one.time;
            ++count;
        }
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
}

/// The median of observed over predicted, over the choices that have both.
double median_ratio(std::vector<double> ratios) {
    if (ratios.empty()) {
        return 1;
    }
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    return *middle;
}

/// Puts observed times in the place of predicted ones, and scales the others.
void apply_observed(const TrialTimes& question, std::vector<trials::Trial>& trials) {
    std::vector<double> ratios;
    for (trials::Trial& trial : trials) {
        for (trials::Choice& choice : trial.choices) {
            const auto time = observed_time(question.observed, trial.settings, choice.units);
            if (time && choice.time.value > Seconds{}) {
                ratios.push_back(*time / choice.time.value);
            }
            if (time) {
                choice.time = Estimate::exactly(*time);
                choice.source = TimeSource::observed;
            }
        }
    }
    const double ratio = median_ratio(std::move(ratios));
    for (trials::Trial& trial : trials) {
        for (trials::Choice& choice : trial.choices) {
            if (choice.source != TimeSource::observed) {
                choice.time = ratio * choice.time;
                choice.source = TimeSource::scaled;
            }
        }
    }
}

/// Without a prediction every trial needs an observed one.
void need_all_observed(const TrialTimes& question) {
    std::size_t without = 0;
    std::string first;
    for (const Settings& settings : question.trials) {
        for (const Units& units : question.sizes) {
            if (!observed_time(question.observed, settings, units)) {
                first = without++ == 0 ? fmt::format("{} on {}", trials::text(settings), reports::units_text(units))
                                       : first;
            }
        }
    }
    if (without > 0) {
        fail({},
             fmt::format("--observed: {} of {} times are missing, such as that of {}", without,
                         question.trials.size() * question.sizes.size(), first),
             "add `time:` or `model:` to the study, which is scaled to what was observed");
    }
}

}  // namespace

bool has_times(const TrialTimes& question) {
    return question.study.time || !question.study.model.empty() || !question.observed.empty();
}

std::vector<trials::Trial> timed_trials(Arguments& arguments, const TrialTimes& question) {
    const Study& study = question.study;
    std::optional<StepTimes> steps;
    if (!study.model.empty()) {
        steps.emplace(arguments, study, question.machine);
    } else if (!study.time && !question.observed.empty()) {
        need_all_observed(question);
    }
    std::vector<trials::Trial> trials;
    for (const Settings& settings : question.trials) {
        trials::Trial& trial = trials.emplace_back();
        trial.settings = settings;
        for (const Units& units : question.sizes) {
            trials::Choice choice{.units = units, .time = {}, .source = TimeSource::expression};
            if (steps) {
                choice.time = steps->trial_time(settings, units);
                choice.source = TimeSource::model;
            } else if (study.time) {
                const double seconds = trials::evaluate(*study.time, settings, units.cores, units.gpus);
                if (seconds <= 0) {
                    fail({},
                         fmt::format("time: {} is {} for {}", study.time->text(), files::shortest(seconds),
                                     trials::text(settings)),
                         "seconds, more than 0");
                }
                choice.time = Estimate::exactly(seconds * unit::second);
            }
            choice.time += Estimate::exactly(study.overhead);
            trial.choices.push_back(choice);
        }
    }
    if (!question.observed.empty()) {
        apply_observed(question, trials);
    }
    return trials;
}

}  // namespace dodona::cli
