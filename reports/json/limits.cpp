#include "reports/json/limits.hpp"

#include "reports/csv.hpp"
#include "reports/json/answer.hpp"
#include "reports/words.hpp"

namespace dodona::reports {

namespace {

Json maybe(const std::optional<std::int64_t>& count) { return count ? Json(*count) : Json(nullptr); }
Json maybe(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json maybe(const std::optional<plan::Limit>& limit) { return limit ? Json(text(*limit)) : Json(nullptr); }

Json inputs(const search::LimitsAnswer& answer) {
    const search::Question& question = answer.question;
    const search::Growth& growth = answer.growth;
    return {{"model", question.model},
            {"machine", question.machine},
            {"machine_gpus", growth.machine},
            {"gpus", maybe(growth.asked)},
            {"scaling", growth.batch ? "strong" : "weak"},
            {"batch", maybe(growth.batch)},
            {"batch_per_gpu", growth.batch ? Json(nullptr) : Json(growth.samples_per_device)},
            {"precision", name(question.precision)},
            {"strategies", question.strategies},
            {"settings", settings_json(question.settings)},
            {"parameters", number(question.parameters)},
            {"model_source", question.model_source},
            {"machine_source", question.machine_source}};
}

Json axis_json(const plan::AxisLimit& axis) {
    return {{"axis", axis.axis},
            {"folded", axis.folded},
            {"largest", maybe(axis.largest)},
            {"set_by", maybe(axis.set_by)},
            {"even", maybe(axis.even)},
            {"uneven", maybe(axis.uneven)}};
}

Json mesh_json(const std::vector<plan::MeshAxis>& mesh) {
    Json sizes = Json::object();
    for (const plan::MeshAxis& axis : mesh) {
        sizes[axis.name] = axis.size;
    }
    return sizes;
}

/// What a plan of the ladder comes to; `dodona plan` has it in full.
Json plan_of(const step::Prediction& best) {
    Json bottlenecks = Json::array();
    for (const step::Bottleneck& bottleneck : best.bottlenecks) {
        bottlenecks.push_back(bottleneck_json(bottleneck));
    }
    Json folds = Json::object();
    for (const plan::Fold& fold : best.plan.folds) {
        folds[fold.name] = fold.size;
    }
    return {{"mesh", mesh_json(best.plan.mesh)},
            {"fold", folds},
            {"microbatch", best.plan.microbatch},
            {"schedule", plan::name(best.plan.schedule)},
            {"chunks", best.plan.chunks},
            {"recompute", recompute_word(best.plan)},
            {"shard", plan::name(best.plan.shard)},
            {"step_time_s", number(best.step.value.in(unit::second))},
            {"samples_per_s", number(best.samples_per_second)},
            {"mfu", number(best.mfu)},
            {"memory_bytes", number(best.memory.total().in(unit::byte))},
            {"memory_limit_bytes", number(best.memory_limit.in(unit::byte))},
            {"bottlenecks", bottlenecks}};
}

Json rung_json(const search::ScalingPoint& point) {
    return {{"gpus", point.devices},
            {"batch", point.batch},
            {"fits", point.best.has_value()},
            {"why_not", point.best ? Json(nullptr) : Json(why_not_text(point))},
            {"efficiency", point.best ? number(point.efficiency) : Json(nullptr)},
            {"plan", point.best ? plan_of(*point.best) : Json(nullptr)}};
}

Json strategy_json(const search::StrategyLimits& limits) {
    Json json{{"strategy", limits.strategy},
              {"most", limits.most},
              {"set_by", set_by_text(limits)},
              {"most_without_machine", maybe(limits.reach.devices)},
              {"exact", limits.reach.exact},
              {"fits_from", maybe(limits.fits_from)},
              {"fits_to", maybe(limits.fits_to)},
              {"fastest", maybe(limits.fastest)},
              {"worthwhile_to", limits.turn ? Json(limits.turn->devices) : maybe(limits.fits_to)},
              {"turn", nullptr},
              {"verdict", nullptr},
              {"axes", Json::array()},
              {"rungs", Json::array()}};
    if (limits.turn) {
        json["turn"] = {{"gpus", limits.turn->beyond},
                        {"part", step::name(limits.turn->part)},
                        {"of_lost_time", number(limits.turn->growth)}};
    }
    if (limits.verdict) {
        json["verdict"] = {{"gpus", limits.verdict->devices},
                           {"fits", limits.verdict->fits},
                           {"why_not", maybe(why_not_text(*limits.verdict))},
                           {"nearest_below", maybe(limits.verdict->below)},
                           {"nearest_above", maybe(limits.verdict->above)}};
    }
    for (const plan::AxisLimit& axis : limits.axes) {
        json["axes"].push_back(axis_json(axis));
    }
    for (const search::ScalingPoint& point : limits.points) {
        json["rungs"].push_back(rung_json(point));
    }
    return json;
}

}  // namespace

Json limits_json(const search::LimitsAnswer& answer) {
    Json document{{"schema", "dodona/limits/1"}, {"inputs", inputs(answer)}, {"strategies", Json::array()}};
    for (const search::StrategyLimits& limits : answer.strategies) {
        document["strategies"].push_back(strategy_json(limits));
    }
    return document;
}

std::string limits_csv(const search::LimitsAnswer& answer) {
    const Json document = limits_json(answer);
    std::vector<Json> rows(document["strategies"].begin(), document["strategies"].end());
    for (Json& row : rows) {
        for (const char* parts : {"turn", "verdict"}) {
            if (row[parts].is_null()) {
                row.erase(parts);  // other rows have its members as columns
            }
        }
    }
    return csv(rows);
}

}  // namespace dodona::reports
