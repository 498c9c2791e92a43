#include "reports/collect/limits_record.hpp"

#include "reports/collect/plan_record.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/collect/prediction_record.hpp"

namespace dodona::reports {

namespace {

Record limits_inputs(const search::LimitsAnswer& answer) {
    const search::Question& question = answer.question;
    const search::Growth& growth = answer.growth;
    return {{"model", question.model},
            {"machine", question.machine},
            {"machine_gpus", growth.machine},
            {"gpus", growth.asked},
            {"scaling", growth.batch ? "strong" : "weak"},
            {"batch", growth.batch},
            {"batch_per_gpu", growth.batch ? Record() : Record(growth.samples_per_device)},
            {"precision", name(question.precision)},
            {"strategies", question.strategies},
            {"settings", settings_record(question.settings)},
            {"parameters", question.parameters},
            {"model_source", question.model_source},
            {"machine_source", question.machine_source}};
}

Record limit_text(const std::optional<plan::Limit>& limit) { return limit ? Record(text(*limit)) : Record(); }

Record axis_record(const plan::AxisLimit& axis) {
    return {{"axis", axis.axis},       {"folded", axis.folded},
            {"largest", axis.largest}, {"set_by", limit_text(axis.set_by)},
            {"even", axis.even},       {"uneven", limit_text(axis.uneven)}};
}

/// A plan in short; `dodona plan` has it in full.
Record scaling_plan_record(const step::Prediction& best) {
    Record mesh = no_fields();
    for (const plan::MeshAxis& axis : best.plan.mesh) {
        mesh[axis.name] = axis.size;
    }
    Record folds = no_fields();
    for (const plan::Fold& fold : best.plan.folds) {
        folds[fold.name] = fold.size;
    }
    return {{"mesh", mesh},
            {"fold", folds},
            {"microbatch", best.plan.microbatch},
            {"schedule", plan::name(best.plan.schedule)},
            {"virtual_stages", best.plan.virtual_stages},
            {"recompute", recompute_name(best.plan)},
            {"shard", plan::name(best.plan.shard)},
            {"step_time_s", best.step.value},
            {"samples_per_s", best.samples_per_second},
            {"mfu", best.mfu},
            {"memory_bytes", best.memory.total()},
            {"memory_limit_bytes", best.memory_limit},
            {"bottlenecks", list_of(best.bottlenecks, bottleneck_record)}};
}

Record scaling_point_record(const search::ScalingPoint& point) {
    return {{"gpus", point.devices},
            {"batch", point.batch},
            {"fits", point.best.has_value()},
            {"why_not", point.best ? Record() : Record(why_not_text(point))},
            {"efficiency", point.best ? Record(point.efficiency) : Record()},
            {"plan", point.best ? scaling_plan_record(*point.best) : Record()}};
}

Record strategy_limits_record(const search::StrategyLimits& limits) {
    Record record{{"strategy", limits.strategy},
                  {"most", limits.most},
                  {"set_by", set_by_text(limits)},
                  {"most_without_machine", limits.reach.devices},
                  {"exact", limits.reach.exact},
                  {"fits_from", limits.fits_from},
                  {"fits_to", limits.fits_to},
                  {"fastest", limits.fastest},
                  {"worthwhile_to",
                   limits.diminishing_returns ? Record(limits.diminishing_returns->devices) : Record(limits.fits_to)},
                  {"diminishing_returns", nullptr},
                  {"verdict", nullptr},
                  {"axes", list_of(limits.axes, axis_record)},
                  {"points", list_of(limits.points, scaling_point_record)}};
    if (limits.diminishing_returns) {
        record["diminishing_returns"] = {{"gpus", limits.diminishing_returns->beyond},
                                         {"part", step::name(limits.diminishing_returns->part)},
                                         {"of_lost_time", limits.diminishing_returns->growth}};
    }
    if (limits.verdict) {
        record["verdict"] = {{"gpus", limits.verdict->devices},
                             {"fits", limits.verdict->fits},
                             {"why_not", text_or_null(why_not_text(*limits.verdict))},
                             {"nearest_below", limits.verdict->below},
                             {"nearest_above", limits.verdict->above}};
    }
    return record;
}

}  // namespace

Record limits_record(const search::LimitsAnswer& answer) {
    return {{"schema", "dodona/limits/1"},
            {"inputs", limits_inputs(answer)},
            {"strategies", list_of(answer.strategies, strategy_limits_record)}};
}

std::vector<Record> limits_rows(const search::LimitsAnswer& answer) {
    std::vector<Record> rows;
    for (const search::StrategyLimits& limits : answer.strategies) {
        Record& row = rows.emplace_back(strategy_limits_record(limits));
        for (const char* key : {"diminishing_returns", "verdict"}) {
            if (row[key].is_null()) {
                row.erase(key);  // other rows have its members as columns
            }
        }
    }
    return rows;
}

}  // namespace dodona::reports
