#include "cli/exchange_search.hpp"

#include <algorithm>
#include <utility>

#include "cli/files.hpp"
#include "cli/space_options.hpp"
#include "exchange/replica_exchange.hpp"

namespace dodona::cli {

std::optional<reports::ExchangeKinds> read_exchange_kinds(Arguments& arguments) {
    reports::ExchangeKinds kinds{};
    for (const std::string& typed : arguments.list("--vary")) {
        for (const reports::ExchangeKind kind : reports::kExchangeKinds) {
            kinds[static_cast<std::size_t>(kind)] |= typed == name(kind);
        }
    }
    const bool any = std::find(kinds.begin(), kinds.end(), true) != kinds.end();
    if (any && arguments.has("--exchange")) {
        arguments.fault("--exchange", "exchanges vary with --vary", "one of both");
    }
    return any ? std::optional(kinds) : std::nullopt;
}

reports::ExchangeSearch search_exchanges(const reports::ExchangeKinds& kinds, const Workload& workload,
                                         const std::vector<step::Prediction>& plans) {
    reports::ExchangeSearch found{.kinds = kinds};
    std::vector<exchange::Exchange> exchanges;
    for (const std::string& name : library().exchanges()) {
        exchange::Exchange one = library().exchange(name, {});
        if (kinds[static_cast<std::size_t>(reports::kind_of(one))]) {
            exchanges.push_back(std::move(one));
        }
    }
    for (std::size_t rank = 0; rank < plans.size(); ++rank) {
        const step::Prediction& plan = plans[rank];
        found.choices.push_back({.rank = rank, .plan = &plan, .made = {}});
        const auto replicas = exchange::find_replicas(workload.graph, workload.cluster, plan);
        if (!replicas) {
            ++found.without;
            continue;
        }
        for (const exchange::Exchange& one : exchanges) {
            found.choices.push_back(
                {rank, &plan, exchange::replica_exchange(one, workload.cluster, *replicas, plan.plan.batch)});
        }
    }
    std::stable_sort(found.choices.begin(), found.choices.end(),
                     [](const auto& a, const auto& b) { return a.step() < b.step(); });
    return found;
}

}  // namespace dodona::cli
