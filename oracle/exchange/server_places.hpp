// Where servers of a played exchange are among the ranks of its network.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/cluster.hpp"
#include "exchange/exchange.hpp"

namespace dodona::exchange {

/// Whether a pattern's exchange is played as pushes to and pulls from servers.
bool is_played_by_servers(Pattern pattern);

/// Which ranks of the network servers are.
struct ServerPlaces {
    std::vector<std::int64_t> servers;
    std::int64_t ranks = 1;  ///< of workers and servers together
    double for_each = 1;     ///< servers of the exchange that one of these stands for: they work at the same time
    bool on_workers = false;
};

/// A server on a node of its own has a part for each of the node's links, beside the device that drives the link.
ServerPlaces server_places(const Exchange& exchange, const cluster::Cluster& cluster, std::int64_t workers);

}  // namespace dodona::exchange
