#include "questions/trials/times.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "files/number.hpp"
#include "questions/trials/trials.hpp"

namespace dodona::questions::trials {

namespace {

using namespace dodona::trials;

constexpr double kMaxBatch = 1e9;

/// An expression's value as a count, such as a batch.
std::int64_t count_of(const char* what, const Expression& expression, const Settings& settings, const Units& units) {
    const double value = evaluate(expression, settings, units.cores, units.gpus);
    if (value < 1 || value > kMaxBatch || value != std::floor(value)) {
        fail({}, fmt::format("{}: {} is {} for {}", what, expression.text(), files::shortest(value), text(settings)),
             "a whole number, 1 or more");
    }
    return static_cast<std::int64_t>(value);
}

/// Steps of the study's network, each predicted once.
class KnownSteps {
public:
    explicit KnownSteps(const Times& times) : study_(times.study), predict_(times.step) {}

    Estimate trial_time(const Settings& settings, const Units& units) {
        const std::int64_t batch = count_of("batch", *study_.batch, settings, units);
        const double samples = evaluate(*study_.samples, settings, units.cores, units.gpus);
        const double epochs = evaluate(*study_.epochs, settings, units.cores, units.gpus);
        if (samples <= 0 || epochs <= 0) {
            fail({}, fmt::format("samples or epochs is not above 0 for {}", text(settings)), "see the study's file");
        }
        const double steps = epochs * std::ceil(samples / static_cast<double>(batch));
        const StepOfTrial one{model_settings(settings, units), batch, std::max<std::int64_t>(1, units.gpus)};
        const auto known = known_.find(one);
        return steps *
               (known != known_.end() ? known : known_.emplace(one, predict_(one, text(settings))).first)->second;
    }

private:
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> model_settings(const Settings& settings,
                                                                                  const Units& units) const {
        std::vector<std::pair<std::string, std::string>> parameters;
        for (const auto& [name, value] : study_.set) {
            const std::string* word = value_of(settings, value);
            parameters.emplace_back(
                name, word != nullptr
                          ? *word
                          : files::shortest(evaluate(Expression::parse(value, {}), settings, units.cores, units.gpus)));
        }
        return parameters;
    }

    const Study& study_;
    const StepTime& predict_;
    std::map<StepOfTrial, Estimate> known_;
};

/// Whether the observed trial had these settings, as far as it says which, and ran on this.
bool is_of(const files::ObservedTrial& observed, const Settings& settings, const Units& units) {
    const bool same = std::all_of(observed.settings.begin(), observed.settings.end(), [&](const auto& setting) {
        const std::string* value = value_of(settings, setting.first);
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
void apply_observed(const Times& times, std::vector<Trial>& trials) {
    std::vector<double> ratios;
    for (Trial& trial : trials) {
        for (Choice& choice : trial.choices) {
            const auto time = observed_time(times.observed, trial.settings, choice.units);
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
    for (Trial& trial : trials) {
        for (Choice& choice : trial.choices) {
            if (choice.source != TimeSource::observed) {
                choice.time = ratio * choice.time;
                choice.source = TimeSource::scaled;
            }
        }
    }
}

/// Without a prediction every trial needs an observed one.
void need_all_observed(const Times& times) {
    std::size_t without = 0;
    std::string first;
    for (const Settings& settings : times.trials) {
        for (const Units& units : times.sizes) {
            if (!observed_time(times.observed, settings, units)) {
                first = without++ == 0 ? fmt::format("{} on {}", text(settings), questions::trials::units_text(units))
                                       : first;
            }
        }
    }
    if (without > 0) {
        fail({},
             fmt::format("--observed: {} of {} times are missing, such as that of {}", without,
                         times.trials.size() * times.sizes.size(), first),
             "add `time:` or `model:` to the study, which is scaled to what was observed");
    }
}

}  // namespace

bool has_times(const Times& times) { return times.study.time || !times.study.model.empty() || !times.observed.empty(); }

std::vector<Trial> timed_trials(const Times& times) {
    const Study& study = times.study;
    std::optional<KnownSteps> steps;
    if (!study.model.empty()) {
        steps.emplace(times);
    } else if (!study.time && !times.observed.empty()) {
        need_all_observed(times);
    }
    std::vector<Trial> trials;
    for (const Settings& settings : times.trials) {
        Trial& trial = trials.emplace_back();
        trial.settings = settings;
        for (const Units& units : times.sizes) {
            Choice choice{.units = units, .time = {}, .source = TimeSource::expression};
            if (steps) {
                choice.time = steps->trial_time(settings, units);
                choice.source = TimeSource::model;
            } else if (study.time) {
                const double seconds = evaluate(*study.time, settings, units.cores, units.gpus);
                if (seconds <= 0) {
                    fail({},
                         fmt::format("time: {} is {} for {}", study.time->text(), files::shortest(seconds),
                                     text(settings)),
                         "seconds, more than 0");
                }
                choice.time = Estimate::exactly(seconds * unit::second);
            }
            choice.time += Estimate::exactly(study.overhead);
            trial.choices.push_back(choice);
        }
    }
    if (!times.observed.empty()) {
        apply_observed(times, trials);
    }
    return trials;
}

}  // namespace dodona::questions::trials
