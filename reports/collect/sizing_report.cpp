#include "reports/text/sizing.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "reports/figures.hpp"
#include "reports/text/goals.hpp"
#include "reports/text/next.hpp"
#include "reports/text/section.hpp"
#include "reports/words.hpp"

namespace dodona::reports {

namespace {

using search::Attempt;
using search::Find;
using search::Goal;

constexpr std::size_t kMostRows = 12;

bool several(const SizingReport& report) { return report.machines.size() > 1; }

const SizedMachine* best_of(const SizingReport& report) {
    return report.best ? &report.machines[*report.best] : nullptr;
}

std::string machine_names(const SizingReport& report) {
    std::vector<std::string> names;
    for (const SizedMachine& machine : report.machines) {
        names.push_back(machine.machine);
    }
    return join(names);
}

/// ": 300 billion tokens in 30.0 d", or nothing.
std::string asked(const SizingReport& report, const SizedMachine& machine) {
    const std::string goals = goal_words(report.question, machine.price);
    return goals.empty() ? "" : ": " + goals;
}

std::string headline(const SizingReport& report) {
    const std::string& model = report.question.model;
    const SizedMachine* best = best_of(report);
    if (best == nullptr) {
        const bool unsure = std::any_of(report.machines.begin(), report.machines.end(),
                                        [](const SizedMachine& m) { return !m.sizing.complete; });
        return fmt::format("{}: {} on {}{}", unsure ? "none found yet" : "no count of GPUs that was asked about does",
                           model, machine_names(report), asked(report, report.machines.front()));
    }
    const std::string devices = fmt::format("{} of {}", counted(best->sizing.answer()->devices, "GPU"), best->machine);
    const std::string goals = asked(report, *best);
    switch (report.find) {
        case Find::fewest:
            return fmt::format("{} needs {}{}{}", model, devices, goals,
                               best->sizing.complete ? "" : " (fewer may do: stopped before all were looked at)");
        case Find::fastest: return fmt::format("{} trains fastest on {}{}", model, devices, goals);
        case Find::cheapest: return fmt::format("{} is cheapest on {}{}", model, devices, goals);
    }
    return {};
}

/// Which rows a long table keeps, ascending.
std::vector<const Attempt*> shown(const search::Sizing& sizing) {
    const std::vector<Attempt>& all = sizing.attempts;
    std::vector<const Attempt*> rows;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool near = sizing.found && (i + 1 == *sizing.found || i == *sizing.found || i == *sizing.found + 1);
        const bool half = sizing.found && (2 * all[i].devices == all[*sizing.found].devices ||
                                           all[i].devices == 2 * all[*sizing.found].devices);
        const bool far = rows.empty() || all[i].devices >= 2 * rows.back()->devices;
        if (all.size() <= kMostRows || near || half || far) {
            rows.push_back(&all[i]);
        }
    }
    return rows;
}

std::string per_device(const Attempt& attempt, const Attempt& answer) {
    const double mine = attempt.plan->samples_per_second / static_cast<double>(attempt.devices);
    const double its = answer.plan->samples_per_second / static_cast<double>(answer.devices);
    return percent(mine / its);
}

std::string ruled_out_words(const SizingReport& report, const SizedMachine& machine, const search::RuledOut& group) {
    const search::Bound& bound = machine.sizing.bound;
    const double samples_per_second = bound.most_samples_per_second(group.last);
    const std::string counts = group.first == group.last
                                   ? counted(group.last, "GPU")
                                   : fmt::format("{} to {} ({})", whole(static_cast<double>(group.first)),
                                                 counted(group.last, "GPU"), counted(group.counts, "count"));
    const auto run = [&] { return *report.question.goals.samples / samples_per_second * unit::second; };
    switch (group.by) {
        case Goal::fits:
            return fmt::format(
                "{}: weights and what the optimizer keeps of them take {}, {} {}", counts, text(bound.least_memory),
                group.last == 1 ? "1 GPU has" : fmt::format("{} together have", counted(group.last, "GPU")),
                text(static_cast<double>(group.last) * bound.memory_of_one));
        case Goal::throughput:
            return fmt::format("{}: {} at most, were every kernel at its best and all else free", counts,
                               rate_words(report.question, samples_per_second));
        case Goal::deadline:
            return fmt::format("{}: {} at least, were every kernel at its best and all else free", counts,
                               duration(run()));
        case Goal::budget:
            return fmt::format(
                "{}: {} at least, were every kernel at its best and all else free", counts,
                text(static_cast<double>(group.last) * run() * machine.price->device, machine.price->currency));
    }
    return {};
}

/// The largest count below the answer that was searched: it missed something, or the answer would be another.
const Attempt* next_smaller(const search::Sizing& sizing) {
    return sizing.found && *sizing.found > 0 ? &sizing.attempts[*sizing.found - 1] : nullptr;
}

/// Where no count does: the one that comes nearest, by throughput; of those on which nothing fits the largest.
const Attempt* nearest(const search::Sizing& sizing) {
    const Attempt* best = nullptr;
    for (const Attempt& attempt : sizing.attempts) {
        const bool nearer = best == nullptr || !best->fits() ||
                            (attempt.fits() && attempt.plan->samples_per_second > best->plan->samples_per_second);
        best = nearer ? &attempt : best;
    }
    return best;
}

std::string_view title_of_reasons(const search::Sizing& sizing, bool fewest) {
    if (!sizing.found) {
        return sizing.complete ? "Why none" : "What is known so far";
    }
    return fewest ? "Why not fewer" : "What is ruled out";
}

std::string why_not(const SizingReport& report, const SizedMachine& machine, Style style) {
    const search::Sizing& sizing = machine.sizing;
    std::string all;
    const Attempt* smaller = sizing.found ? next_smaller(sizing) : nearest(sizing);
    if (smaller != nullptr && smaller->missed) {
        all += bullet(fmt::format("{}: {}", counted(smaller->devices, "GPU"), missed_words(*smaller, machine.price)));
    }
    for (const search::RuledOut& group : sizing.ruled_out) {
        all += bullet(ruled_out_words(report, machine, group));
    }
    if (all.empty()) {
        return {};
    }
    return heading(style, title_of_reasons(sizing, report.find == Find::fewest)) + all;
}

/// Where the deadline is met but its interval is not inside: what would be.
std::string caution(const SizingReport& report, const SizedMachine& machine) {
    const Attempt* answer = machine.sizing.answer();
    const auto& deadline = report.question.goals.deadline;
    if (answer == nullptr || !deadline || answer->run->time.hi <= *deadline) {
        return {};
    }
    for (const Attempt& attempt : machine.sizing.attempts) {
        if (attempt.devices > answer->devices && attempt.run && attempt.fits() && attempt.run->time.hi <= *deadline) {
            return fmt::format(
                "the interval reaches beyond {}; of the counts searched {} are the fewest whose interval "
                "does not: it ends at {}",
                duration(*deadline), counted(attempt.devices, "GPU"), duration(attempt.run->time.hi));
        }
    }
    return fmt::format("the interval reaches beyond {}, and so it does for all counts that were searched",
                       duration(*deadline));
}

std::string looked_at(const SizedMachine& machine) {
    const search::Sizing& sizing = machine.sizing;
    std::int64_t ruled_out = 0;
    for (const search::RuledOut& group : sizing.ruled_out) {
        ruled_out += group.counts;
    }
    std::int64_t configurations = 0;
    for (const Attempt& attempt : sizing.attempts) {
        configurations += attempt.configurations;
    }
    const auto searched = std::count_if(sizing.attempts.begin(), sizing.attempts.end(),
                                        [](const Attempt& attempt) { return attempt.asked; });
    std::string words =
        fmt::format("{} from {} to {}: {} searched ({}), {} ruled out by bounds", counted(sizing.counts, "count"),
                    whole(static_cast<double>(sizing.least)), counted(sizing.most, "GPU"), searched,
                    counted(configurations, "configuration"), ruled_out);
    return words + (sizing.complete ? "; the others could not be better" : "; stopped before the others");
}

std::string answer_lines(const SizingReport& report, const SizedMachine& machine) {
    const Attempt& answer = *machine.sizing.answer();
    std::string all;
    if (answer.run) {
        all += wrapped(run_words(*answer.run, machine.price), kTextWidth, "  ") + "\n";
    }
    all += wrapped(fmt::format("{} on {}, batch {}", answer.plan->plan.strategy.name, mesh_words(answer.plan->plan),
                               whole(static_cast<double>(answer.batch))),
                   kTextWidth, "  ") +
           "\n";
    all += wrapped(speed_words(*answer.plan), kTextWidth, "  ") + "\n";
    all += wrapped(memory_words(*answer.plan), kTextWidth, "  ") + "\n";
    if (const std::string careful = caution(report, machine); !careful.empty()) {
        all += wrapped(careful, kTextWidth, "  ") + "\n";
    }
    return all;
}

std::string machine_text(const SizingReport& report, const SizedMachine& machine, Style style) {
    std::string all;
    if (several(report)) {
        all += heading(style, machine.machine);
    } else {
        all += "\n";
    }
    const Table table = sizes(report, machine);
    all += table.empty() ? "" : table.to_text(style);
    return all + why_not(report, machine, style);
}

Table ranking_of_machines(const SizingReport& report) {
    const bool priced = std::any_of(report.machines.begin(), report.machines.end(),
                                    [](const SizedMachine& machine) { return machine.price.has_value(); });
    std::vector<Column> columns{
        {"machine"}, {"GPUs", Align::right}, {"throughput", Align::right}, {"MFU", Align::right}};
    if (report.question.goals.samples) {
        columns.push_back({"time", Align::right});
        columns.push_back({"GPU-hours", Align::right});
    }
    if (priced) {
        columns.push_back({report.question.goals.samples ? "cost" : "cost of a million", Align::right});
    }
    Table table(columns);
    for (std::size_t i = 0; i < report.machines.size(); ++i) {
        const SizedMachine& machine = report.machines[i];
        std::vector<std::string> cells{(report.best == i ? "> " : "  ") + machine.machine};
        const Attempt* answer = machine.sizing.answer();
        if (answer == nullptr) {
            cells.push_back("none");
            cells.resize(columns.size());
            table.row(cells);
            continue;
        }
        cells.push_back(whole(static_cast<double>(answer->devices)));
        cells.push_back(rate_words(*answer->plan));
        cells.push_back(percent(answer->plan->mfu));
        if (answer->run) {
            cells.push_back(duration(answer->run->time.value));
            cells.push_back(large(answer->run->device_time.in(unit::hour)));
        }
        if (priced) {
            cells.push_back(!machine.price ? ""
                            : answer->run  ? text(*answer->run->money, machine.price->currency)
                                           : unit_cost_words(*answer->plan, machine.price));
        }
        table.row(cells);
    }
    return table;
}

std::string next_command(const SizingReport& report) {
    const SizedMachine* best = best_of(report);
    if (best == nullptr) {
        return {};
    }
    const Attempt& answer = *best->sizing.answer();
    std::string command =
        fmt::format("dodona plan {} --machine {} --gpus {} --batch {}", shell_word(report.question.model),
                    shell_word(best->machine), answer.devices, answer.batch);
    for (const auto& [option, value] : report.question.settings) {
        command += fmt::format(" {} {}", option, shell_word(value));
    }
    return command;
}

}  // namespace

