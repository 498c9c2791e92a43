// One rank of an exchange and all that it exchanges with: workers come first in MPI's order, then servers.
#pragma once

#include <cstdint>

#include "calibrate/compression/quantisation.hpp"
#include "exchange/exchange.hpp"
#include "lab/replicas/messenger.hpp"
#include "lab/replicas/replica.hpp"
#include "lab/replicas/residual.hpp"

namespace dodona::calibrate {

struct Party {
    const exchange::Exchange& exchange;
    Messenger& messenger;
    Replica& replica;
    Residual& residual;  ///< of what this worker sends
    Residual& owned;     ///< of the sums that it owns
    std::size_t workers = 1;
    std::size_t servers = 0;   ///< on ranks of their own
    std::size_t per_node = 1;  ///< consecutive workers that share a node
    std::uint64_t seed = 1;
    std::uint64_t round = 0;  ///< number of the exchange

    [[nodiscard]] std::size_t rank() const { return static_cast<std::size_t>(messenger.rank()); }
    [[nodiscard]] bool is_server() const { return rank() >= workers; }
    /// `count` ranks from `first` on.
    [[nodiscard]] Ring ring(std::size_t first, std::size_t count, std::size_t stride = 1) const;
    [[nodiscard]] Ring all_workers() const { return ring(0, workers); }
};

/// The part of a range that is a place's.
inline Part part_of(Part range, std::size_t place, std::size_t places) {
    const Part part = part_of(range.count, place, places);
    return {range.first + part.first, part.count};
}

/// Domain: a compression in codes.
CodeFormat code_format(exchange::CompressionKind kind);

/// Servers that an exchange needs on ranks of their own.
std::size_t servers_of(const exchange::Exchange& exchange);

/// One synchronous exchange of a range of elements, called by every rank: workers bring their payloads, all of them end
/// with the weights of the exchange in replica.target(). Throws InputError for what does not run.
void exchange_range(Party& party, Part range);
/// Whether exchange_range runs this exchange; else throws InputError.
void check_runs(const exchange::Exchange& exchange);

// dense_sums.cpp
void ring_reduce_scatter(Messenger& messenger, const Ring& ring, std::span<float> values);
void ring_all_gather(Messenger& messenger, const Ring& ring, std::span<float> values);
void by_all_reduce(Party& party, Part range);
void by_recursive_doubling(Party& party, Part range);
void by_sharded_update(Party& party, Part range);
// servers.cpp
void by_servers(Party& party, Part range);
void by_scatter_reduce(Party& party, Part range);
void by_tree(Party& party, Part range);
// neighbours.cpp
void by_neighbours(Party& party, Part range);
void by_gossip(Party& party, Part range);
// compressed_sums.cpp
void by_quantised_sum(Party& party, Part range);
void by_sparse_all_gather(Party& party, Part range);
void by_sparse_tree(Party& party, Part range);
void by_sparse_hierarchy(Party& party, Part range);

}  // namespace dodona::calibrate
