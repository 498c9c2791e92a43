// --exchange: how the replicas of a plan agree, instead of by the plan's own all-reduce.
#pragma once

#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/workload.hpp"
#include "exchange/exchange.hpp"
#include "exchange/replica_exchange.hpp"
#include "step/prediction.hpp"

namespace dodona::cli {

Option exchange_option();

/// The exchanges that --exchange names; none without it.
std::vector<exchange::Exchange> read_exchanges(Arguments& arguments);

/// A plan's replicas with each of the exchanges, the fastest first.
std::vector<exchange::ReplicaExchange> exchanges_of(const std::vector<exchange::Exchange>& exchanges,
                                                    const Workload& workload, const exchange::Replicas& replicas,
                                                    const plan::Plan& plan);

}  // namespace dodona::cli
