// What dodona-exchange is asked to run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/quantity.hpp"
#include "exchange/exchange.hpp"
#include "exchange/network.hpp"

namespace dodona::calibrate {

struct TrainingSettings {
    exchange::Exchange exchange;
    std::vector<int> widths{64, 64, 10};  ///< of the network: inputs, hidden layers, classes
    int batch = 16;                       ///< samples of a worker
    std::int64_t steps = 100;
    double rate = 0.1;
    std::uint64_t seed = 1;
    std::optional<Seconds> compute;      ///< that a step of a worker takes; none: as long as it takes
    double slow = 1;                     ///< compute of the first worker over that of others
    std::optional<exchange::Wire> link;  ///< of each worker, to predict with
    std::int64_t per_node = 0;           ///< workers that share a node; 0: those of one host
    bool exact_sums = false;             ///< gradients are rounded so that no order of summation rounds
    bool apart = false;                  ///< each worker has first weights of its own
    bool together = false;               ///< all begin a step at once, as closed forms have it
    bool distances = false;              ///< keep all weights after each step, for the distance to their mean
};

}  // namespace dodona::calibrate
