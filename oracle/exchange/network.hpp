// The network between the workers of an exchange, as the closed forms of its patterns see it: links inside a node, the
// link of a node to others, the machine's own collectives, and passes over device memory.
//
// A transfer of `steps` messages in a row, of which a worker sends `inside` bytes to its node and a node sends
// `outside` bytes to others, takes
//
//   T = steps * alpha + max( inside / B_inside, outside / B_between )
//
// alpha is the latency between nodes where there are several, else that inside. All workers of a node share B_between,
// so NICs that several of them use are counted; groups of the job that exchange beside this one share it too.
// Source: as cost/path.hpp.
#pragma once

#include <cstdint>
#include <functional>

#include "base/quantity.hpp"
#include "cluster/cluster.hpp"
#include "exchange/compression.hpp"

namespace dodona::exchange {

struct Wire {
    Seconds latency;
    BytesPerSecond bandwidth;  ///< one way
};

struct Workers {
    std::int64_t count = 2;     ///< n
    std::int64_t per_node = 1;  ///< of this group
    Wire inside;                ///< of one worker, to all others of its node
    Wire between;               ///< of a node, for all its workers of this group
    BytesPerSecond near;        ///< of one worker, to one other of its node
    BytesPerSecond far;         ///< of one worker, out of its node: it drives one of the node's links

    [[nodiscard]] std::int64_t nodes() const { return (count + per_node - 1) / per_node; }
    /// Whether anything leaves a node: workers alone on their nodes have no link but that.
    [[nodiscard]] bool leaves_nodes() const { return per_node == 1 || nodes() > 1; }
    /// The links of a node, or of a worker where all are on one node.
    [[nodiscard]] const Wire& outermost() const { return leaves_nodes() ? between : inside; }
    /// From one worker to one other: in its node, and as far as the group reaches.
    [[nodiscard]] Wire to_near() const { return {inside.latency, near}; }
    [[nodiscard]] Wire to_far() const { return {outermost().latency, leaves_nodes() ? far : near}; }
};

struct Network {
    Workers workers;
    /// Time of a collective among all workers; sizes as cost::CollectiveRequest has them.
    std::function<Seconds(cluster::Collective collective, Bytes size)> collective;
    std::function<Seconds(Bytes size)> reduce;  ///< adds `size` bytes to as many
    std::function<Seconds(Bytes size)> update;  ///< an update of `size` bytes of weights at a server
    /// Kernels that compress a buffer and take apart what arrives.
    std::function<Seconds(const Compression& how, const Buffer& buffer)> compress;
};

/// The network of a group of ranks in a job; it refers to `cluster`. `algorithm`: of collectives, if not the machine's
/// choice. `slower`: times of collectives in the plan's software, over the machine's (FrameworkParameter::collective).
Network network_of(const cluster::Cluster& cluster, const cluster::Group& group, std::int64_t ranks,
                   std::optional<cluster::Algorithm> algorithm = {}, double slower = 1);

/// n equal workers, each alone on its node with one link; collectives go round a ring; memory moves at `reduce` and
/// `update`.
struct EqualWorkers {
    std::int64_t count = 2;
    Wire link;
    BytesPerSecond reduce;
    BytesPerSecond update;
};
Network network_of(const EqualWorkers& workers);

/// One message over a wire.
inline Seconds one_transfer(const Wire& wire, Bytes bytes) { return wire.latency + bytes / wire.bandwidth; }

/// See above. Domain: `inside` is 0 for workers alone on their nodes, `outside` for a single node of several.
Seconds transfer(const Workers& workers, double steps, Bytes inside, Bytes outside);

}  // namespace dodona::exchange
