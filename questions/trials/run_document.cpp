#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/csv_cell.hpp"
#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/trials/run.hpp"
#include "questions/trials/timeline.hpp"
#include "reports/document/number_format.hpp"
#include "runner/process.hpp"

namespace dodona::questions::trials {

namespace {

using namespace reports;
using namespace dodona::trials;

constexpr std::size_t kMaxAttemptsShown = 40;

std::string compared(const RunAnswer& answer) {
    const auto& [study, run, done, prediction] = answer;
    if (!prediction || done.finished < run.trials.size()) {
        return "";
    }
    return fmt::format("(predicted {}: {})", duration(prediction->schedule.makespan),
                       signed_percent(prediction->schedule.makespan / done.makespan - 1));
}

std::vector<KeyFigure> run_figures(const RunAnswer& answer) {
    const auto& [study, run, done, prediction] = answer;
    std::vector<KeyFigure> figures{
        {.label = "finished",
         .value = fmt::format("{} of {}", done.finished, counted(run.trials.size(), "trial")),
         .note = done.resumed > 0 ? fmt::format("({} of them before this session)", done.resumed) : ""},
        {.label = "makespan", .value = Duration{done.makespan}, .note = compared(answer)},
        {.label = "utilisation", .value = Percent{utilisation(runs_of(done), run.jobs, run.pool, done.makespan)}}};
    if (!done.early.empty()) {
        figures.push_back(
            {.label = "stopped", .value = counted(done.early.size(), "trial"), .note = "(worse than others)"});
    }
    if (const std::vector<std::size_t> best = ranked(answer); !best.empty()) {
        figures.push_back({.label = "best",
                           .value = fmt::format("{:.6g}", *done.results[best.front()]),
                           .note = fmt::format("of trial {}: {}", best.front() + 1, text(run.trials[best.front()]))});
    }
    if (const auto error = median_error(answer)) {
        figures.push_back({.label = "a trial's time",
                           .value = Percent{*error},
                           .note = "off in the median, predicted against measured"});
    }
    return figures;
}

Table result_table(const RunAnswer& answer) {
    const auto& [study, run, done, prediction] = answer;
    Table table({{"trial", Align::right}, {"settings"}, {"result", Align::right}, {"state"}});
    for (const std::size_t trial : ranked(answer)) {
        if (table.rows.size() == kMaxAttemptsShown) {
            break;
        }
        table.row({whole(trial + 1), text(run.trials[trial]), fmt::format("{:.6g}", *done.results[trial]),
                   std::string(is_stopped_early(answer, trial) ? "stopped" : "finished")});
    }
    return table;
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
        list.items.push_back(fmt::format("trial {} ({}) {}: {}/log", trial + 1, text(run.trials[trial]), why,
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

Table attempt_table(const RunAnswer& answer) {
    const auto& [study, run, done, prediction] = answer;
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
        table.row({whole(attempt.trial + 1), text(run.trials[attempt.trial]),
                   run.nodes[static_cast<std::size_t>(attempt.place.node)], Duration{attempt.start},
                   attempt.end - attempt.start, prediction ? Cell(prediction->jobs[attempt.trial].time) : Cell(),
                   std::string(name(attempt.state))});
    }
    return table;
}

}  // namespace

std::vector<TrialRun> runs_of(const runner::StudyDone& done) {
    return mapped<TrialRun>(done.attempts, [](const runner::Attempt& attempt) {
        return TrialRun{attempt.trial, attempt.place, attempt.start, attempt.end,
                        attempt.state != runner::State::finished && attempt.state != runner::State::stopped};
    });
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
        const Units& units = run.jobs[attempt.trial].units;
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

Document document(const RunAnswer& answer) {
    const auto& [study, run, done, prediction] = answer;
    Document document = answer_document(answer);
    const bool is_whole = done.finished + done.early.size() == run.trials.size();
    add(document,
        Headline{fmt::format("{}: {} of {} finished{}", study, done.finished, counted(run.trials.size(), "trial"),
                             is_whole ? " in " + duration(done.makespan) : "")});
    add(document, KeyFigures{run_figures(answer)});
    if (run.result) {
        add_section(document, {"Results"}, {result_table(answer)});
    }
    add_section(document, {"What went wrong"}, {trouble(run, done)});
    const std::vector<TrialRun> runs = runs_of(done);
    add_section(document, {"What ran when"},
                {chart({.study = study, .simulated = false, .runs = runs, .settings = run.trials})});
    add_section(document, {"Trials"}, {attempt_table(answer)});
    add(document, Note{fmt::format("{}/trials.csv has all attempts: `dodona trials --observed` reads it", run.folder)});
    return document;
}

}  // namespace dodona::questions::trials
