#include "reports/collect/trials_record.hpp"

namespace dodona::reports {

namespace {

using trials::Forecast;
using trials::Question;

Record units_record(const trials::Units& units) { return {{"cores", units.cores}, {"gpus", units.gpus}}; }

Record runs_record(const Question& question, const Forecast& answer) {
    return list_of(answer.schedule.runs, [&](const trials::TrialRun& run) {
        const trials::Trial& trial = question.trials[run.job];
        const trials::Choice& choice = trial.choices[answer.chosen[run.job]];
        return Record{{"trial", run.job + 1},
                      {"settings", trial_settings_record(trial.settings)},
                      {"units", units_record(choice.units)},
                      {"time_from", name(choice.source)},
                      {"start_s", run.start},
                      {"end_s", run.end},
                      {"node", run.place.node + 1},
                      {"lane", run.place.lane + 1}};
    });
}

Record alternatives_record(const std::vector<trials::Alternative>& alternatives, bool of_policies) {
    return list_of(alternatives, [&](const trials::Alternative& one) {
        Record record = of_policies ? Record{{"policy", name(one.policy)}} : Record{{"units", units_record(one.units)}};
        record.append({{"makespan_s", one.makespan}, {"utilisation", one.utilisation}});
        return record;
    });
}

Record mean_record(const trials::MeanTime& time) {
    return {{"mean", time.mean}, {"low", time.low}, {"high", time.high}};
}

Record stopping_record(const Question& question, const Forecast& answer) {
    if (!answer.stopped) {
        return {};
    }
    return {{"kind", name(question.stopping->kind)},
            {"eta", question.stopping->eta},
            {"draws", question.stopping->draws},
            {"seed", static_cast<std::int64_t>(question.stopping->seed)},
            {"makespan_s", mean_record(answer.stopped->makespan)},
            {"work_s", answer.stopped->work},
            {"finished", answer.stopped->finished},
            {"rungs", list_of(answer.stopped->rungs, [](const trials::Rung& rung) {
                 return Record{{"bracket", rung.bracket}, {"share", rung.share}, {"trials", rung.trials}};
             })}};
}

Record failures_record(const Question& question, const Forecast& answer) {
    if (!answer.failing) {
        return {};
    }
    return {{"mtbf_s", question.failures->mtbf},
            {"tries", question.failures->tries},
            {"draws", question.failures->draws},
            {"seed", static_cast<std::int64_t>(question.failures->seed)},
            {"makespan_s", mean_record(answer.failing->makespan)},
            {"work_s", answer.failing->work},
            {"failed_attempts", answer.failing->failed},
            {"trials_given_up", answer.failing->gave_up}};
}

}  // namespace

Record trial_settings_record(const trials::Settings& settings) {
    Record record = no_fields();
    for (const auto& [name, value] : settings) {
        record[name] = value;
    }
    return record;
}

Record trials_record(const std::string& study, const Question& question, const Forecast& answer) {
    return {{"schema", "dodona/trials/1"},
            {"study", study},
            {"trials", question.trials.size()},
            {"nodes", question.pool.nodes},
            {"node", units_record(question.pool.node)},
            {"slots", answer.bounds.slots},
            {"policy", name(answer.policy)},
            {"makespan_s", {{"value", answer.makespan.value}, {"lo", answer.makespan.lo}, {"hi", answer.makespan.hi}}},
            {"utilisation", answer.schedule.utilisation},
            {"lower_bound_s", answer.lower},
            {"list_factor", answer.bounds.list_factor},
            {"lpt_factor", answer.bounds.lpt_factor},
            {"cost", answer.cost},
            {"currency", question.rent ? Record(question.rent->currency) : Record()},
            {"policies", alternatives_record(answer.policies, true)},
            {"widths", alternatives_record(answer.widths, false)},
            {"early_stopping", stopping_record(question, answer)},
            {"failures", failures_record(question, answer)},
            {"schedule", runs_record(question, answer)}};
}

}  // namespace dodona::reports
