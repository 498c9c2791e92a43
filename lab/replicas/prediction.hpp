// What the closed forms say of a run: each worker alone on its host, with a link of the stated latency and bandwidth,
// and collectives round a ring. Sums, updates and kernels of compression take what they take on this processor.
#pragma once

#include "exchange/exchange_cost.hpp"
#include "lab/replicas/settings.hpp"

namespace dodona::calibrate {

/// Domain: settings with a link and a compute.
exchange::ExchangeCost predicted_cost(const TrainingSettings& settings, std::size_t workers);

}  // namespace dodona::calibrate
