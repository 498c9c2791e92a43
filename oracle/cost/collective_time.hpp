// Times of collectives: one table of algorithms, of which the cheapest or a forced one runs.
//
// The time of an algorithm is its steps times latency, plus the largest of bytes over share of all levels that the
// group crosses (path.hpp). ParaDL's contention factor phi is a result.
//
// Measured curves come before the algorithms (collective_curve.hpp); `algorithm` and `level` are then still those of
// the model. Staging replaces latency and bandwidth of the collectives that it names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/estimate.hpp"
#include "cluster/cluster.hpp"
#include "graph/nest.hpp"

namespace dodona::cost {

struct CollectiveRequest {
    cluster::Collective collective = cluster::Collective::all_reduce;
    cluster::Group group;
    /// all_reduce: the buffer; all_gather: the result; reduce_scatter: the input; all_to_all: one rank's buffer;
    /// send: the message; halo: what one rank sends to both its neighbours together.
    Bytes size;
    std::int64_t ranks = 1;  ///< of the whole job
    int messages = 1;        ///< halo: neighbours that a rank sends to
    /// all_to_all of tokens to experts or back: `chosen` copies of each token are in the buffer.
    graph::Routing routing = {};
};

struct CollectiveTime {
    Estimate time;
    cluster::Algorithm algorithm = cluster::Algorithm::ring;
    Evidence evidence = Evidence::data_sheet;
    double contention = 1;  ///< phi: flows of the job per link on the busiest level, >= 1
    std::size_t level = 0;  ///< the level that sets the time
    Bytes sent;             ///< per rank, by this algorithm
};

/// `forced` comes before the cluster's algorithms and before measured curves. A collective that the forced algorithm
/// does not implement is treated as if nothing was forced.
CollectiveTime collective_time(const cluster::Cluster& cluster, const CollectiveRequest& request,
                               std::optional<cluster::Algorithm> forced = std::nullopt);

/// What makes a collective's time, in the order in which it is applied.
struct CollectiveTrace {
    struct Level {
        std::string name;
        std::int64_t members = 1;   ///< of the group inside one child
        std::int64_t children = 1;  ///< that it occupies
        Seconds latency;
        BytesPerSecond share;  ///< out of one child, for this group
    };
    struct Algorithm {
        cluster::Algorithm algorithm = cluster::Algorithm::ring;
        Seconds time;  ///< with the fastest protocol and its start-up
    };
    std::vector<Level> levels;  ///< crossed, innermost first, by the protocol of the model's time
    std::string protocol;       ///< empty: levels have one latency and bandwidth
    std::vector<Algorithm> tried;
    Seconds modelled;                        ///< by `time.algorithm`
    std::optional<Seconds> measured;         ///< by a curve; where it counts
    Evidence evidence = Evidence::measured;  ///< of that
    std::string curves_of;                   ///< the link that was measured; empty: this machine
    std::optional<double> slow_down;         ///< by which measured bandwidths of the machine correct it
    CollectiveTime time;                     ///< as collective_time() says
};

/// Domain: groups of at least two ranks.
CollectiveTrace collective_trace(const cluster::Cluster& cluster, const CollectiveRequest& request,
                                 std::optional<cluster::Algorithm> forced = std::nullopt);

/// How an algorithm is played on a topology (play/exchange_flows.hpp): around rings of the ranks, between each two of
/// them, as one message, or in the time of the table.
enum class Flows { none, rings, pairs, message };

/// None where the algorithm does not implement the collective.
Flows flows_of(cluster::Collective collective, cluster::Algorithm algorithm);

/// Time by algorithms and links, without measured curves. Domain: groups of at least two ranks.
Seconds modelled_time(const cluster::Cluster& cluster, const CollectiveRequest& request);

/// Bytes that one rank sends, whatever the algorithm (bandwidth-optimal count):
/// all-reduce 2(p-1)/p n, all-gather and reduce-scatter (p-1)/p n, all-to-all (p-1)/p n, send and halo n.
Bytes sent_bytes(cluster::Collective collective, std::int64_t ranks, Bytes size);

}  // namespace dodona::cost
