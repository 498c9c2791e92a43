#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/goal_summary.hpp"
#include "questions/size/size.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::size {

namespace {

using namespace reports;
using search::Attempt;
using search::Find;
using search::Goal;

constexpr std::size_t kMaxRows = 12;

bool has_several(const Answer& sized) { return sized.machines.size() > 1; }

const SizedMachine* best_of(const Answer& sized) { return sized.best ? &sized.machines[*sized.best] : nullptr; }

std::string machine_names(const Answer& sized) {
    const auto names = mapped<std::string>(sized.machines, &SizedMachine::machine);
    return join(names);
}

/// ": 300 billion tokens in 30.0 d", or nothing.
std::string after_colon(const Answer& sized, const SizedMachine& machine) {
    const std::string goals = goals_text(sized.inputs, machine.price);
    return goals.empty() ? "" : ": " + goals;
}

std::string sizing_headline(const Answer& sized) {
    const std::string& model = sized.inputs.model;
    const SizedMachine* best = best_of(sized);
    if (best == nullptr) {
        const bool unsure = std::any_of(sized.machines.begin(), sized.machines.end(),
                                        [](const SizedMachine& m) { return !m.sizing.complete; });
        return fmt::format("{}: {} on {}{}", unsure ? "none found yet" : "no number of GPUs in question is enough",
                           model, machine_names(sized), after_colon(sized, sized.machines.front()));
    }
    const std::string devices = fmt::format("{} of {}", counted(best->sizing.answer()->devices, "GPU"), best->machine);
    const std::string goals = after_colon(sized, *best);
    switch (sized.find) {
        case Find::fewest:
            return fmt::format("{} needs {}{}{}", model, devices, goals,
                               best->sizing.complete ? "" : " (fewer may be enough: stopped before all were searched)");
        case Find::fastest: {
            const auto& all = best->sizing.attempts;
            const double rate = best->sizing.answer()->plan->samples_per_second;
            const bool is_beaten = std::any_of(all.begin(), all.end(), [&](const Attempt& other) {
                return !other.missed && other.asked && other.plan->samples_per_second > rate;
            });
            return fmt::format(
                "{} trains fastest on {}{}{}", model, devices, goals,
                is_beaten ? " (more are faster; each then does less than half of what one of the fewest does)" : "");
        }
        case Find::cheapest: return fmt::format("{} is cheapest on {}{}", model, devices, goals);
    }
    return {};
}

/// Rows that a long table keeps, ascending.
std::vector<const Attempt*> rows_shown(const search::Sizing& sizing) {
    const std::vector<Attempt>& all = sizing.attempts;
    std::vector<const Attempt*> rows;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool near = sizing.found && (i + 1 == *sizing.found || i == *sizing.found || i == *sizing.found + 1);
        const bool half = sizing.found && (2 * all[i].devices == all[*sizing.found].devices ||
                                           all[i].devices == 2 * all[*sizing.found].devices);
        const bool far = rows.empty() || all[i].devices >= 2 * rows.back()->devices;
        if (all.size() <= kMaxRows || near || half || far) {
            rows.push_back(&all[i]);
        }
    }
    return rows;
}

/// Throughput of one device, as a part of what one does in the answer.
double per_device(const Attempt& attempt, const Attempt& answer) {
    const double mine = attempt.plan->samples_per_second / static_cast<double>(attempt.devices);
    const double its = answer.plan->samples_per_second / static_cast<double>(answer.devices);
    return mine / its;
}

std::string ruled_out_text(const Answer& sized, const SizedMachine& machine, const search::RuledOut& group) {
    const search::Bound& bound = machine.sizing.bound;
    const double samples_per_second = bound.most_samples_per_second(group.last);
    const std::string counts = group.first == group.last
                                   ? counted(group.last, "GPU")
                                   : fmt::format("{} to {} ({})", whole(group.first), counted(group.last, "GPU"),
                                                 counted(group.counts, "number"));
    const auto run = [&] { return *sized.inputs.goals.samples / samples_per_second * unit::second; };
    switch (group.by) {
        case Goal::fits:
            return fmt::format(
                "{}: weights and optimizer states take {}, {} {}", counts, text(bound.least_memory),
                group.last == 1 ? "1 GPU has" : fmt::format("{} together have", counted(group.last, "GPU")),
                text(static_cast<double>(group.last) * bound.memory_of_one));
        case Goal::throughput:
            return fmt::format("{}: at most {} even with every kernel at its best and nothing else to wait for", counts,
                               text(Value(throughput(sized.inputs, samples_per_second))));
        case Goal::deadline:
            return fmt::format("{}: at least {} even at the best kernel rates and without communication", counts,
                               duration(run()));
        case Goal::budget:
            return fmt::format(
                "{}: at least {} even at the best kernel rates and without communication", counts,
                text(static_cast<double>(group.last) * run() * machine.price->device, machine.price->currency));
    }
    return {};
}

