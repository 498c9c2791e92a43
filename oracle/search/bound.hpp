// What no plan can be better than, without looking at one: to rule out counts of devices unseen.
//
//   n M >= sum over weights (w + k(w))                             memory of n devices, M each
//   samples/s <= n / t,   t = sum over kernels g(kind) (F / R(kind)  or  B / W(kind))
//
// w: the weight as trained; k: what the optimizer keeps of it (plan/optimizer.hpp); F: arithmetic of one sample's
// matrix products, forward and backward; B: bytes that its element-wise passes and look-ups move; R, W: the fastest
// that the device's fits, or else its data sheet, let any such kernel run; g: how much longer the framework lets it
// take. Sharding divides w, F and B at best evenly, and everything else of a plan only adds: activations, gradients,
// collectives, bubbles, recomputation, operands of products, tiles and waves, launches.
// Where times were measured (curves of kernels, samples of a network) no rate is bounded, and none is claimed.
#pragma once

#include <optional>

#include "search/search.hpp"

namespace dodona::search {

struct Bound {
    Bytes least_memory;    ///< of all devices together; zero: nothing is known
    Bytes memory_of_one;   ///< the most that one device offers
    Seconds least_sample;  ///< device time of one sample; zero: nothing is known
    /// Whether `devices` of them may hold the network.
    [[nodiscard]] bool may_fit(std::int64_t devices) const;
    /// Samples a second that `devices` of them may reach; unlimited where nothing is known.
    [[nodiscard]] double most_samples_per_second(std::int64_t devices) const;
};

/// `space`: precision, optimizer, offload, framework and memory limit; devices and batch do not count.
Bound bound(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space);

}  // namespace dodona::search
