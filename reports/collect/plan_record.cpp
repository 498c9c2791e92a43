#include "reports/collect/plan_record.hpp"

#include "reports/collect/explanation_record.hpp"
#include "reports/collect/prediction_record.hpp"
#include "reports/collect/strategy_report.hpp"

namespace dodona::reports {

namespace {

Record plan_inputs(const search::Question& question) {
    return {{"model", question.model},
            {"machine", question.machine},
            {"gpus", question.devices},
            {"batch", question.batch},
            {"precision", name(question.precision)},
            {"strategies", question.strategies},
            {"settings", settings_record(question.settings)},
            {"parameters", question.parameters},
            {"model_source", question.model_source},
            {"machine_source", question.machine_source}};
}

Record other_batch_record(const search::OtherBatch& other) {
    return {{"batch", other.batch}, {"gain", other.gain}, {"plan", plan_record(other.plan, std::nullopt)}};
}

Record infeasible_record(const search::Infeasible& group) {
    return {{"strategy", group.strategy},
            {"reason", text(group.cause)},
            {"count", group.count},
            {"nearest", group.nearest ? Record(text(*group.nearest)) : Record()}};
}

}  // namespace

Record remedy_record(const search::Remedy& remedy) {
    return {{"change", remedy.change},
            {"options", settings_record(remedy.options)},
            {"without", remedy.without},
            {"plan", plan_record(remedy.plan, std::nullopt)}};
}

std::vector<Record> ranking_record(const Ranking& ranking) {
    std::vector<Record> list;
    for (const RankedPlan& ranked : ranking.plans) {
        const bool first = list.empty();
        Record plan = plan_record(*ranked.plan, static_cast<std::int64_t>(list.size()) + 1);
        plan["first_is_faster"] = first ? Record() : ranked.first_is_faster;
        plan["tied_with_first"] = ranked.tied;
        list.push_back(std::move(plan));
    }
    return list;
}

Record settings_record(const std::vector<std::pair<std::string, std::string>>& settings) {
    return list_of(settings, [](const auto& setting) -> Record {
        return {{"option", setting.first}, {"value", setting.second}};
    });
}

Record answer_record(const search::Answer& answer, const Ranking& ranking) {
    std::vector<Record> plans = ranking_record(ranking);
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const plan::Strategy& strategy = ranking.plans[i].plan->plan.strategy;
        if (i < answer.played.size()) {
            plans[i]["played_s"] = answer.played[i].in(unit::second);
        }
        if (strategy.by_layers) {
            plans[i]["rules"] = rules_record(strategy);
        }
    }
    Record record{{"schema", "dodona/plan/1"}, {"inputs", plan_inputs(answer.question)}, {"plans", std::move(plans)}};
    record["ties"] = ranking.ties;
    for (const step::Prediction& other : answer.in_other_software) {
        record["in_other_software"].push_back(plan_record(other, std::nullopt));
    }
    record["reserve"] = answer.reserve;
    record["other_batches"] = list_of(answer.other_batches, other_batch_record);
    record["remedies"] = list_of(answer.remedies, remedy_record);
    record["unusual"] = answer.unusual;
    record["infeasible"] = list_of(answer.infeasible, infeasible_record);
    record["nearest"] = list_of(answer.nearest, [](const auto& plan) { return plan_record(plan, std::nullopt); });
    record["search"] = {{"configurations", answer.counts.configurations},
                        {"evaluated", answer.counts.evaluated},
                        {"pruned", answer.counts.pruned},
                        {"unusual_left_out", answer.counts.unusual},
                        {"equally_fast", answer.counts.equally_fast},
                        {"seconds", answer.counts.seconds},
                        {"optimal", answer.counts.optimal}};
    if (answer.layers) {
        record["search"]["layers"] = {
            {"settings", answer.layers->settings}, {"states", answer.layers->states}, {"cut", answer.layers->cut}};
    }
    if (answer.explanation) {
        record["explanation"] = explanation_record(*answer.explanation);
    }
    return record;
}

}  // namespace dodona::reports
