// --exchange: how replicas agree, in the place of a plan's own all-reduce.
#pragma once

#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "exchange/exchange.hpp"

namespace dodona::cli {

Option exchange_option();

/// Those of --exchange, as named; empty without it.
std::vector<exchange::Exchange> read_exchanges(Arguments& arguments);

}  // namespace dodona::cli
