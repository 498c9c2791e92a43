#include "reports/collect/trials_run_report.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/csv_cell.hpp"
#include "reports/collect/trials_record.hpp"
#include "reports/collect/trials_report.hpp"
#include "reports/collect/trials_trace.hpp"
#include "reports/document/number_format.hpp"
#include "runner/process.hpp"

namespace dodona::reports {

namespace {

constexpr std::size_t kMaxAttemptsShown = 40;

/// Median of |predicted / measured - 1| over the trials that finished; none: nothing was predicted.
std::optional<double> median_error(const runner::StudyDone& done, const trials::Forecast& forecast) {
    std::vector<double> errors;
    for (const runner::Attempt& attempt : done.attempts) {
        const Seconds measured = attempt.end - attempt.start;
        if (attempt.state == runner::State::finished && measured > Seconds{}) {
            errors.push_back(std::abs(forecast.jobs[attempt.trial].time / measured - 1));
        }
    }
    if (errors.empty()) {
        return std::nullopt;
    }
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::nth_element(errors.begin(), middle, errors.end());
    return *middle;
}

std::string compared(const runner::StudyRun& run, const runner::StudyDone& done, const trials::Forecast* forecast) {
    if (forecast == nullptr || done.finished < run.trials.size()) {
        return "";
    }
    return fmt::format("(predicted {}: {})", duration(forecast->schedule.makespan),
                       signed_percent(forecast->schedule.makespan / done.makespan - 1));
}

/// Trials with a result, the best first.
std::vector<std::size_t> ranked(const runner::StudyRun& run, const runner::StudyDone& done) {
    std::vector<std::size_t> trials;
    for (std::size_t trial = 0; trial < done.results.size(); ++trial) {
        if (done.results[trial]) {
            trials.push_back(trial);
        }
    }
    const bool highest = run.result && run.result->best == trials::Best::highest;
    std::stable_sort(trials.begin(), trials.end(), [&](std::size_t a, std::size_t b) {
        return highest ? *done.results[a] > *done.results[b] : *done.results[a] < *done.results[b];
    });
    return trials;
}

bool is_early(const runner::StudyDone& done, std::size_t trial) {
    return std::find(done.early.begin(), done.early.end(), trial) != done.early.end();
}

std::vector<KeyFigure> run_figures(const runner::StudyRun& run, const runner::StudyDone& done,
                                   const trials::Forecast* forecast) {
    std::vector<KeyFigure> figures{
        {.label = "finished",
         .value = fmt::format("{} of {}", done.finished, counted(run.trials.size(), "trial")),
         .note = done.resumed > 0 ? fmt::format("({} of them before this session)", done.resumed) : ""},
        {.label = "makespan", .value = Duration{done.makespan}, .note = compared(run, done, forecast)},
        {.label = "utilisation",
         .value = Percent{trials::utilisation(runs_of(done), run.jobs, run.pool, done.makespan)},
         .note = {}}};
    if (!done.early.empty()) {
        figures.push_back(
            {.label = "stopped", .value = counted(done.early.size(), "trial"), .note = "(worse than others)"});
    }
    if (const std::vector<std::size_t> best = ranked(run, done); !best.empty()) {
        figures.push_back(
            {.label = "best",
             .value = fmt::format("{:.6g}", *done.results[best.front()]),
             .note = fmt::format("of trial {}: {}", best.front() + 1, trials::text(run.trials[best.front()]))});
    }
    if (const auto error = forecast != nullptr ? median_error(done, *forecast) : std::nullopt) {
        figures.push_back({.label = "a trial's time",
                           .value = Percent{*error},
                           .note = "off in the median, predicted against measured"});
    }
    return figures;
}

Table result_table(const runner::StudyRun& run, const runner::StudyDone& done) {
    Table table({{"trial", Align::right}, {"settings"}, {"result", Align::right}, {"state"}});
    for (const std::size_t trial : ranked(run, done)) {
        if (table.rows.size() == kMaxAttemptsShown) {
            break;
        }
        table.row({whole(trial + 1), trials::text(run.trials[trial]), fmt::format("{:.6g}", *done.results[trial]),
                   std::string(is_early(done, trial) ? "stopped" : "finished")});
    }
    return table;
}

Record results_record(const runner::StudyRun& run, const runner::StudyDone& done) {
    return list_of(ranked(run, done), [&](std::size_t trial) {
        return Record{{"trial", trial + 1},
                      {"settings", trial_settings_record(run.trials[trial])},
                      {"result", *done.results[trial]},
                      {"stopped", is_early(done, trial)}};
    });
}

List trouble(const runner::StudyRun& run, const runner::StudyDone& done) {
    List list;
    if (!done.stopped.empty()) {
        list.items.push_back(
            fmt::format("stopped: {}; what has finished is kept, and the same command goes on", done.stopped));
    }
    for (const std::size_t trial : done.failed) {
        const auto last = std::find_if(done.attempts.rbegin(), done.attempts.rend(),
                                       [&](const runner::Attempt& attempt) { return attempt.trial == trial; });
        const std::string why = last->status == runner::kNotFoundStatus        ? "found no command (status 127)"
                                : last->status == runner::kNotExecutableStatus ? "found a file that is no program (126)"
                                : last->status > 128 ? fmt::format("was ended by signal {}", last->status - 128)
                                                     : fmt::format("ended with status {}", last->status);
        list.items.push_back(fmt::format("trial {} ({}) {}: {}/log", trial + 1, trials::text(run.trials[trial]), why,
                                         runner::trial_folder(run.folder, trial)));
        if (list.items.size() == kMaxAttemptsShown) {
            list.items.push_back("and more: trials.csv has all");
            break;
        }
    }
    for (const std::string& node : done.lost) {
        list.items.push_back(
            fmt::format("node {} could not be reached {} times in a row: nothing more was started there", node,
                        runner::kNodeFailures));
    }
    return list;
}

Table attempt_table(const runner::StudyRun& run, const runner::StudyDone& done, const trials::Forecast* forecast) {
    Table table({{"trial", Align::right},
                 {"settings"},
                 {"node"},
                 {"from", Align::right},
                 {"time", Align::right},
                 {"predicted", Align::right},
                 {"state"}});
    for (const runner::Attempt& attempt : done.attempts) {
        if (table.rows.size() == kMaxAttemptsShown) {
            break;
        }
        table.row({whole(attempt.trial + 1), trials::text(run.trials[attempt.trial]),
                   run.nodes[static_cast<std::size_t>(attempt.place.node)], Duration{attempt.start},
                   attempt.end - attempt.start, forecast != nullptr ? Cell(forecast->jobs[attempt.trial].time) : Cell(),
                   std::string(name(attempt.state))});
    }
    return table;
}

Record attempts_record(const runner::StudyRun& run, const runner::StudyDone& done, const trials::Forecast* forecast) {
    return list_of(done.attempts, [&](const runner::Attempt& attempt) {
        return Record{{"trial", attempt.trial + 1},
                      {"settings", trial_settings_record(run.trials[attempt.trial])},
                      {"try", attempt.number},
                      {"node", run.nodes[static_cast<std::size_t>(attempt.place.node)]},
                      {"start_s", attempt.start},
                      {"time_s", attempt.end - attempt.start},
                      {"predicted_s", forecast != nullptr ? Record(forecast->jobs[attempt.trial].time) : Record()},
                      {"state", name(attempt.state)},
                      {"status", attempt.status}};
    });
}

Record run_record(const std::string& study, const runner::StudyRun& run, const runner::StudyDone& done,
                  const trials::Forecast* forecast) {
    return {{"schema", "dodona/trials-run/1"},
            {"study", study},
            {"trials", run.trials.size()},
            {"finished", done.finished},
            {"finished_before", done.resumed},
            {"failed", list_of(done.failed, [](std::size_t trial) { return Record(trial + 1); })},
            {"stopped_early", list_of(done.early, [](std::size_t trial) { return Record(trial + 1); })},
            {"results", results_record(run, done)},
            {"lost_nodes", done.lost},
            {"stopped", text_or_null(done.stopped)},
            {"policy", name(run.policy)},
            {"makespan_s", done.makespan},
            {"predicted_makespan_s", forecast != nullptr ? Record(forecast->schedule.makespan) : Record()},
            {"median_error", forecast != nullptr ? Record(median_error(done, *forecast)) : Record()},
            {"attempts", attempts_record(run, done, forecast)}};
}

}  // namespace

std::vector<trials::TrialRun> runs_of(const runner::StudyDone& done) {
    std::vector<trials::TrialRun> runs;
    for (const runner::Attempt& attempt : done.attempts) {
        runs.push_back({attempt.trial, attempt.place, attempt.start, attempt.end,
                        attempt.state != runner::State::finished && attempt.state != runner::State::stopped});
    }
    return runs;
}

std::string trials_csv(const runner::StudyRun& run, const runner::StudyDone& done) {
    std::string text = "trial,try";
    for (const auto& setting : run.trials.front()) {
        text += "," + csv_cell(csv_text(setting.first));
    }
    text += fmt::format(",cores,gpus,node,start_s,time_s,state{},log\n", run.result ? ",result" : "");
    for (const runner::Attempt& attempt : done.attempts) {
        text += fmt::format("{},{}", attempt.trial + 1, attempt.number);
        for (const auto& setting : run.trials[attempt.trial]) {
            text += "," + csv_cell(csv_text(setting.second));
        }
        const trials::Units& units = run.jobs[attempt.trial].units;
        const auto result = done.results.empty() ? std::nullopt : done.results[attempt.trial];
        const bool counts = attempt.state == runner::State::finished || attempt.state == runner::State::stopped;
        const std::string value = !run.result ? "" : result && counts ? fmt::format(",{}", *result) : ",";
        text += fmt::format(",{},{},{},{:.3f},{:.3f},{}{},{}\n", units.cores, units.gpus,
                            csv_cell(csv_text(run.nodes[static_cast<std::size_t>(attempt.place.node)])),
                            attempt.start.in(unit::second), (attempt.end - attempt.start).in(unit::second),
                            name(attempt.state), value,
                            csv_cell(csv_text(runner::trial_folder(run.folder, attempt.trial) + "/log")));
    }
    return text;
}

Document trials_run_document(const std::string& study, const runner::StudyRun& run, const runner::StudyDone& done,
                             const trials::Forecast* forecast) {
    Document document;
    document.record = run_record(study, run, done, forecast);
    document.rows = std::get<Record::List>(document.record.at("attempts").of());
    const bool is_whole = done.finished + done.early.size() == run.trials.size();
    add(document,
        Headline{fmt::format("{}: {} of {} finished{}", study, done.finished, counted(run.trials.size(), "trial"),
                             is_whole ? " in " + duration(done.makespan) : "")});
    add(document, KeyFigures{run_figures(run, done, forecast)});
    if (run.result) {
        add_section(document, {"Results"}, {result_table(run, done)});
    }
    add_section(document, {"What went wrong"}, {trouble(run, done)});
    const std::vector<trials::TrialRun> runs = runs_of(done);
    add_section(document, {"What ran when"},
                {trials_chart({.study = study, .simulated = false, .runs = runs, .settings = run.trials})});
    add_section(document, {"Trials"}, {attempt_table(run, done, forecast)});
    add(document, Note{fmt::format("{}/trials.csv has all attempts: `dodona trials --observed` reads it", run.folder)});
    return document;
}

}  // namespace dodona::reports
