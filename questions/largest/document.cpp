#include <utility>

#include <fmt/format.h>

#include "questions/described.hpp"
#include "questions/goal_summary.hpp"
#include "questions/largest/largest.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::largest {

namespace {

using namespace reports;
using search::Attempt;

std::string largest_headline(const Answer& sought) {
    const std::string where =
        fmt::format("{} on {} of {}", sought.inputs.model, counted(sought.devices, "GPU"), sought.machine);
    const std::string goals = goals_text(sought.inputs, sought.price);
    const std::string met = goals.empty() ? "" : ": " + goals;
    const Attempt* answer = sought.largest.answer();
    if (answer == nullptr) {
        return fmt::format("no value of {} that was tried fits: {}{}", sought.parameter, where, met);
    }
    const bool is_end = sought.largest.beyond() == nullptr && answer->value >= sought.largest.most;
    return fmt::format("{}: {} {}{}{}", where, sought.parameter, whole(answer->value),
                       !sought.largest.complete ? " fits; larger ones may too (stopped)"
                       : is_end                 ? " fits, the largest that was tried (--upto)"
                                                : " is the largest",
                       (sought.parameter == "batch" ? " without gradient accumulation" : "") + met);
}

/// Two rows on either side of the answer; farther ones where they are twice or half of the last shown.
std::vector<const Attempt*> rows_shown(const search::Largest& largest) {
    constexpr std::size_t kNear = 2;
    std::vector<const Attempt*> rows;
    for (std::size_t i = 0; i < largest.attempts.size(); ++i) {
        const bool near = largest.found && i + kNear >= *largest.found && i <= *largest.found + kNear;
        const bool far = rows.empty() || largest.attempts[i].value >= 2 * rows.back()->value;
        if (near || far) {
            rows.push_back(&largest.attempts[i]);
        }
    }
    return rows;
}

Table value_table(const Answer& sought) {
    const bool has_work = sought.inputs.goals.samples.has_value();
    std::vector<Column> columns{{sought.parameter, Align::right},
                                {"strategy, mesh"},
                                {"micro-batch x steps, schedule"},
                                {"recompute, ZeRO"},
                                {"memory", Align::right},
                                {"throughput", Align::right},
                                {"MFU", Align::right}};
    if (has_work) {
        columns.push_back({"time", Align::right});
    }
    columns.push_back({"misses"});
    Table table(columns);
    for (const Attempt* attempt : rows_shown(sought.largest)) {
        const Mark mark = attempt == sought.largest.answer() ? Mark::answer : Mark::none;
        std::vector<Cell> cells{Cell(Count{attempt->value}, mark)};
        if (!attempt->fits()) {
            cells.resize(columns.size());
            cells.back() = "no plan fits";
            table.row(cells);
            continue;
        }
        const step::Prediction& plan = *attempt->plan;
        cells.insert(cells.end(), {strategy_and_mesh(plan.plan), microbatch_text(plan), recompute_and_zero(plan.plan),
                                   plan.memory.total(), throughput(plan), Percent{plan.mfu}});
        if (has_work) {
            cells.push_back(Duration{attempt->run->time.value});
        }
        cells.emplace_back(attempt->missed ? search::name(*attempt->missed) : "");
        table.row(cells);
    }
    return table;
}

List reasons_against_larger(const Answer& sought) {
    const search::Largest& largest = sought.largest;
    const Attempt* answer = largest.answer();
    const Attempt* beyond =
        answer == nullptr && !largest.attempts.empty() ? &largest.attempts.front() : largest.beyond();
    List reasons;
    if (beyond != nullptr) {
        reasons.items.push_back(
            fmt::format("{} {}: {}", sought.parameter, whole(beyond->value), missed_goal(*beyond, sought.price)));
    } else if (answer != nullptr && answer->value >= largest.most) {
        reasons.items.push_back(
            fmt::format("{} is the largest value that was tried; --upto raises it", whole(largest.most)));
    }
    if (!largest.none.empty()) {
        reasons.items.push_back(fmt::format("{} gave no valid model; {}: {}", counted(largest.none.size(), "value"),
                                            whole(largest.none.front().value), largest.none.front().why_not));
    }
    return reasons;
}

std::string values_searched(const Answer& sought) {
    const search::Largest& largest = sought.largest;
    if (largest.attempts.empty()) {
        return "no value gives a valid model";
    }
    std::int64_t configurations = 0;
    for (const Attempt& attempt : largest.attempts) {
        configurations += attempt.configurations;
    }
    return fmt::format("{} from {} to {}, multiples of {} and {}: {}", counted(largest.attempts.size(), "value"),
                       whole(largest.attempts.front().value), whole(largest.attempts.back().value), whole(largest.step),
                       whole(sought.given), counted(configurations, "configuration"));
}

/// Without the settings that the answer replaces.
std::string next_plan_command(const Answer& sought) {
    const Attempt& answer = *sought.largest.answer();
    GoalInputs question = sought.inputs;
    if (sought.parameter == "batch") {
        return plan_command(question, sought.machine, answer);
    }
    std::erase_if(question.settings, [&](const auto& setting) {
        const auto& [option, value] = setting;
        return option == "--" + sought.parameter || (option == "--seq" && sought.parameter == "sequence") ||
               (option == "--set" && value.starts_with(sought.parameter + "="));
    });
    return plan_command(question, sought.machine, answer) + fmt::format(" --set {}={}", sought.parameter, answer.value);
}

}  // namespace

Document document(const Answer& sought) {
    const Attempt* answer = sought.largest.answer();
    Document document = answer_document(sought);
    document.rows = searched_rows("parameter", searched(sought));
    set_asked(document, sought.inputs.model, sought.machine, sought.devices);
    add(document, Headline{largest_headline(sought)});
    if (answer != nullptr) {
        KeyFigures figures{attempt_figures(*answer, sought.price)};
        figures.figures.insert(figures.figures.begin(),
                               {.label = "model", .value = Large{sought.largest.parameters}, .note = "parameters"});
        add(document, std::move(figures));
    }
    add(document, value_table(sought));
    add_section(document, {answer == nullptr ? "Why none" : "Why not larger"}, {reasons_against_larger(sought)});
    add_section(document, {.title = "Search", .detail = true}, {List{{values_searched(sought)}}});
    if (answer != nullptr) {
        add_section(document, {"Next"}, {Code{{next_plan_command(sought)}}});
    }
    if (sought.convolutions) {
        add_convolutions(document, *sought.convolutions);
    }
    return document;
}

}  // namespace dodona::questions::largest
