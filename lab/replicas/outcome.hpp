// What a run shows, over all ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exchange/exchange_cost.hpp"
#include "lab/replicas/training.hpp"

namespace dodona::calibrate {

struct Outcome {
    std::size_t workers = 0;
    std::size_t servers = 0;
    std::size_t elements = 0;  ///< weights
    Seconds step;              ///< mean over workers and the steps after the first quarter
    Seconds compute;           ///< of a step of a worker, mean
    double first_loss = 0;     ///< of the first worker, on samples that none trained on
    double last_loss = 0;
    std::string digest;      ///< of the first worker's weights
    bool equal = false;      ///< whether all workers end with the same bits
    double distance = 0;     ///< root mean square of the weights' distances to their mean over workers
    double imbalance = 0;    ///< Residual::imbalance, the largest of all workers
    double unsent = 0;       ///< Residual::unsent, the largest
    double misapplied = 0;   ///< largest |what the weights moved by - what was sent| over the largest of these
    std::uint64_t kept = 0;  ///< elements of each sparse message; 0: there was none
    bool always_kept = false;
    std::optional<double> staleness;  ///< mean over the updates of the first server
    std::optional<double> most_stale;
    std::int64_t lead = 0;
    std::vector<double> distances;  ///< after each step
    std::optional<exchange::ExchangeCost> predicted;
};

/// Of all ranks together; what the first rank gets counts.
Outcome gathered_outcome(const TrainingSettings& settings, const Party& party, Worker& worker, const Course& course,
                         double first_loss);

}  // namespace dodona::calibrate
