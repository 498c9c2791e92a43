#include "questions/described.hpp"
#include "questions/trials/settings.hpp"
#include "questions/trials/trials.hpp"

namespace dodona::files {

using questions::computed;
using trials::Alternative;
using trials::EarlyStopping;
using trials::ExpectedSchedule;
using trials::Failures;
using trials::MeanTime;
using trials::Rung;
using trials::StoppedTrials;
using trials::TrialRun;
using trials::Units;

namespace {

/// A trial of the schedule.
struct ScheduledTrial {
    TrialRun run;
    trials::Settings settings;
    trials::Choice choice;
};

struct EarlyStopped {
    EarlyStopping rule;
    StoppedTrials trials;
};

struct FailingTrials {
    Failures failures;
    ExpectedSchedule schedule;
};

std::vector<ScheduledTrial> scheduled_trials(const questions::trials::Answer& answer) {
    const auto& [question, prediction] = answer;
    std::vector<ScheduledTrial> all;
    for (const TrialRun& run : prediction.schedule.runs) {
        const trials::Trial& trial = question.of.trials[run.job];
        all.push_back({run, trial.settings, trial.choices[prediction.chosen[run.job]]});
    }
    return all;
}

/// Its ends: all trials at the ends of their intervals.
const Description& makespan_interval() {
    static const Description described{.keys = {required<&Estimate::value>("value", ""),
                                                required<&Estimate::lo>("lo", ""), required<&Estimate::hi>("hi", "")},
                                       .one_unit = true};
    return described;
}

}  // namespace

template <>
const Description& description<Units>() {
    static const Description described{.keys = {required<&Units::cores>("cores", "", {.range = kNotNegative}),
                                                required<&Units::gpus>("gpus", "", {.range = kNotNegative})}};
    return described;
}

template <>
const Description& description<MeanTime>() {
    static const Description described{
        .keys = {required<&MeanTime::mean>("mean", "over draws"),
                 computed("low", "of its 95 % confidence interval",
                          [](const MeanTime& time) { return time.low.in(unit::second); }),
                 required<&MeanTime::high>("high", "")},
        .one_unit = true};
    return described;
}

template <>
const Description& description<Rung>() {
    static const Description described{
        .keys = {required<&Rung::bracket>("bracket", "of Hyperband; 0 of the others", {.range = kNotNegative}),
                 required<&Rung::share>("share", "of a trial's work, done at its end", {.range = kPositiveShare}),
                 required<&Rung::trials>("trials", "", {.range = kNotNegative})}};
    return described;
}

template <>
const Description& description<EarlyStopped>() {
    static const Description described{
        .keys = {required<&EarlyStopped::rule, &EarlyStopping::kind>("kind", ""),
                 required<&EarlyStopped::rule, &EarlyStopping::eta>("eta", "one in so many continues",
                                                                    {.range = at_least(2)}),
                 required<&EarlyStopped::rule, &EarlyStopping::draws>("draws", "", {.range = kNotNegative}),
                 required<&EarlyStopped::rule, &EarlyStopping::seed>("seed", "", {.range = kNotNegative}),
                 required<&EarlyStopped::trials, &StoppedTrials::makespan>("makespan", ""),
                 required<&EarlyStopped::trials, &StoppedTrials::work>("work", "of all trials, on average"),
                 required<&EarlyStopped::trials, &StoppedTrials::finished>("finished", "trials that run to their end",
                                                                           {.range = kNotNegative}),
                 required<&EarlyStopped::trials, &StoppedTrials::rungs>("rungs", "")}};
    return described;
}

template <>
const Description& description<FailingTrials>() {
    static const Description described{
        .keys = {required<&FailingTrials::failures, &Failures::mtbf>("mtbf", "of a running trial"),
                 required<&FailingTrials::failures, &Failures::tries>(
                     "tries", "attempts of a trial, the first included", {.range = at_least(1)}),
                 required<&FailingTrials::failures, &Failures::draws>("draws", "", {.range = kNotNegative}),
                 required<&FailingTrials::failures, &Failures::seed>("seed", "", {.range = kNotNegative}),
                 required<&FailingTrials::schedule, &ExpectedSchedule::makespan>("makespan", ""),
                 required<&FailingTrials::schedule, &ExpectedSchedule::work>("work", "of all attempts, on average"),
                 required<&FailingTrials::schedule, &ExpectedSchedule::failed>("failed_attempts", "on average",
                                                                               {.range = kNotNegative}),
                 required<&FailingTrials::schedule, &ExpectedSchedule::gave_up>("trials_given_up", "on average",
                                                                                {.range = kNotNegative})}};
    return described;
}

namespace {

const Description& policy_alternative() {
    static const Description described{
        .keys = {required<&Alternative::policy>("policy", ""), required<&Alternative::makespan>("makespan", ""),
                 required<&Alternative::utilisation>("utilisation", "", {.range = kNotNegative})}};
    return described;
}

const Description& units_alternative() {
    static const Description described{
        .keys = {required<&Alternative::units>("units", "that all trials take"),
                 required<&Alternative::makespan>("makespan", ""),
                 required<&Alternative::utilisation>("utilisation", "", {.range = kNotNegative})}};
    return described;
}

}  // namespace

template <>
const Description& description<ScheduledTrial>() {
    static const Description described{
        .keys = {
            computed("trial", "", [](const ScheduledTrial& one) { return one.run.job + 1; }, {.range = at_least(1)}),
            required_as<&ScheduledTrial::settings>(questions::trials::settings_type(), "settings", ""),
            required<&ScheduledTrial::choice, &trials::Choice::units>("units", ""),
            required<&ScheduledTrial::choice, &trials::Choice::source>("time_from", ""),
            required<&ScheduledTrial::run, &TrialRun::start>("start", ""),
            required<&ScheduledTrial::run, &TrialRun::end>("end", ""),
            computed("node", "", [](const ScheduledTrial& one) { return one.run.place.node + 1; },
                     {.range = at_least(1)}),
            computed("lane", "", [](const ScheduledTrial& one) { return one.run.place.lane + 1; },
                     {.range = at_least(1)})}};
    return described;
}

template <>
const Description& description<questions::trials::Answer>() {
    using questions::trials::Answer;
    using questions::trials::Question;
    static const Description described{
        .noun = "trials",
        .summary = "SI base units, the unit in the key; what is absent is null.",
        .keys = {
            required<&Answer::question, &Question::study>("study", ""),
            computed("trials", "", [](const Answer& answer) { return answer.question.of.trials.size(); },
                     {.range = at_least(1)}),
            required<&Answer::question, &Question::of, &trials::Question::pool, &trials::Pool::nodes>(
                "nodes", "", {.range = at_least(1)}),
            required<&Answer::question, &Question::of, &trials::Question::pool, &trials::Pool::node>("node", "of each"),
            required<&Answer::prediction, &trials::Prediction::bounds, &trials::Bounds::slots>(
                "slots", "trials at once, where all take the same", {.range = at_least(1)}),
            required<&Answer::prediction, &trials::Prediction::policy>("policy", ""),
            required_as<&Answer::prediction, &trials::Prediction::makespan>(record_type(makespan_interval), "makespan",
                                                                            ""),
            required<&Answer::prediction, &trials::Prediction::schedule, &trials::Schedule::utilisation>(
                "utilisation", "1 but for rounding at most", {.range = {.least = 0, .most = 1.000001}}),
            required<&Answer::prediction, &trials::Prediction::lower>("lower_bound", "no schedule is shorter"),
            required<&Answer::prediction, &trials::Prediction::bounds, &trials::Bounds::list_factor>(
                "list_factor", "any list schedule is at most so many times as long as the best",
                {.range = at_least(1)}),
            required<&Answer::prediction, &trials::Prediction::bounds, &trials::Bounds::lpt_factor>(
                "lpt_factor", "the same of the longest first", {.range = at_least(1)}),
            computed("cost", "",
                     [](const Answer& answer) {
                         const auto& cost = answer.prediction.cost;
                         return cost ? std::optional(cost->in(unit::money)) : std::nullopt;
                     },
                     {.range = kNotNegative}),
            computed("currency", "",
                     [](const Answer& answer) {
                         const auto& rent = answer.question.of.rent;
                         return rent ? std::optional(rent->currency) : std::nullopt;
                     }),
            required_as<&Answer::prediction, &trials::Prediction::policies>(
                list_type<Alternative>(record_type(policy_alternative)), "policies", ""),
            required_as<&Answer::prediction, &trials::Prediction::widths>(
                list_type<Alternative>(record_type(units_alternative)), "widths", ""),
            computed("early_stopping", "",
                     [](const Answer& answer) {
                         const auto& stopped = answer.prediction.stopped;
                         return stopped ? std::optional(EarlyStopped{*answer.question.of.stopping, *stopped})
                                        : std::nullopt;
                     }),
            computed("failures", "",
                     [](const Answer& answer) {
                         const auto& failing = answer.prediction.failing;
                         return failing ? std::optional(FailingTrials{*answer.question.of.failures, *failing})
                                        : std::nullopt;
                     }),
            computed("schedule", "", [](const Answer& answer) { return scheduled_trials(answer); }, {.rows = true})}};
    return described;
}

}  // namespace dodona::files
