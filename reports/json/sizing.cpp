#include "reports/json/sizing.hpp"

#include <algorithm>

#include "reports/json/answer.hpp"
#include "reports/text/goals.hpp"

namespace dodona::reports {

namespace {

Json optional(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json duration_json(Seconds time) { return number(time.in(unit::second)); }

Json run_json(const std::optional<search::TrainingRun>& run) {
    if (!run) {
        return nullptr;
    }
    return {{"samples", number(run->samples)},
            {"time_s",
             {{"value", duration_json(run->time.value)},
              {"lo", duration_json(run->time.lo)},
              {"hi", duration_json(run->time.hi)},
              {"level", number(kIntervalLevel)}}},
            {"gpu_s", duration_json(run->device_time)},
            {"cost", run->money ? number(run->money->in(unit::money)) : Json(nullptr)}};
}

/// Of a million tokens, or samples of a network without tokens.
Json unit_cost(const search::Attempt& attempt, const std::optional<cluster::Price>& price) {
    if (!price || !attempt.fits()) {
        return nullptr;
    }
    const double samples = samples_of_a_million(*attempt.plan);
    return number(search::run_of(*attempt.plan, samples, price).money->in(unit::money));
}

Json sizing_of(const SizedMachine& machine) {
    const search::Sizing& sizing = machine.sizing;
    Json ruled_out = Json::array();
    for (const search::RuledOut& group : sizing.ruled_out) {
        ruled_out.push_back(
            {{"first", group.first}, {"last", group.last}, {"counts", group.counts}, {"by", search::name(group.by)}});
    }
    Json attempts = Json::array();
    for (const search::Attempt& attempt : sizing.attempts) {
        attempts.push_back(attempt_json(attempt, machine.price));
    }
    const search::Attempt* answer = sizing.answer();
    return {{"machine", machine.machine},
            {"machine_source", machine.source},
            {"precision", name(machine.precision)},
            {"price", price_json(machine.price)},
            {"gpus", answer != nullptr ? Json(answer->devices) : Json(nullptr)},
            {"plan", answer != nullptr ? plan_json(*answer->plan, std::nullopt) : Json(nullptr)},
            {"attempts", attempts},
            {"ruled_out", ruled_out},
            {"bounds",
             {{"memory_bytes", number(sizing.bound.least_memory.in(unit::byte))},
              {"gpu_s_per_sample",
               sizing.bound.least_sample > Seconds{} ? duration_json(sizing.bound.least_sample) : Json(nullptr)}}},
            {"counts", {{"asked", sizing.counts}, {"least", sizing.least}, {"most", sizing.most}}},
            {"complete", sizing.complete}};
}

}  // namespace

Json price_json(const std::optional<cluster::Price>& price) {
    if (!price) {
        return nullptr;
    }
    return {{"per_gpu_s", number(price->device.in(unit::money / unit::second))},
            {"currency", price->currency},
            {"source", price->source.empty() ? Json("command line") : Json(price->source)}};
}

Json backward_inputs(const BackwardQuestion& question, const std::optional<cluster::Price>& price) {
    const search::Goals& goals = question.goals;
    return {{"model", question.model},
            {"model_source", question.model_source},
            {"settings", settings_json(question.settings)},
            {"tokens_per_sample", question.tokens_a_sample > 0 ? number(question.tokens_a_sample) : Json(nullptr)},
            {"goals",
             {{"samples", optional(goals.samples)},
              {"deadline_s", goals.deadline ? duration_json(*goals.deadline) : Json(nullptr)},
              {"samples_per_s", optional(goals.samples_per_second)},
              {"budget", goals.budget ? number(goals.budget->in(unit::money)) : Json(nullptr)}}},
            {"currency", price ? Json(price->currency) : Json(nullptr)}};
}

Json attempt_json(const search::Attempt& attempt, const std::optional<cluster::Price>& price) {
    const bool fits = attempt.fits();
    Json one{{"value", attempt.value},
             {"gpus", attempt.devices},
             {"batch", attempt.batch},
             {"fits", fits},
             {"missed", attempt.missed ? Json(search::name(*attempt.missed)) : Json(nullptr)},
             {"why_not", attempt.missed ? Json(missed_words(attempt, price)) : Json(nullptr)},
             {"strategy", nullptr},
             {"mesh", Json::object()},
             {"step_s", nullptr},
             {"samples_per_s", nullptr},
             {"tokens_per_s", nullptr},
             {"mfu", nullptr},
             {"memory_bytes", nullptr},
             {"memory_limit_bytes", nullptr},
             {"run", run_json(attempt.run)},
             {"cost_of_a_million", unit_cost(attempt, price)},
             {"configurations", attempt.configurations},
             {"asked", attempt.asked}};
    if (attempt.plan) {
        const step::Prediction& plan = *attempt.plan;
        one["strategy"] = plan.plan.strategy.name;
        for (const plan::MeshAxis& axis : plan.plan.mesh) {
            one["mesh"][axis.name] = axis.size;
        }
        one["step_s"] = duration_json(plan.step.value);
        one["samples_per_s"] = number(plan.samples_per_second);
        one["tokens_per_s"] = optional(plan.tokens_per_second);
        one["mfu"] = number(plan.mfu);
        one["memory_bytes"] = number(plan.memory.total().in(unit::byte));
        one["memory_limit_bytes"] = number(plan.memory_limit.in(unit::byte));
    }
    return one;
}

Json attempt_row(const search::Attempt& attempt, const std::optional<cluster::Price>& price) {
    Json row = attempt_json(attempt, price);
    if (row["run"].is_null()) {
        row.erase("run");
    }
    return row;
}

Json sizing_json(const SizingReport& report) {
    // All prices are in one currency.
    const auto priced = std::find_if(report.machines.begin(), report.machines.end(),
                                     [](const SizedMachine& machine) { return machine.price.has_value(); });
    Json inputs = backward_inputs(report.question, priced == report.machines.end() ? std::nullopt : priced->price);
    inputs["parameters"] = number(report.parameters);
    inputs["find"] = search::name(report.find);
    Json machines = Json::array();
    for (const SizedMachine& machine : report.machines) {
        machines.push_back(sizing_of(machine));
    }
    return {{"schema", "dodona/size/1"},
            {"inputs", inputs},
            {"best", report.best ? Json(report.machines[*report.best].machine) : Json(nullptr)},
            {"machines", machines}};
}

std::vector<Json> sizing_rows(const SizingReport& report) {
    std::vector<Json> rows;
    for (const SizedMachine& machine : report.machines) {
        for (const search::Attempt& attempt : machine.sizing.attempts) {
            Json row{{"machine", machine.machine}, {"answer", &attempt == machine.sizing.answer()}};
            row.update(attempt_row(attempt, machine.price));
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

}  // namespace dodona::reports
