#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/trials/timeline.hpp"
#include "questions/trials/trials.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::trials {

namespace {

using namespace reports;
using namespace dodona::trials;
using TrialQuestion = dodona::trials::Question;

constexpr std::size_t kMaxTrialsShown = 40;

/// Units of a trial: one size for all trials, or from the smallest to the largest.
std::string sizes_text(const Prediction& answer) {
    const auto [least, most] = std::minmax_element(answer.jobs.begin(), answer.jobs.end(),
                                                   [](const Job& a, const Job& b) { return a.units < b.units; });
    return least->units == most->units
               ? units_text(least->units) + " each"
               : fmt::format("{} to {} each", units_text(least->units), units_text(most->units));
}

std::string pool_text(const TrialQuestion& question) {
    return fmt::format("{} with {}", counted(question.pool.nodes, "node"), units_text(question.pool.node));
}

/// "4 at once, 1 core each, on 1 node with 4 cores".
std::string at_once(const TrialQuestion& question, const Prediction& answer) {
    const std::string where = fmt::format("{}, on {}", sizes_text(answer), pool_text(question));
    if (!answer.bounds.slots) {
        return where;
    }
    const auto count = static_cast<std::int64_t>(question.trials.size());
    return fmt::format("{} at once, {}", whole(std::min(*answer.bounds.slots, count)), where);
}

std::vector<KeyFigure> figures(const TrialQuestion& question, const Prediction& answer) {
    const double over = answer.schedule.makespan / answer.lower - 1;
    std::vector<KeyFigure> all{
        {.label = "makespan",
         .value = duration_cell(answer.makespan),
         .note = fmt::format("({}: {})", name(answer.policy), enumerator_of(answer.policy).meaning)},
        {.label = "trials",
         .value = whole(question.trials.size()),
         .note = fmt::format("({})", at_once(question, answer))},
        {.label = "utilisation", .value = Percent{answer.schedule.utilisation}},
        {.label = "at least",
         .value = Duration{answer.lower},
         .note = over < 1e-9 ? "(so no schedule is shorter)"
                             : fmt::format("(this schedule is at most {} longer than the best one)", percent(over))}};
    if (answer.cost) {
        all.push_back({.label = "cost",
                       .value = Cost{*answer.cost, question.rent->currency},
                       .note = "(all nodes, from the first start to the last end)"});
    }
    return all;
}

Table policy_table(const TrialQuestion& question, const Prediction& answer) {
    Table table({{"policy"}, {"makespan", Align::right}, {"utilisation", Align::right}, {"guaranteed"}});
    for (const Alternative& one : answer.policies) {
        const bool is_lpt = one.policy == Policy::lpt;
        const std::optional<double>& factor = is_lpt ? answer.bounds.lpt_factor : answer.bounds.list_factor;
        const std::string guarantee =
            factor ? fmt::format("at most {} times the best", three_digits(*factor)) : std::string();
        table.row({marked(std::string(name(one.policy)), one.policy == answer.policy ? Mark::answer : Mark::none),
                   Duration{one.makespan}, Percent{one.utilisation}, guarantee});
    }
    return question.trials.size() > 1 ? table : Table({{""}});
}

Table width_table(const Prediction& answer) {
    Table table({{"each trial on"},
                 {"trials", Align::right},
                 {"all on that: makespan", Align::right},
                 {"utilisation", Align::right}});
    for (const Alternative& one : answer.widths) {
        const auto taken = count_if(answer.jobs, [&](const Job& job) { return job.units == one.units; });
        table.row({units_text(one.units), Count{taken}, Duration{one.makespan}, Percent{one.utilisation}});
    }
    return table;
}

Table rung_table(const TrialQuestion& question, const Prediction& answer) {
    const bool has_brackets = question.stopping && question.stopping->kind == Stopping::hyperband;
    Table table(
        {{has_brackets ? "bracket" : "rung"}, {"trials", Align::right}, {"to this share of their work", Align::right}});
    if (answer.stopped) {
        int number = 0;
        for (const Rung& rung : answer.stopped->rungs) {
            ++number;
            table.row(
                {fmt::format("{}", has_brackets ? rung.bracket : number), Number{rung.trials}, Percent{rung.share}});
        }
    }
    return table;
}

KeyFigures stopping_figures(const Prediction& answer) {
    if (!answer.stopped) {
        return {};
    }
    const StoppedTrials& stopped = *answer.stopped;
    const auto all = sum_of<Seconds>(answer.jobs, &Job::time);
    return {{{.label = "makespan",
              .value = Duration{stopped.makespan.mean},
              .note = fmt::format("expected (95 % confidence {} to {}); {} without early stopping",
                                  duration(stopped.makespan.low), duration(stopped.makespan.high),
                                  duration(answer.schedule.makespan))},
             {.label = "work", .value = Percent{stopped.work / all}, .note = "of that of all trials in full"},
             {.label = "in full", .value = Number{stopped.finished}, .note = "trials run to their end"}}};
}

KeyFigures failure_figures(const TrialQuestion& question, const Prediction& answer) {
    if (!answer.failing) {
        return {};
    }
    const ExpectedSchedule& failing = *answer.failing;
    return {{{.label = "makespan",
              .value = Duration{failing.makespan.mean},
              .note = fmt::format("expected (95 % confidence {} to {}); {} without failures",
                                  duration(failing.makespan.low), duration(failing.makespan.high),
                                  duration(answer.schedule.makespan))},
             {.label = "failed", .value = Number{failing.failed}, .note = "attempts, submitted again"},
             {.label = "given up",
              .value = Number{failing.gave_up},
              .note = fmt::format("trials that failed {}", counted(question.failures->tries, "time"))}}};
}

Table trial_table(const TrialQuestion& question, const Prediction& answer) {
    Table table(
        {{"trial", Align::right}, {"settings"}, {"on"}, {"from", Align::right}, {"to", Align::right}, {"time from"}});
    for (const TrialRun& run : answer.schedule.runs) {
        if (table.rows.size() == kMaxTrialsShown) {
            break;
        }
        const Trial& trial = question.trials[run.job];
        const Choice& choice = trial.choices[answer.chosen[run.job]];
        table.row({whole(run.job + 1), text(trial.settings), units_text(choice.units), Duration{run.start},
                   Duration{run.end}, std::string(name(choice.source))});
    }
    return table;
}

/// Sources of the times, each once.
List times(const TrialQuestion& question, const Prediction& answer) {
    std::map<TimeSource, std::size_t> trials_of;
    for (std::size_t i = 0; i < question.trials.size(); ++i) {
        ++trials_of[question.trials[i].choices[answer.chosen[i]].source];
    }
    List list;
    for (const auto& [source, count] : trials_of) {
        list.items.push_back(fmt::format("{}: {}", counted(count, "trial"), enumerator_of(source).meaning));
    }
    return list;
}

}  // namespace

