// Communication volume of collectives: the bandwidth-optimal bytes sent by a rank.
#pragma once

#include <cstdint>

#include "cluster/cluster.hpp"

namespace dodona::cluster {

/// Share of the buffer that each of p ranks sends. The buffer is the reduced one of an all-reduce, the result of an
/// all-gather, the input of a reduce-scatter, one rank's part of an all-to-all, the message of a send or halo.
///
///   all-reduce 2(p-1)/p, all-gather, reduce-scatter and all-to-all (p-1)/p, send and halo 1; nothing for p = 1
constexpr double sent_share(Collective collective, std::int64_t ranks) {
    if (ranks <= 1) {
        return 0.0;
    }
    const double p = static_cast<double>(ranks);
    switch (collective) {
        case Collective::all_reduce: return 2.0 * (p - 1.0) / p;
        case Collective::all_gather:
        case Collective::reduce_scatter:
        case Collective::all_to_all: return (p - 1.0) / p;
        case Collective::send:
        case Collective::halo: return 1.0;
    }
    return 0.0;
}

}  // namespace dodona::cluster
