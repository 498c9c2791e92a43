// Collectives to seconds: one table of algorithms, chosen by cost or forced.
//
// Every algorithm answers for a group on levels: latency times steps, plus on each level crossed the bytes that leave a
// child over the capacity that the job's own flows leave it. ParaDL's contention factor phi is that ratio: a result.
//
// A measured curve of the cluster comes before the algorithms (collective_curve.hpp); then `algorithm` and `level` are
// still those of the model. The user's own staging replaces latency and bandwidth of the collectives that it names.
#pragma once

#include <optional>

#include "base/estimate.hpp"
#include "cluster/cluster.hpp"

namespace dodona::cost {

struct CollectiveRequest {
    cluster::Collective collective = cluster::Collective::all_reduce;
    cluster::Group group;
    /// all_reduce: the buffer; all_gather: the result; reduce_scatter: the input; all_to_all: one rank's buffer;
    /// send: the message; halo: what one rank sends to both its neighbours together.
    Bytes size;
    std::int64_t ranks = 1;  ///< of the whole job
    int messages = 1;        ///< halo: neighbours that a rank sends to
};

struct CollectiveTime {
    Estimate time;
    cluster::Algorithm algorithm = cluster::Algorithm::ring;
    Evidence evidence = Evidence::data_sheet;
    double contention = 1;  ///< phi: the job's own flows per link on the busiest level, >= 1
    std::size_t level = 0;  ///< the level that sets the time
    Bytes sent;             ///< per rank, by this algorithm
};

/// `forced` wins over the cluster's list and over measured curves; a collective that the forced algorithm does not
/// implement is answered as if nothing were forced.
CollectiveTime collective_time(const cluster::Cluster& cluster, const CollectiveRequest& request,
                               std::optional<cluster::Algorithm> forced = std::nullopt);

/// What algorithms and links say, whatever was measured. Groups of two ranks at least.
Seconds modelled_time(const cluster::Cluster& cluster, const CollectiveRequest& request);

/// Bytes that one rank sends, whatever the algorithm (bandwidth-optimal count):
/// all-reduce 2(p-1)/p n, all-gather and reduce-scatter (p-1)/p n, all-to-all (p-1)/p n, send and halo n.
Bytes sent_bytes(cluster::Collective collective, std::int64_t ranks, Bytes size);

}  // namespace dodona::cost
