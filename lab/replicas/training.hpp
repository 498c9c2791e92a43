// A run of all ranks, and what it shows of this one.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/replicas/party.hpp"
#include "lab/replicas/settings.hpp"
#include "lab/replicas/worker.hpp"

namespace dodona::calibrate {

/// What a rank saw. Of servers there are updates only.
struct Course {
    std::vector<Clock::time_point> starts;      ///< of each step, and of one after the last
    std::vector<std::vector<float>> snapshots;  ///< weights after each step, where distances are asked for
    std::int64_t lead = 0;                      ///< steps that it was ahead of the slowest, at most
    std::uint64_t updates = 0;                  ///< that a server counted staleness of
    double staleness = 0;                       ///< sum over these
    double most_stale = 0;
};

/// Exchanges in which all ranks take part at once.
Course train_synchronously(const TrainingSettings& settings, Party& party, Worker& worker);

/// Exchanges of a worker with a server, a parent or a peer.
Course train_asynchronously(const TrainingSettings& settings, Party& party, Worker& worker);

}  // namespace dodona::calibrate
