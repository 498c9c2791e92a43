// Exchanges: the list of `dodona exchanges`, one of them with its keys, and a plan's step with one or several of them.
#pragma once

#include <string>
#include <vector>

#include "exchange/replica_exchange.hpp"
#include "reports/collect/prediction_report.hpp"
#include "reports/document/document.hpp"
#include "step/prediction.hpp"

namespace dodona::reports {

Document exchange_document(const exchange::Exchange& exchange);
/// What a search looks in.
std::string exchange_facts(const exchange::Exchange& exchange);
Document exchanges_document(const std::vector<exchange::Exchange>& exchanges);

/// Said wherever exchanges are compared that do not keep replicas equal.
std::string statistical_note();

/// A plan whose replicas agree in each of these ways, the fastest first; `own` is the plan's own exchange.
struct ExchangeAnswer {
    const step::Prediction& prediction;
    const exchange::Replicas& own;
    std::vector<exchange::ReplicaExchange> exchanges;
};
Document exchange_answer_document(const Subject& subject, const ExchangeAnswer& answer);

/// One exchange in JSON, with all of its costs.
Record replica_exchange_record(const exchange::ReplicaExchange& made);

}  // namespace dodona::reports
