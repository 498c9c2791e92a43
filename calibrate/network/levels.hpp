// Records of messages and collectives as levels of links.
//
// Bandwidth is the highest rate measured out of one child of the level: 1/G of long messages, the best window, and for
// each collective the bytes that one child must send over its time,
//
//   k = ranks per node;   all-reduce 2(p-1)/p n, all-gather and reduce-scatter (p-1)/p n   (one edge of a ring leaves)
//                         all-to-all k (p-k)/p n,  a message n
//
// The protocols, fitted to the collectives as rings (ring_protocols.hpp), therefore reach less than that bandwidth. A
// machine made of such levels should allow the algorithm `ring` only; its measured tables apply to any algorithm. If
// no all-reduce, all-gather or reduce-scatter was measured, the pieces of LogGP are the protocols: step a_i, share 1 /
// (G_i bandwidth). Every table becomes a curve with its held-out error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/network/loggp.hpp"
#include "calibrate/network/network_series.hpp"
#include "cluster/level.hpp"

namespace dodona::calibrate {

/// The same by several disjoint groups at once, over by one alone.
struct Concurrency {
    std::string what;        ///< "all-reduce", "window" ...
    std::int64_t ranks = 2;  ///< of each group
    std::int64_t groups = 2;
    Bytes size;
    double slowdown = 1;
};

/// A collective beside computing: what each takes, over alone.
struct Slowdown {
    std::int64_t ranks = 2;
    Bytes size;
    double collective = 1;
    double compute = 1;
};

struct MeasuredLevel {
    std::string backend;            ///< of the records
    std::string name;               ///< "shared-memory", "network" ...
    std::int64_t size = 2;          ///< children: ranks of a host, hosts; at least those of the largest collective
    bool inside = true;             ///< children are devices, not nodes
    cluster::Link link;             ///< named after back end and level
    double median_error = 0;        ///< of the link's protocols on its tables; a ratio
    std::optional<LogGP> messages;  ///< where messages were measured
    std::vector<Concurrency> at_once;
    std::vector<Slowdown> beside_compute;
};

/// In the order of back ends, those inside a node first. Levels with neither collectives nor messages of two sizes that
/// could say a bandwidth are left out.
std::vector<MeasuredLevel> measured_levels(std::span<const Record> records, const SeriesChoice& choice = {});

/// The level as a machine has it: switched, one link a child.
cluster::Level level_of(const MeasuredLevel& measured);

/// Levels of one back end, innermost first, as a machine has them: the first joins the devices of a node. Where only
/// links between nodes were measured that is a level of one child, so that their tables answer for what lies apart.
std::vector<cluster::Level> levels_of(std::span<const MeasuredLevel> measured);

}  // namespace dodona::calibrate
