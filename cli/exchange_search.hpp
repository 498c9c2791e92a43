// `plan --vary exchange,compress,asynchronous`: the exchanges that come with dodona, on the fastest plans of a search.
#pragma once

#include <optional>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/workload.hpp"
#include "reports/collect/exchange_search_report.hpp"
#include "step/prediction.hpp"

namespace dodona::cli {

/// Plans of a search that exchanges are tried on.
inline constexpr std::size_t kPlansToExchange = 24;

/// The kinds that --vary names; none without them. Faults are noted.
std::optional<reports::ExchangeKinds> read_exchange_kinds(Arguments& arguments);

}  // namespace dodona::cli
