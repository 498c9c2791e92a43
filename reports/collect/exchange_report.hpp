// Exchanges: the list of `dodona exchanges`, one of them with its keys, and a plan's step with one or several of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exchange/replica_exchange.hpp"
#include "exchange/simulated_exchange.hpp"
#include "files/description.hpp"
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
    step::Prediction prediction;
    exchange::Replicas own;
    std::vector<exchange::ReplicaExchange> exchanges;
};
/// For people, without its JSON.
Document exchange_answer_document(const Subject& subject, const ExchangeAnswer& answer);

/// Adds the plans of a ranking with an exchange in the place of their own; none: replicas have nothing to exchange.
void add_plan_exchanges(Document& document, const std::string& exchange, const std::vector<step::Prediction>& plans,
                        const std::vector<std::optional<exchange::ReplicaExchange>>& made);

/// The same exchange played, beside its closed form.
struct PlayedAnswer {
    const step::Prediction& prediction;
    const exchange::ReplicaExchange& made;
    const exchange::PlayedExchange& played;
};
Document played_exchange_document(const Subject& subject, const PlayedAnswer& answer);

}  // namespace dodona::reports

namespace dodona::files {

template <>
const Description& description<exchange::ReplicaExchange>();

}  // namespace dodona::files
