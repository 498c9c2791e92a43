#include "questions/goal_summary.hpp"

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "reports/collect/next_commands.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/collect/step_blocks.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions {

namespace {

using namespace reports;

/// "10.3 % too long", or "22.1 times too long": how far `value` is beyond `limit`.
std::string excess(std::string_view what, double value, double limit) {
    const double ratio = value / limit;
    return ratio < 2 ? fmt::format("{} too {}", percent(ratio - 1), what)
                     : fmt::format("{} times too {}", three_digits(ratio), what);
}

double in_tokens(const GoalInputs& question, double samples) { return samples * question.tokens_a_sample.value_or(1); }

std::string_view unit_of_work(const GoalInputs& question) { return question.tokens_a_sample ? "tokens" : "samples"; }

KeyFigure run_figure(const search::TrainingRun& run, const std::optional<cluster::Price>& price) {
    const std::string cost = run.money && price ? ", " + text(*run.money, price->currency) : "";
    return {.label = "training",
            .value = duration_cell(run.time),
            .note = fmt::format("on {} GPU-hours{}", large(run.device_time.in(unit::hour)), cost)};
}

/// The samples that make a million tokens, or a million samples of a model without tokens.
double samples_of_a_million(const step::Prediction& prediction) {
    constexpr double kMillion = 1e6;
    return prediction.tokens_per_second ? kMillion * prediction.samples_per_second / *prediction.tokens_per_second
                                        : kMillion;
}

}  // namespace

Rate throughput(const GoalInputs& question, double samples_per_second) {
    return {in_tokens(question, samples_per_second), std::string(unit_of_work(question))};
}

Rate throughput(const step::Prediction& prediction) {
    return prediction.tokens_per_second ? Rate{*prediction.tokens_per_second, "tokens"}
                                        : Rate{prediction.samples_per_second, "samples"};
}

std::string goals_text(const GoalInputs& question, const std::optional<cluster::Price>& price) {
    const search::Goals& goals = question.goals;
    std::string all;
    if (goals.samples) {
        all = fmt::format("{} {}", large(in_tokens(question, *goals.samples)), unit_of_work(question));
    }
    if (goals.deadline) {
        all += " in " + duration(*goals.deadline);
    }
    if (goals.budget) {
        all += " for " + text(*goals.budget, price ? price->currency : "");
    }
    if (goals.samples_per_second) {
        all += (all.empty() ? "" : " at ") + text(Value(throughput(question, *goals.samples_per_second)));
    }
    return all;
}

std::vector<KeyFigure> attempt_figures(const search::Attempt& attempt, const std::optional<cluster::Price>& price) {
    std::vector<KeyFigure> figures;
    if (attempt.run) {
        figures.push_back(run_figure(*attempt.run, price));
    }
    const step::Prediction& plan = *attempt.plan;
    figures.push_back({.label = "plan",
                       .value = fmt::format("{} on {}, batch {}", plan.plan.strategy.name, mesh_text(plan.plan),
                                            whole(attempt.batch))});
    append(figures, speed_figures(plan));
    figures.push_back(memory_figure(plan));
    return figures;
}

std::string missed_goal(const search::Attempt& attempt, const std::optional<cluster::Price>& price) {
    if (!attempt.missed) {
        return {};
    }
    const search::Goals& goals = attempt.goals;
    switch (*attempt.missed) {
        case search::Goal::fits: return why_not_text(attempt);
        case search::Goal::throughput:
            return fmt::format("{}, {}", text(Value(throughput(*attempt.plan))),
                               excess("slow", *goals.samples_per_second, attempt.plan->samples_per_second));
        case search::Goal::deadline:
            return fmt::format("{}, {}", duration(attempt.run->time.value),
                               excess("long", attempt.run->time.value / *goals.deadline, 1));
        case search::Goal::budget:
            return fmt::format("{}, {}", text(*attempt.run->money, price ? price->currency : ""),
                               excess("expensive", *attempt.run->money / *goals.budget, 1));
    }
    return {};
}

std::optional<Money> cost_of_million(const step::Prediction& prediction, const std::optional<cluster::Price>& price) {
    if (!price || prediction.samples_per_second <= 0) {
        return std::nullopt;
    }
    return search::run_of(prediction, samples_of_a_million(prediction), price).money;
}

Cell cost_of_million_cell(const step::Prediction& prediction, const std::optional<cluster::Price>& price) {
    const std::optional<Money> money = cost_of_million(prediction, price);
    return money ? Cell(Cost{*money, price->currency}) : Cell();
}

std::string plan_command(const GoalInputs& question, const std::string& machine, const search::Attempt& answer) {
    std::string command = fmt::format("dodona plan {} --machine {} --gpus {} --batch {}", shell_word(question.model),
                                      shell_word(machine), answer.devices, answer.batch);
    for (const auto& [option, value] : question.settings) {
        command += fmt::format(" {} {}", option, shell_word(value));
    }
    return command;
}

}  // namespace dodona::questions
