#include "reports/collect/sizing_record.hpp"

#include <algorithm>

#include "reports/collect/goal_summary.hpp"
#include "reports/collect/prediction_record.hpp"

namespace dodona::reports {

namespace {

Record training_run_record(const search::TrainingRun& run) {
    return {
        {"samples", run.samples},
        {"time_s", {{"value", run.time.value}, {"lo", run.time.lo}, {"hi", run.time.hi}, {"level", kIntervalLevel}}},
        {"gpu_s", run.device_time},
        {"cost", run.money}};
}

Record ruled_out_record(const search::RuledOut& group) {
    return {{"first", group.first}, {"last", group.last}, {"counts", group.counts}, {"by", search::name(group.by)}};
}

Record sized_machine_record(const SizedMachine& machine) {
    const search::Sizing& sizing = machine.sizing;
    const search::Attempt* found = sizing.answer();
    const Seconds least_sample = sizing.bound.least_sample;
    return {{"machine", machine.machine},
            {"machine_source", machine.source},
            {"precision", name(machine.precision)},
            {"price", price_record(machine.price)},
            {"gpus", found != nullptr ? Record(found->devices) : Record()},
            {"plan", found != nullptr ? plan_record(*found->plan, std::nullopt) : Record()},
            {"attempts",
             list_of(sizing.attempts, [&](const auto& attempt) { return attempt_record(attempt, machine.price); })},
            {"ruled_out", list_of(sizing.ruled_out, ruled_out_record)},
            {"bounds",
             {{"memory_bytes", sizing.bound.least_memory},
              {"gpu_s_per_sample", least_sample > Seconds{} ? Record(least_sample) : Record()}}},
            {"counts", {{"asked", sizing.counts}, {"least", sizing.least}, {"most", sizing.most}}},
            {"complete", sizing.complete}};
}

}  // namespace

Record price_record(const std::optional<cluster::Price>& price) {
    if (!price) {
        return nullptr;
    }
    return {{"per_gpu_s", price->device},
            {"currency", price->currency},
            {"source", price->source.empty() ? "command line" : price->source}};
}

Record sizing_inputs(const SizingInputs& question, const std::optional<cluster::Price>& price) {
    const search::Goals& goals = question.goals;
    return {{"model", question.model},
            {"model_source", question.model_source},
            {"settings", settings_record(question.settings)},
            {"tokens_per_sample", question.tokens_a_sample > 0 ? Record(question.tokens_a_sample) : Record()},
            {"goals",
             {{"samples", goals.samples},
              {"deadline_s", goals.deadline},
              {"samples_per_s", goals.samples_per_second},
              {"budget", goals.budget}}},
            {"currency", price ? Record(price->currency) : Record()}};
}

Record attempt_record(const search::Attempt& attempt, const std::optional<cluster::Price>& price) {
    Record record{{"value", attempt.value},
                  {"gpus", attempt.devices},
                  {"batch", attempt.batch},
                  {"fits", attempt.fits()},
                  {"missed", attempt.missed ? Record(search::name(*attempt.missed)) : Record()},
                  {"why_not", attempt.missed ? Record(missed_goal(attempt, price)) : Record()},
                  {"strategy", nullptr},
                  {"mesh", no_fields()},
                  {"step_s", nullptr},
                  {"samples_per_s", nullptr},
                  {"tokens_per_s", nullptr},
                  {"mfu", nullptr},
                  {"memory_bytes", nullptr},
                  {"memory_limit_bytes", nullptr},
                  {"run", attempt.run ? training_run_record(*attempt.run) : Record()},
                  {"cost_of_a_million", attempt.fits() ? Record(cost_of_million(*attempt.plan, price)) : Record()},
                  {"configurations", attempt.configurations},
                  {"asked", attempt.asked}};
    if (attempt.plan) {
        const step::Prediction& plan = *attempt.plan;
        record["strategy"] = plan.plan.strategy.name;
        for (const plan::MeshAxis& axis : plan.plan.mesh) {
            record["mesh"][axis.name] = axis.size;
        }
        record["step_s"] = plan.step.value;
        record["samples_per_s"] = plan.samples_per_second;
        record["tokens_per_s"] = plan.tokens_per_second;
        record["mfu"] = plan.mfu;
        record["memory_bytes"] = plan.memory.total();
        record["memory_limit_bytes"] = plan.memory_limit;
    }
    return record;
}

Record attempt_row(const search::Attempt& attempt, const std::optional<cluster::Price>& price) {
    Record row = attempt_record(attempt, price);
    if (row["run"].is_null()) {
        row.erase("run");
    }
    return row;
}

Record sizing_record(const SizingAnswer& answer) {
    // All prices are in one currency.
    const auto priced = std::find_if(answer.machines.begin(), answer.machines.end(),
                                     [](const SizedMachine& machine) { return machine.price.has_value(); });
    Record inputs = sizing_inputs(answer.question, priced == answer.machines.end() ? std::nullopt : priced->price);
    inputs["parameters"] = answer.parameters;
    inputs["find"] = search::name(answer.find);
    return {{"schema", "dodona/size/1"},
            {"inputs", inputs},
            {"best", answer.best ? Record(answer.machines[*answer.best].machine) : Record()},
            {"machines", list_of(answer.machines, sized_machine_record)}};
}

std::vector<Record> sizing_rows(const SizingAnswer& answer) {
    std::vector<Record> rows;
    for (const SizedMachine& machine : answer.machines) {
        for (const search::Attempt& attempt : machine.sizing.attempts) {
            Record row{{"machine", machine.machine}, {"answer", &attempt == machine.sizing.answer()}};
            row.append(attempt_row(attempt, machine.price));
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

}  // namespace dodona::reports
