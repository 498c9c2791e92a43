#include "reports/text/largest.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "reports/figures.hpp"
#include "reports/text/goals.hpp"
#include "reports/text/next.hpp"
#include "reports/text/section.hpp"
#include "reports/words.hpp"

namespace dodona::reports {

namespace {

using search::Attempt;

/// Rows of the table on either side of the answer; farther ones where they are twice or half of the last shown.
constexpr std::size_t kNear = 2;

std::string number_words(std::int64_t value) { return whole(static_cast<double>(value)); }

std::string headline(const LargestReport& report) {
    const std::string where =
        fmt::format("{} on {} of {}", report.question.model, counted(report.devices, "GPU"), report.machine);
    const std::string goals = goal_words(report.question, report.price);
    const std::string met = goals.empty() ? "" : ": " + goals;
    const Attempt* answer = report.largest.answer();
    if (answer == nullptr) {
        return fmt::format("no {} looked at does: {}{}", report.parameter, where, met);
    }
    return fmt::format("{}: {} {}{}{}", where, report.parameter, number_words(answer->value),
                       report.largest.complete ? " is the largest" : " fits; larger ones may too (stopped)",
                       (report.parameter == "batch" ? " without accumulating gradients" : "") + met);
}

std::vector<const Attempt*> shown(const search::Largest& largest) {
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

Table values(const LargestReport& report) {
    const bool works = report.question.goals.samples.has_value();
    std::vector<Column> columns{{report.parameter, Align::right},
                                {"strategy, mesh"},
                                {"micro-batches, schedule"},
                                {"recompute, shard"},
                                {"memory", Align::right},
                                {"throughput", Align::right},
                                {"MFU", Align::right}};
    if (works) {
        columns.push_back({"time", Align::right});
    }
    columns.push_back({"misses"});
    Table table(columns);
    for (const Attempt* attempt : shown(report.largest)) {
        const bool found = attempt == report.largest.answer();
        std::vector<std::string> cells{(found ? "> " : "") + number_words(attempt->value)};
        if (!attempt->fits()) {
            cells.resize(columns.size());
            cells.back() = "no plan fits";
            table.row(cells);
            continue;
        }
        const step::Prediction& plan = *attempt->plan;
        cells.push_back(plan.plan.strategy.name + ": " + mesh_words(plan.plan));
        cells.push_back(microbatch_words(plan));
        cells.push_back(fmt::format("{}, {}", recompute_word(plan.plan), plan::name(plan.plan.shard)));
        cells.push_back(text(plan.memory.total()));
        cells.push_back(rate_words(plan));
        cells.push_back(percent(plan.mfu));
        if (works) {
            cells.push_back(duration(attempt->run->time.value));
        }
        cells.emplace_back(attempt->missed ? search::name(*attempt->missed) : "");
        table.row(cells);
    }
    return table;
}

std::string why_not_larger(const LargestReport& report, Style style) {
    const search::Largest& largest = report.largest;
    const Attempt* answer = largest.answer();
    const Attempt* beyond =
        answer == nullptr && !largest.attempts.empty() ? &largest.attempts.front() : largest.beyond();
    std::string all;
    if (beyond != nullptr) {
        all += bullet(fmt::format("{} {}: {}", report.parameter, number_words(beyond->value),
                                  missed_words(*beyond, report.price)));
    } else if (answer != nullptr && answer->value >= largest.most) {
        all += bullet(
            fmt::format("{} is the largest that was looked at; --upto takes a larger one", number_words(largest.most)));
    }
    if (!largest.none.empty()) {
        all += bullet(fmt::format("{} looked at made no network; {}: {}",
                                  counted(static_cast<std::int64_t>(largest.none.size()), "value"),
                                  number_words(largest.none.front().value), largest.none.front().why_not));
    }
    return all.empty() ? all : heading(style, answer == nullptr ? "Why none" : "Why not larger") + all;
}

std::string looked_at(const LargestReport& report) {
    const search::Largest& largest = report.largest;
    if (largest.attempts.empty()) {
        return "no value that makes a network";
    }
    std::int64_t configurations = 0;
    for (const Attempt& attempt : largest.attempts) {
        configurations += attempt.configurations;
    }
    return fmt::format("{} from {} to {}, multiples of {} and {}: {}",
                       counted(static_cast<std::int64_t>(largest.attempts.size()), "value"),
                       number_words(largest.attempts.front().value), number_words(largest.attempts.back().value),
                       number_words(largest.step), number_words(report.given),
                       counted(configurations, "configuration"));
}

std::string answer_lines(const LargestReport& report) {
    const Attempt& answer = *report.largest.answer();
    std::string all = fmt::format("{} parameters", large(report.largest.parameters));
    if (answer.run) {
        all += "; " + run_words(*answer.run, report.price);
    }
    all = wrapped(all, kTextWidth, "  ") + "\n";
    all += wrapped(fmt::format("{} on {}, batch {}", answer.plan->plan.strategy.name, mesh_words(answer.plan->plan),
                               number_words(answer.batch)),
                   kTextWidth, "  ") +
           "\n";
    return all + wrapped(speed_words(*answer.plan), kTextWidth, "  ") + "\n" +
           wrapped(memory_words(*answer.plan), kTextWidth, "  ") + "\n";
}

std::string next_command(const LargestReport& report) {
    const Attempt& answer = *report.largest.answer();
    std::string command =
        fmt::format("dodona plan {} --machine {} --gpus {} --batch {}", shell_word(report.question.model),
                    shell_word(report.machine), report.devices, answer.batch);
    for (const auto& [option, value] : report.question.settings) {
        const bool replaced =
            report.parameter != "batch" &&
            (option == "--" + report.parameter || (option == "--seq" && report.parameter == "sequence") ||
             (option == "--set" && value.starts_with(report.parameter + "=")));
        command += replaced ? "" : fmt::format(" {} {}", option, shell_word(value));
    }
    return report.parameter == "batch" ? command
                                       : command + fmt::format(" --set {}={}", report.parameter, answer.value);
}

}  // namespace

std::string largest_text(const LargestReport& report, Style style) {
    const Attempt* answer = report.largest.answer();
    std::string all = painted(style, Paint::bold, wrapped(headline(report), kTextWidth, "  ")) + "\n";
    all += answer != nullptr ? answer_lines(report) : "";
    const Table table = values(report);
    all += table.empty() ? "" : "\n" + table.to_text(style);
    all += why_not_larger(report, style);
    all += heading(style, "Looked at") + bullet(looked_at(report));
    return answer == nullptr ? all : all + heading(style, "Next") + "  " + next_command(report) + "\n";
}

std::string largest_markdown(const LargestReport& report) {
    std::string all = "**" + headline(report) + "**\n\n";
    if (const Attempt* answer = report.largest.answer()) {
        all += fmt::format("- {} parameters\n", large(report.largest.parameters));
        all += answer->run ? fmt::format("- {}\n", run_words(*answer->run, report.price)) : "";
        all += fmt::format("- {}\n- {}\n\n", plan_words(*answer->plan), speed_words(*answer->plan));
    }
    return all + values(report).to_markdown() + "\n" + looked_at(report) + "\n";
}

}  // namespace dodona::reports
