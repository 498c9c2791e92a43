#include <algorithm>
#include <cmath>

#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/trials/run.hpp"
#include "questions/trials/settings.hpp"

namespace dodona::questions::trials {

std::vector<std::size_t> ranked(const RunAnswer& answer) {
    const auto& results = answer.done.results;
    std::vector<std::size_t> trials;
    for (std::size_t trial = 0; trial < results.size(); ++trial) {
        if (results[trial]) {
            trials.push_back(trial);
        }
    }
    const bool highest = answer.run.result && answer.run.result->best == dodona::trials::Best::highest;
    std::stable_sort(trials.begin(), trials.end(), [&](std::size_t a, std::size_t b) {
        return highest ? *results[a] > *results[b] : *results[a] < *results[b];
    });
    return trials;
}

bool is_stopped_early(const RunAnswer& answer, std::size_t trial) {
    const std::vector<std::size_t>& early = answer.done.early;
    return std::find(early.begin(), early.end(), trial) != early.end();
}

std::optional<double> median_error(const RunAnswer& answer) {
    std::vector<double> errors;
    for (const runner::Attempt& attempt : answer.done.attempts) {
        const Seconds measured = attempt.end - attempt.start;
        if (answer.prediction && attempt.state == runner::State::finished && measured > Seconds{}) {
            errors.push_back(std::abs(answer.prediction->jobs[attempt.trial].time / measured - 1));
        }
    }
    if (errors.empty()) {
        return std::nullopt;
    }
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::nth_element(errors.begin(), middle, errors.end());
    return *middle;
}

}  // namespace dodona::questions::trials

namespace dodona::files {

using questions::computed;
using questions::trials::RunAnswer;
using runner::Attempt;
using runner::StudyDone;
using runner::StudyRun;

namespace {

struct TrialResult {
    std::size_t trial = 0;
    trials::Settings settings;
    double result = 0;
    bool stopped = false;
};

struct TrialAttempt {
    Attempt attempt;
    trials::Settings settings;
    std::string node;
    std::optional<Seconds> predicted;
};

std::vector<TrialResult> trial_results(const RunAnswer& answer) {
    return mapped<TrialResult>(questions::trials::ranked(answer), [&](const std::size_t trial) {
        return TrialResult{trial, answer.run.trials[trial], *answer.done.results[trial],
                           questions::trials::is_stopped_early(answer, trial)};
    });
}

std::vector<TrialAttempt> trial_attempts(const RunAnswer& answer) {
    const auto& [study, run, done, prediction] = answer;
    std::vector<TrialAttempt> all;
    for (const Attempt& attempt : done.attempts) {
        TrialAttempt& one = all.emplace_back();
        one.attempt = attempt;
        one.settings = run.trials[attempt.trial];
        one.node = run.nodes[static_cast<std::size_t>(attempt.place.node)];
        if (prediction) {
            one.predicted = prediction->jobs[attempt.trial].time;
        }
    }
    return all;
}

std::vector<std::size_t> from_one(std::vector<std::size_t> trials) {
    for (std::size_t& trial : trials) {
        ++trial;
    }
    return trials;
}

}  // namespace

template <>
const Description& description<TrialResult>() {
    static const Description described{
        .keys = {computed("trial", "", [](const TrialResult& one) { return one.trial + 1; }, {.range = at_least(1)}),
                 required_as<&TrialResult::settings>(questions::trials::settings_type(), "settings", ""),
                 required<&TrialResult::result>("result", ""),
                 required<&TrialResult::stopped>("stopped", "by early stopping")}};
    return described;
}

template <>
const Description& description<TrialAttempt>() {
    static const Description described{
        .keys = {
            computed("trial", "", [](const TrialAttempt& one) { return one.attempt.trial + 1; },
                     {.range = at_least(1)}),
            required_as<&TrialAttempt::settings>(questions::trials::settings_type(), "settings", ""),
            required<&TrialAttempt::attempt, &Attempt::number>("try", "", {.range = at_least(1)}),
            required<&TrialAttempt::node>("node", ""), required<&TrialAttempt::attempt, &Attempt::start>("start", ""),
            computed("time", "", [](const TrialAttempt& one) { return one.attempt.end - one.attempt.start; }),
            required<&TrialAttempt::predicted>("predicted", "null: nothing was predicted"),
            required<&TrialAttempt::attempt, &Attempt::state>("state", ""),
            required<&TrialAttempt::attempt, &Attempt::status>("status", "of its command", {.range = kNotNegative})}};
    return described;
}

template <>
const Description& description<RunAnswer>() {
    const KeyOptions not_negative{.range = kNotNegative};
    const KeyOptions from_1{.range = at_least(1)};
    static const Description described{
        .noun = "trials-run",
        .summary = "SI base units, the unit in the key; what is absent is null.",
        .keys = {
            required<&RunAnswer::study>("study", ""),
            computed(
                "trials", "", [](const RunAnswer& answer) { return answer.run.trials.size(); }, from_1),
            required<&RunAnswer::done, &StudyDone::finished>("finished", "", not_negative),
            required<&RunAnswer::done, &StudyDone::resumed>("finished_before", "this session", not_negative),
            computed(
                "failed", "", [](const RunAnswer& answer) { return from_one(answer.done.failed); }, from_1),
            computed(
                "stopped_early", "trials that early stopping ended",
                [](const RunAnswer& answer) { return from_one(answer.done.early); }, from_1),
            computed("results", "best first; empty without result: in the study",
                     [](const RunAnswer& answer) { return trial_results(answer); }),
            required<&RunAnswer::done, &StudyDone::lost>("lost_nodes", ""),
            optional<&RunAnswer::done, &StudyDone::stopped>("stopped", "why it stopped before all trials had ended"),
            required<&RunAnswer::run, &StudyRun::policy>("policy", ""),
            required<&RunAnswer::done, &StudyDone::makespan>("makespan", "of all sessions"),
            computed("predicted_makespan", "",
                     [](const RunAnswer& answer) {
                         const auto& prediction = answer.prediction;
                         return prediction ? std::optional(prediction->schedule.makespan) : std::nullopt;
                     }),
            computed(
                "median_error", "of the trials that finished, |predicted / measured - 1|",
                [](const RunAnswer& answer) { return questions::trials::median_error(answer); }, not_negative),
            computed("attempts", "", [](const RunAnswer& answer) { return trial_attempts(answer); }, {.rows = true})}};
    return described;
}

}  // namespace dodona::files
