// A class of links and the measured behaviour of a communication library on it.
//
// A link file has what a data sheet lacks: start-up of a collective, time of each step, share of the bandwidth that is
// reached, and measured times.
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

/// Collectives and point-to-point transfers.
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

/// Measured times of a collective over message size.
struct CollectiveCurve {
    Collective collective = Collective::all_reduce;
    std::int64_t ranks = 2;
    std::int64_t ranks_per_node = 1;  ///< of a link's curve: ranks that are connected by other links
    struct Point {
        Bytes size;  ///< the full buffer (of an all-gather: its result)
        Seconds time;
    };
    std::vector<Point> points;
    double held_out_error = 0.0;
    Provenance provenance;
};

/// Timing of a protocol (NCCL: LL, LL128, Simple). A collective in s steps with b bytes out of a child takes
///
///   T = start + s * step + b / (efficiency * bandwidth)
///
/// and the library uses the fastest protocol for each size. `efficiency`: share of the level's bandwidth. Source:
/// Hockney's alpha-beta with the start-up g of LogGP, Alexandrov et al., SPAA 1995; the protocols: NVIDIA/nccl
/// src/graph/tuning.cc, baseLat, hwLat and their bandwidths.
struct LinkTiming {
    Seconds start;  ///< once per collective, with the launch of its kernel
    Seconds step;   ///< one message between children
    double efficiency = 1;
};

struct Protocol {
    std::string name;
    LinkTiming timing;
};

/// The topology on which a link was measured.
enum class Wiring {
    any,    ///< a switch: all links of a device lead to any other
    pairs,  ///< separate links between each pair
    ring,   ///< links to some of the others: ring, cube mesh
};

inline constexpr std::array kWiringTable{
    Enumerator(Wiring::any, "switch", "a switch: all links of a device lead to any other"),
    Enumerator(Wiring::pairs, "pairs", "separate links between each pair of devices"),
    Enumerator(Wiring::ring, "ring", "links to some of the others only: a ring or a cube mesh")};
constexpr const auto& enumerators(Wiring /*type*/) { return kWiringTable; }
inline constexpr std::array kWirings = values_of(kWiringTable);
constexpr std::string_view name(Wiring wiring) { return name_of(wiring); }

struct Link {
    std::string name;
    std::string source;
    Wiring wiring = Wiring::any;
    BytesPerSecond bandwidth;         ///< of all links of one device (between nodes: of one adapter), one way
    double error = 0;                 ///< of the protocols on the measured tables: 90th percentile, a ratio
    double borrowed = 0;              ///< added to every error if another link was measured
    std::vector<Protocol> protocols;  ///< in the order of `start`
    std::vector<CollectiveCurve> curves;
};

}  // namespace dodona::cluster