std::string units_text(const Units& units) {
    const std::string cores = units.cores > 0 ? counted(units.cores, "core") : "";
    const std::string gpus = units.gpus > 0 ? counted(units.gpus, "GPU") : "";
    return cores.empty() || gpus.empty() ? cores + gpus : cores + " and " + gpus;
}

Document document(const Answer& answer) {
    const auto& [asked, prediction] = answer;
    const TrialQuestion& question = asked.of;
    Document document = answer_document(answer);
    std::vector<Settings> settings;
    for (const Trial& trial : question.trials) {
        settings.push_back(trial.settings);
    }
    add(document, Headline{fmt::format("{}: {} in {}", asked.study, counted(question.trials.size(), "trial"),
                                       duration(prediction.schedule.makespan))});
    add(document, KeyFigures{figures(question, prediction)});
    add_section(document, {"Order of the trials"}, {policy_table(question, prediction)});
    add_section(document, {"How much each trial takes"}, {width_table(prediction)});
    if (question.stopping) {
        add_section(document, {fmt::format("Early stopping: {}", name(question.stopping->kind))},
                    {stopping_figures(prediction), rung_table(question, prediction),
                     Note{"which trials are the best is drawn: this is what it costs, not what it finds"}});
    }
    add_section(document, {"Failures"}, {failure_figures(question, prediction)});
    add_section(document, {"When each runs"},
                {chart({.study = asked.study, .runs = prediction.schedule.runs, .settings = settings})});
    add_section(document, {"Trials"}, {trial_table(question, prediction)});
    if (question.trials.size() > kMaxTrialsShown) {
        add(document,
            Note{fmt::format("and {} more; --format csv lists all", question.trials.size() - kMaxTrialsShown)});
    }
    add_section(document, {.title = "Evidence", .detail = true}, {times(question, prediction)});
    return document;
}

}  // namespace dodona::questions::trials
