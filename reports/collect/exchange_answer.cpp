#include "files/computed_keys.hpp"
#include "reports/collect/exchange_report.hpp"
#include "reports/collect/exchange_search_report.hpp"

namespace dodona::files {

using exchange::ExchangeCost;
using exchange::PatternCost;
using exchange::ReplicaExchange;
using exchange::Spread;
using exchange::Staleness;
using exchange::Workers;
using reports::ExchangeChoice;

template <>
const Description& description<ReplicaExchange>() {
    using Made = ReplicaExchange;
    const KeyOptions counted{.range = at_least(1)};
    const KeyOptions not_negative{.range = kNotNegative};
    static const Description described{
        .noun = "replica_exchange",
        .summary = "a plan whose replicas agree in this way",
        .keys = {
            required<&Made::exchange, &exchange::Exchange::name>("exchange", ""),
            required<&Made::cost, &ExchangeCost::step>("step_time", ""),
            required<&Made::cost, &ExchangeCost::is_bound>("is_lower_bound", "the step is one: it is asynchronous"),
            required<&Made::samples_per_second>("samples_per_second", "", not_negative),
            required<&Made::cost, &ExchangeCost::exposed>("exposed", "in a step, on average"),
            required<&Made::cost, &ExchangeCost::one>("exchange", "one, of all workers, with compression"),
            required<&Made::cost, &ExchangeCost::best_worker>(
                "best_worker", "from which all continue with the weights of the best to where the last one has them"),
            required<&Made::cost, &ExchangeCost::compression>("compression", "kernels of one exchange"),
            required<&Made::cost, &ExchangeCost::compute>("compute", "of a step, during which replicas exchange"),
            required<&Made::endpoints>("endpoints", "cores of each worker that only send and receive", counted),
            required<&Made::cost, &ExchangeCost::utilisation>("utilisation", "compute over step", not_negative),
            required<&Made::workers, &Workers::count>("workers", "", counted),
            required<&Made::workers, &Workers::per_node>("workers_per_node", "", counted),
            computed(
                "sent_bytes_a_step", "by a worker, on average",
                [](const Made& made) { return made.cost.sent.in(unit::byte); }, not_negative),
            required<&Made::cost, &ExchangeCost::pattern, &PatternCost::server>(
                "server", "into each server from all workers; 0: there is none"),
            required<&Made::cost, &ExchangeCost::servers_to_hide>("servers_to_hide", "of an exchange with servers",
                                                                  counted),
            required<&Made::cost, &ExchangeCost::staleness, &Staleness::mean>(
                "staleness_updates", "on average; null: there is no common copy that updates are applied to",
                not_negative),
            required<&Made::cost, &ExchangeCost::staleness, &Staleness::most>("staleness_bound", "null: without bound",
                                                                              not_negative),
            required<&Made::cost, &ExchangeCost::spread, &Spread::diameter>("diameter", "", not_negative),
            required<&Made::cost, &ExchangeCost::spread, &Spread::second_eigenvalue>("second_eigenvalue", ""),
            computed("keeps_replicas_equal", "",
                     [](const Made& made) { return made.exchange.keeps_replicas_equal(); })}};
    return described;
}

template <>
const Description& description<ExchangeChoice>() {
    static const Description described{
        .keys = {computed("plan", "its rank", [](const ExchangeChoice& choice) { return choice.rank + 1; },
                          {.range = at_least(1)}),
                 computed("exchange", "null: the plan's own",
                          [](const ExchangeChoice& choice) {
                              return choice.made ? std::optional(choice.made->exchange.name) : std::nullopt;
                          }),
                 computed("changes", "",
                          [](const ExchangeChoice& choice) {
                              return choice.made ? std::optional(reports::kind_of(choice.made->exchange))
                                                 : std::nullopt;
                          }),
                 computed("step_time", "", [](const ExchangeChoice& choice) { return choice.step(); }),
                 computed("own_step_time", "", [](const ExchangeChoice& choice) { return choice.plan->step.value; })}};
    return described;
}

}  // namespace dodona::files
