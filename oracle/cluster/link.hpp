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

#include "base/enumeration.hpp"
#include "base/quantity.hpp"
#include "cluster/device.hpp"

namespace dodona::cluster {

/// Collectives that may be measured, predicted and asked for.
enum class Collective { all_reduce, all_gather, reduce_scatter, all_to_all, send, halo };

inline constexpr std::array kCollectiveTable{
    Enumerator(Collective::all_reduce, "all-reduce", "the sum of all ranks' buffers, on every rank"),
    Enumerator(Collective::all_gather, "all-gather", "the parts of all ranks, on every rank"),
    Enumerator(Collective::reduce_scatter, "reduce-scatter", "the sum of all ranks' buffers, a part on each rank"),
    Enumerator(Collective::all_to_all, "all-to-all", "a part of each rank's buffer to every other rank"),
    Enumerator(Collective::send, "send", "one message from one rank to another"),
    Enumerator(Collective::halo, "halo", "borders exchanged between neighbours of a spatial split")};
constexpr const auto& enumerators(Collective /*type*/) { return kCollectiveTable; }
inline constexpr std::array kCollectives = values_of(kCollectiveTable);
constexpr std::string_view name(Collective collective) { return name_of(collective); }

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

inline constexpr std::array kWiringTable{
    Enumerator(Wiring::any, "switch", "a switch: all links of a device lead to any other"),
    Enumerator(Wiring::pairs, "pairs", "links of their own between each pair of devices"),
    Enumerator(Wiring::ring, "ring", "links to some of the others only: a ring or a cube mesh")};
constexpr const auto& enumerators(Wiring /*type*/) { return kWiringTable; }
inline constexpr std::array kWirings = values_of(kWiringTable);
constexpr std::string_view name(Wiring wiring) { return name_of(wiring); }

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
