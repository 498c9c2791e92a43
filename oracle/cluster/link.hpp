// A class of links, and what a communication library was measured to make of it.
//
// A link file holds what a data sheet cannot say: how long a collective takes to start, what each of its steps adds,
// how much of the bandwidth it reaches, and measured times themselves.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "cluster/device.hpp"

namespace dodona::cluster {

/// Collectives that may be measured, predicted and asked for.
enum class Collective { all_reduce, all_gather, reduce_scatter, all_to_all, send, halo };

inline constexpr std::array kCollectives{Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                                         Collective::all_to_all, Collective::send,       Collective::halo};

std::string_view name(Collective collective);

/// One measured collective curve: log-log table of time over message size.
struct CollectiveCurve {
    Collective collective = Collective::all_reduce;
    std::int64_t ranks = 2;
    std::int64_t ranks_per_node = 1;  ///< of a link's curve: ranks among which there are other links only
    struct Point {
        Bytes size;  ///< the full buffer (of an all-gather: its result)
        Seconds time;
    };
    std::vector<Point> points;
    double held_out_error = 0.0;
    Provenance provenance;
};

/// One way to drive the links (NCCL: LL, LL128, Simple). Of a collective in s steps with b bytes out of a child
///
///   T = start + s * step + b / (efficiency * bandwidth)
///
/// and the library takes the quickest of its ways for the size at hand, which is where one protocol ends and the next
/// begins. `efficiency` is a share of the level's bandwidth. Source: Hockney's alpha-beta with the start-up g of LogGP,
/// Alexandrov et al., SPAA 1995; the protocols: NVIDIA/nccl src/graph/tuning.cc, baseLat, hwLat and their bandwidths.
struct LinkTiming {
    Seconds start;  ///< once a collective, launch of its kernel on the device included
    Seconds step;   ///< one message between children
    double efficiency = 1;
};

struct Protocol {
    std::string name;
    LinkTiming timing;
};

/// Between which of the devices there were links when they were measured.
enum class Wiring {
    any,    ///< a switch: all links of a device lead to any other
    pairs,  ///< links of their own between each pair
    ring,   ///< links to some of the others: ring, cube mesh
};

inline constexpr std::array kWirings{Wiring::any, Wiring::pairs, Wiring::ring};
std::string_view name(Wiring wiring);

struct Link {
    std::string name;
    std::string source;
    Wiring wiring = Wiring::any;
    BytesPerSecond bandwidth;         ///< of one device (between nodes, of one adapter), all its links, one way
    double error = 0;                 ///< of the protocols alone on the measured tables, 90th percentile; a ratio
    double borrowed = 0;              ///< added to every error where the link is not the one that was measured
    std::vector<Protocol> protocols;  ///< the one with the shortest start first
    std::vector<CollectiveCurve> curves;
};

}  // namespace dodona::cluster