Table sizes(const SizingReport& report, const SizedMachine& machine) {
    const search::Sizing& sizing = machine.sizing;
    const bool works = report.question.goals.samples.has_value();
    std::vector<Column> columns{{"GPUs", Align::right}, {"batch", Align::right},      {"strategy, mesh"},
                                {"step", Align::right}, {"throughput", Align::right}, {"MFU", Align::right}};
    if (sizing.found) {
        columns.push_back({"per GPU", Align::right});
    }
    if (works) {
        columns.push_back({"time", Align::right});
    }
    if (machine.price) {
        columns.push_back({works ? "cost" : "cost of a million", Align::right});
    }
    columns.push_back({"misses"});
    Table table(columns);
    for (const Attempt* attempt : shown(sizing)) {
        const bool found = attempt == sizing.answer();
        std::vector<std::string> cells{(found ? "> " : "") + whole(static_cast<double>(attempt->devices)),
                                       whole(static_cast<double>(attempt->batch))};
        if (!attempt->fits()) {
            cells.resize(columns.size());
            cells.back() = "no plan fits";
            table.row(cells);
            continue;
        }
        cells.push_back(attempt->plan->plan.strategy.name + ": " + mesh_words(attempt->plan->plan));
        cells.push_back(text(attempt->plan->step.value));
        cells.push_back(rate_words(*attempt->plan));
        cells.push_back(percent(attempt->plan->mfu));
        if (sizing.found) {
            cells.push_back(per_device(*attempt, *sizing.answer()));
        }
        if (works) {
            cells.push_back(duration(attempt->run->time.value));
        }
        if (machine.price) {
            cells.push_back(works ? text(*attempt->run->money, machine.price->currency)
                                  : unit_cost_words(*attempt->plan, machine.price));
        }
        cells.emplace_back(attempt->missed ? search::name(*attempt->missed) : !attempt->asked ? "not asked about" : "");
        table.row(cells);
    }
    return table;
}