/// The largest number below the answer that was searched. It misses a goal: otherwise it would be the answer.
const Attempt* next_smaller(const search::Sizing& sizing) {
    return sizing.found && *sizing.found > 0 ? &sizing.attempts[*sizing.found - 1] : nullptr;
}

/// The nearest where no number is enough: the one that comes nearest, by throughput; where nothing fits the largest.
const Attempt* nearest_attempt(const search::Sizing& sizing) {
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

List reasons_against(const Answer& sized, const SizedMachine& machine) {
    const search::Sizing& sizing = machine.sizing;
    List reasons;
    const Attempt* smaller = sizing.found ? next_smaller(sizing) : nearest_attempt(sizing);
    if (smaller != nullptr && smaller->missed) {
        reasons.items.push_back(
            fmt::format("{}: {}", counted(smaller->devices, "GPU"), missed_goal(*smaller, machine.price)));
    }
    for (const search::RuledOut& group : sizing.ruled_out) {
        reasons.items.push_back(ruled_out_text(sized, machine, group));
    }
    return reasons;
}

/// A note where the deadline is met but its interval is not inside: what would be.
std::string caution(const Answer& sized, const SizedMachine& machine) {
    const Attempt* answer = machine.sizing.answer();
    const auto& deadline = sized.inputs.goals.deadline;
    if (answer == nullptr || !deadline || answer->run->time.hi <= *deadline) {
        return {};
    }
    for (const Attempt& attempt : machine.sizing.attempts) {
        if (attempt.devices > answer->devices && attempt.run && attempt.fits() && attempt.run->time.hi <= *deadline) {
            return fmt::format(
                "the interval reaches beyond {}; of the numbers searched {} are the fewest whose interval "
                "does not: it ends at {}",
                duration(*deadline), counted(attempt.devices, "GPU"), duration(attempt.run->time.hi));
        }
    }
    return fmt::format("the interval reaches beyond {}, as it does for all numbers that were searched",
                       duration(*deadline));
}

std::string counts_searched(const SizedMachine& machine) {
    const search::Sizing& sizing = machine.sizing;
    std::int64_t ruled_out = 0;  // some are searched all the same, to say by how much they miss
    for (const search::RuledOut& group : sizing.ruled_out) {
        ruled_out += group.counts - count_if(sizing.attempts, [&](const Attempt& at) {
                         return at.asked && at.devices >= group.first && at.devices <= group.last;
                     });
    }
    std::int64_t configurations = 0;
    for (const Attempt& attempt : sizing.attempts) {
        configurations += attempt.configurations;
    }
    const auto searched = count_if(sizing.attempts, [](const Attempt& attempt) { return attempt.asked; });
    std::string all = fmt::format("{} from {} to {}: {} searched ({}), {} ruled out by bounds",
                                  counted(sizing.counts, "number"), whole(sizing.least), counted(sizing.most, "GPU"),
                                  searched, counted(configurations, "configuration"), ruled_out);
    return all + (sizing.complete ? "; the others could not be better" : "; stopped before the others");
}

/// Columns that depend on the question, in one place for both tables.
struct SizingColumns {
    bool has_work = false;
    bool has_price = false;

    [[nodiscard]] std::string_view cost_title() const { return has_work ? "cost" : "cost of a million"; }

    /// The cost of a run, or a million tokens where no work is given; empty without a price.
    [[nodiscard]] Cell cost(const Attempt& attempt, const std::optional<cluster::Price>& price) const {
        return !price     ? Cell()
               : has_work ? Cell(Cost{*attempt.run->money, price->currency})
                          : cost_of_million_cell(*attempt.plan, price);
    }
};

Table machine_ranking(const Answer& sized) {
    const SizingColumns about{
        .has_work = sized.inputs.goals.samples.has_value(),
        .has_price = std::any_of(sized.machines.begin(), sized.machines.end(),
                                 [](const SizedMachine& machine) { return machine.price.has_value(); })};
    std::vector<Column> columns{
        {"machine"}, {"GPUs", Align::right}, {"throughput", Align::right}, {"MFU", Align::right}};
    if (about.has_work) {
        columns.push_back({"time", Align::right});
        columns.push_back({"GPU-hours", Align::right});
    }
    if (about.has_price) {
        columns.push_back({std::string(about.cost_title()), Align::right});
    }
    Table table(columns);
    for (std::size_t i = 0; i < sized.machines.size(); ++i) {
        const SizedMachine& machine = sized.machines[i];
        std::vector<Cell> cells{marked(machine.machine, sized.best == i ? Mark::answer : Mark::none)};
        const Attempt* answer = machine.sizing.answer();
        if (answer == nullptr) {
            cells.emplace_back("none");
            cells.resize(columns.size());
            table.row(cells);
            continue;
        }
        cells.insert(cells.end(), {Count{answer->devices}, throughput(*answer->plan), Percent{answer->plan->mfu}});
        if (about.has_work) {
            cells.insert(cells.end(),
                         {Duration{answer->run->time.value}, Large{answer->run->device_time.in(unit::hour)}});
        }
        if (about.has_price) {
            cells.push_back(about.cost(*answer, machine.price));
        }
        table.row(cells);
    }
    return table;
}

/// The numbers that were searched: all of a few; of many the answer, its neighbours, half and double, and some between.
Table number_table(const Answer& sized, const SizedMachine& machine) {
    const search::Sizing& sizing = machine.sizing;
    const SizingColumns about{.has_work = sized.inputs.goals.samples.has_value(),
                              .has_price = machine.price.has_value()};
    const std::vector<const Attempt*> rows = rows_shown(sizing);
    const bool one_batch =
        std::all_of(rows.begin(), rows.end(), [&](const Attempt* row) { return row->batch == rows.front()->batch; });
    std::vector<Column> columns{
        {"GPUs", Align::right},       {.title = "batch", .align = Align::right, .detail = one_batch},
        {"strategy, mesh"},           {.title = "step", .align = Align::right, .detail = true},
        {"throughput", Align::right}, {"MFU", Align::right}};
    if (sizing.found) {
        columns.push_back({.title = "per GPU", .align = Align::right, .detail = true});  // the MFU says it
    }
    if (about.has_work) {
        columns.push_back({"time", Align::right});
    }
    if (about.has_price) {
        columns.push_back({std::string(about.cost_title()), Align::right});
    }
    const bool all_meet = std::all_of(rows.begin(), rows.end(),
                                      [](const Attempt* row) { return row->fits() && !row->missed && row->asked; });
    columns.push_back({.title = "misses", .detail = all_meet});
    Table table(columns);
    for (const Attempt* attempt : rows) {
        const Mark mark = attempt == sizing.answer() ? Mark::answer : Mark::none;
        std::vector<Cell> cells{Cell(Count{attempt->devices}, mark), Count{attempt->batch}};
        if (!attempt->fits()) {
            cells.resize(columns.size());
            cells.back() = "no plan fits";
            table.row(cells);
            continue;
        }
        const step::Prediction& plan = *attempt->plan;
        cells.insert(cells.end(), {strategy_and_mesh(plan.plan), plan.step.value, throughput(plan), Percent{plan.mfu}});
        if (sizing.found) {
            cells.push_back(Percent{per_device(*attempt, *sizing.answer())});
        }
        if (about.has_work) {
            cells.push_back(Duration{attempt->run->time.value});
        }
        if (about.has_price) {
            cells.push_back(about.cost(*attempt, machine.price));
        }
        cells.emplace_back(attempt->missed ? search::name(*attempt->missed) : !attempt->asked ? "not in question" : "");
        table.row(cells);
    }
    return table;
}

void add_machine(Document& document, const Answer& sized, const SizedMachine& machine) {
    const std::string_view title = title_of_reasons(machine.sizing, sized.find == Find::fewest);
    if (has_several(sized)) {
        add_section(document, {machine.machine}, {number_table(sized, machine)});
        add_section(document, {fmt::format("{}: {}", title, machine.machine)}, {reasons_against(sized, machine)});
    } else {
        add(document, number_table(sized, machine));
        add_section(document, {std::string(title)}, {reasons_against(sized, machine)});
    }
}

/// A row for each number that was searched, of all machines.
std::vector<Searched> all_searched(const Answer& sized) {
    std::vector<Searched> all;
    for (const SizedMachine& machine : sized.machines) {
        std::vector<Searched> of_one = searched(machine);
        std::move(of_one.begin(), of_one.end(), std::back_inserter(all));
    }
    return all;
}

}  // namespace

Document document(const Answer& sized) {
    Document document = answer_document(sized);
    document.rows = searched_rows("machine", all_searched(sized));
    set_asked(document, sized.inputs.model, "", 0);  // each row has its machine and number
    add(document, Headline{sizing_headline(sized)});
    const SizedMachine* best = best_of(sized);
    if (best != nullptr) {
        add(document, KeyFigures{attempt_figures(*best->sizing.answer(), best->price)});
        add(document, Note{caution(sized, *best)});
    }
    if (has_several(sized)) {
        add(document, machine_ranking(sized));
    }
    List searched;
    for (const SizedMachine& machine : sized.machines) {
        add_machine(document, sized, machine);
        searched.items.push_back((has_several(sized) ? machine.machine + ": " : "") + counts_searched(machine));
    }
    add_section(document, {.title = "Search", .detail = true}, {std::move(searched)});
    if (best != nullptr) {
        add_section(document, {"Next"}, {Code{{plan_command(sized.inputs, best->machine, *best->sizing.answer())}}});
    }
    return document;
}

}  // namespace dodona::questions::size
