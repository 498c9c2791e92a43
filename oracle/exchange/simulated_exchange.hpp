// Many steps of all workers under an exchange, played on the links of the machine: for exchanges that have no closed form
// but a bound, and for steps that do not take equally long.
//
// Each worker computes (with noise of its own), then exchanges every `period` steps:
//
//   servers, master   pushes a part to each server, which applies one update after the other, and pulls the part back; if
//                     synchronous a server applies one update when all have pushed. Without `servers` a part is on each
//                     worker
//   tree              the same with the parent in a binomial tree; if synchronous all go up before they go down
//   ring, torus       sends to its neighbours; synchronous: waits for theirs, weights beside the compute of the step
//   gossip            with a probability, to a peer drawn each time
//                     what arrives is added: asynchronous workers add as much as they send
//   others            all wait for the slowest, then for the exposed time of the closed form
//
// Before they continue with the weights of the best worker all wait for the slowest, and then for that exchange.
// Asynchronous workers begin one after the other within a step and wait for their own transfers only, or, where
// neighbours overlap (overlaps_next_step), for those of the step before; bounded ones also until the slowest has ended the
// step `bound` + 1 before. Servers are on the nodes after the last worker's, spread over workers where the machine has
// none; a node's server has a part for each of its links. Transfers share links (max-min fair).
//
// Staleness of an update: updates of others that the first server applied since the same worker's last one. Lead: steps
// that a worker is ahead of the slowest.
// Not modelled: gradients that leave before the step has ended (but in exchanges that are not played by flows); replicas
// inside which ranks exchange too (tensor or pipeline axes); noise on links; losses.
#pragma once

#include "exchange/replica_exchange.hpp"
#include "simulate/noise_source.hpp"

namespace dodona::exchange {

struct PlayedSettings {
    std::int64_t steps = 40;  ///< of each worker, at least four periods; the first quarter does not count
    std::uint64_t seed = 1;
    std::vector<simulate::NoiseSource> noise;  ///< on compute
};

struct PlayedExchange {
    std::int64_t steps = 0;           ///< that count
    Seconds step;                     ///< mean of all workers
    Seconds slowest;                  ///< mean step of the slowest worker
    double waiting = 0;               ///< share of the time in which workers do not compute
    double staleness = 0;             ///< mean over updates
    double most_stale = 0;            ///< largest
    std::int64_t lead = 0;            ///< largest
    bool has_servers = false;         ///< staleness is that of updates at servers
    bool servers_on_workers = false;  ///< for want of other nodes
};

/// Throws InputError for noise on anything but compute, for replicas of several ranks, and for jobs that are too large.
PlayedExchange play_exchange(const ReplicaExchange& made, const cluster::Cluster& cluster, const Replicas& replicas,
                             const PlayedSettings& settings);

}  // namespace dodona::exchange
