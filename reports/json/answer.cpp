#include "reports/json/answer.hpp"

#include "reports/json/explanation.hpp"
#include "reports/strategy.hpp"

namespace dodona::reports {

namespace {

Json inputs(const search::Question& question) {
    return {{"model", question.model},
            {"machine", question.machine},
            {"gpus", question.devices},
            {"batch", question.batch},
            {"precision", name(question.precision)},
            {"strategies", question.strategies},
            {"settings", settings_json(question.settings)},
            {"parameters", number(question.parameters)},
            {"model_source", question.model_source},
            {"machine_source", question.machine_source}};
}

}  // namespace

Json ranking_json(const std::vector<step::Prediction>& plans) {
    Json list = Json::array();
    std::int64_t rank = 0;
    for (const step::Prediction& plan : plans) {
        list.push_back(plan_json(plan, ++rank));
        const bool first = rank == 1;
        list.back()["first_is_faster"] = first ? Json(nullptr) : number(search::sure(plans.front(), plan));
        list.back()["tied_with_first"] = !first && search::tied(plans.front(), plan);
    }
    return list;
}

Json settings_json(const std::vector<std::pair<std::string, std::string>>& settings) {
    Json list = Json::array();
    for (const auto& [option, value] : settings) {
        list.push_back({{"option", option}, {"value", value}});
    }
    return list;
}

Json answer_json(const search::Answer& answer) {
    Json document{
        {"schema", "dodona/plan/1"}, {"inputs", inputs(answer.question)}, {"plans", ranking_json(answer.plans)}};
    for (std::size_t i = 0; i < answer.plans.size(); ++i) {
        if (answer.plans[i].plan.strategy.name == search::kByLayers) {
            document["plans"][i]["rules"] = rules_json(answer.plans[i].plan.strategy);
        }
    }
    document["ties"] = search::ties(answer.plans);
    document["infeasible"] = Json::array();
    for (const search::Infeasible& group : answer.infeasible) {
        document["infeasible"].push_back({{"strategy", group.strategy},
                                          {"reason", text(group.cause)},
                                          {"count", group.count},
                                          {"nearest", group.nearest ? Json(text(*group.nearest)) : Json(nullptr)}});
    }
    document["nearest"] = Json::array();
    for (const step::Prediction& prediction : answer.nearest) {
        document["nearest"].push_back(plan_json(prediction, std::nullopt));
    }
    document["search"] = {{"configurations", answer.counts.configurations},
                          {"evaluated", answer.counts.evaluated},
                          {"pruned", answer.counts.pruned},
                          {"seconds", number(answer.counts.seconds)},
                          {"optimal", answer.counts.optimal}};
    if (answer.layers) {
        document["search"]["layers"] = {
            {"settings", answer.layers->settings}, {"states", answer.layers->states}, {"cut", answer.layers->cut}};
    }
    if (answer.explanation) {
        document["explanation"] = explanation_json(*answer.explanation);
    }
    return document;
}

}  // namespace dodona::reports