std::string sizing_text(const SizingReport& report, Style style) {
    std::string all = painted(style, Paint::bold, wrapped(headline(report), kTextWidth, "  ")) + "\n";
    if (const SizedMachine* best = best_of(report)) {
        all += answer_lines(report, *best);
    }
    if (several(report)) {
        all += "\n" + ranking_of_machines(report).to_text(style);
    }
    for (const SizedMachine& machine : report.machines) {
        all += machine_text(report, machine, style);
    }
    all += heading(style, "Looked at");
    for (const SizedMachine& machine : report.machines) {
        all += bullet((several(report) ? machine.machine + ": " : "") + looked_at(machine));
    }
    if (const std::string command = next_command(report); !command.empty()) {
        all += heading(style, "Next") + "  " + command + "\n";
    }
    return all;
}

std::string sizing_markdown(const SizingReport& report) {
    std::string all = "**" + headline(report) + "**\n\n";
    if (const SizedMachine* best = best_of(report)) {
        const Attempt& answer = *best->sizing.answer();
        all += answer.run ? fmt::format("- {}\n", run_words(*answer.run, best->price)) : "";
        all += fmt::format("- {}\n- {}\n\n", plan_words(*answer.plan), speed_words(*answer.plan));
    }
    if (several(report)) {
        all += ranking_of_machines(report).to_markdown();
    }
    for (const SizedMachine& machine : report.machines) {
        all += several(report) ? "\n" + machine.machine + "\n\n" : "";
        all += sizes(report, machine).to_markdown() + "\n" + looked_at(machine) + "\n";
    }
    return all;
}

}  // namespace dodona::reports
