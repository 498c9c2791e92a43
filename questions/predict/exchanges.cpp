#include <utility>

#include "base/ranges.hpp"
#include "exchange/replica_exchange.hpp"
#include "files/document.hpp"
#include "questions/described.hpp"
#include "questions/predict/predict.hpp"

namespace dodona {

template <>
const files::Description& files::description<reports::ExchangeAnswer>() {
    using exchange::Replicas;
    using exchange::ReplicaWork;
    using reports::ExchangeAnswer;
    static const Description described{
        .noun = "exchange-answer",
        .summary = "A plan with other exchanges in the place of its own. SI base units, the unit in the key.",
        .keys = {required<&ExchangeAnswer::prediction, &step::Prediction::step, &Estimate::value>("step_time",
                                                                                                  "of the plan itself"),
                 required<&ExchangeAnswer::own, &Replicas::own_exposed>("own_exposed", "of its own exchange"),
                 required<&ExchangeAnswer::own, &Replicas::work, &ReplicaWork::compute>("compute", "of a step"),
                 computed("gradient", "of a replica",
                          [](const ExchangeAnswer& answer) { return answer.own.work.gradients.bytes; }),
                 required<&ExchangeAnswer::exchanges>("exchanges", "the fastest first", {.rows = true})}};
    return described;
}

namespace questions::predict {

reports::ExchangeAnswer with_exchanges(const OnePlan& one, step::Prediction prediction,
                                       const std::vector<exchange::Exchange>& exchanges) {
    const auto& [workload, plan] = one;
    reports::ExchangeAnswer answer{.prediction = std::move(prediction), .own = {}, .exchanges = {}};
    answer.own = exchange::replicas_of(workload.graph, workload.cluster, answer.prediction, files::command_line());
    for (const exchange::Exchange& exchange : exchanges) {
        answer.exchanges.push_back(exchange::replica_exchange(exchange, workload.cluster, answer.own, plan.batch));
    }
    stable_sort(answer.exchanges, [](const auto& a, const auto& b) { return a.cost.step < b.cost.step; });
    return answer;
}

reports::Document document(const reports::Subject& subject, const reports::ExchangeAnswer& answer) {
    reports::Document document = reports::exchange_answer_document(subject, answer);
    reports::Document described = answer_document(answer);
    document.record = std::move(described.record);
    document.rows = std::move(described.rows);
    return document;
}

}  // namespace questions::predict
}  // namespace dodona
