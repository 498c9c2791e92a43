// What one exchange of every worker costs, by pattern: a table of closed forms (patterns/).
//
// Letters: n workers, S bytes sent by each (compressed), alpha and B of a link, Tw = S / B, Rw the reduction of S bytes,
// Uw an update of S bytes at a server. On equal workers with one link each and alpha = 0 the times `together` are the
// lower bounds of Langer et al.:
//
//   one server           2 n Tw + (n-1) Rw + Uw
//   tree                 2 ceil(log2(n+1)) Tw + ceil(log2 n) Rw + Uw
//   scatter-reduce       (2 + 2 (n-1)/n) Tw + (n-1)/n Rw + Uw
//   a part on each       2 (n-1)/n Tw + (n-1)/n Rw + Uw / n
//   recursive doubling   ceil(log2 n) (Tw + Rw) + Uw
//   ring all-reduce      2 (n-1)/n Tw + (n-1)/n Rw + Uw
//
// The update Uw of an all-reduce is the step's own optimizer and not counted here.
// On machines with several workers a node, the link of a node is shared by all of them (network.hpp).
// Not modelled: incast at servers, losses, traffic of other jobs.
// Source: Langer, He, Rahayu and Xue, "Distributed training of deep learning models: a taxonomic perspective", IEEE TPDS
// 2020 (arXiv:2007.03970), section on communication patterns; sparse schemes: patterns/sparse.cpp.
#pragma once

#include "exchange/compression.hpp"
#include "exchange/exchange.hpp"
#include "exchange/network.hpp"

namespace dodona::exchange {

struct PatternCost {
    Seconds alone;     ///< of one worker while nobody else exchanges
    Seconds sums;      ///< of `alone`: the worker adds what neighbours sent
    Seconds together;  ///< of all workers at once, until the last one has its result
    Seconds busiest;   ///< that the busiest link or server works for one exchange of every worker
    Bytes sent;        ///< by one worker
    Bytes server;      ///< into each server from all workers; 0: there is none
};

/// One exchange, as a pattern sees it.
struct Round {
    const Exchange& exchange;
    const Network& network;
    Buffer dense;
    Bytes size;  ///< of `dense` as each worker sends it

    [[nodiscard]] const Workers& workers() const { return network.workers; }
    [[nodiscard]] double count() const { return static_cast<double>(network.workers.count); }
    [[nodiscard]] double per_node() const { return static_cast<double>(network.workers.per_node); }
};

// patterns/collectives.cpp
PatternCost all_reduce_cost(const Round& round);
PatternCost recursive_doubling_cost(const Round& round);
PatternCost sharded_update_cost(const Round& round);
// patterns/servers.cpp
PatternCost servers_cost(const Round& round);
PatternCost scatter_reduce_cost(const Round& round);
PatternCost tree_cost(const Round& round);
PatternCost master_cost(const Round& round);
// patterns/neighbours.cpp
PatternCost neighbours_cost(const Round& round);
PatternCost gossip_cost(const Round& round);
// patterns/sparse.cpp
PatternCost sparse_cost(const Round& round);

/// Without compression kernels. Domain: at least two workers.
PatternCost pattern_cost(const Exchange& exchange, const Network& network, const Buffer& dense);

/// Least number of servers that the traffic of n workers hides behind compute `compute`: each server takes in and gives
/// out 2 S n / k bytes a round, k = ceil(2 S n / (B compute)).
std::int64_t servers_to_hide(Bytes size, std::int64_t workers, BytesPerSecond server, Seconds compute);

}  // namespace dodona::exchange
