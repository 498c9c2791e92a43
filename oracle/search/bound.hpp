// Bounds that no plan can beat, computed without evaluating a plan: they rule out numbers of devices.
//
//   n M >= sum over weights (w + k(w))                             memory of n devices, M each
//   samples/s <= n / t,   t = sum over kernels g(kind) (F / R(kind)  or  B / W(kind))
//
// w: weight in training precision; k: optimizer states of it (plan/optimizer.hpp); F: arithmetic of the matrix products
// of one sample, forward and backward; B: bytes that its element-wise passes and look-ups move; R, W: the highest rates
// that the device's fits, or else its data sheet or `achieved` beyond it, allow for such kernels; g: slow-down of the framework. Sharding
// divides w, F and B at best evenly, and everything else in a plan only adds: activations, gradients, collectives,
// bubbles, recomputation, operands of products, tile and wave quantisation, launches. Domain: with measured kernel
// curves or sample times there is no bound of throughput.
#pragma once

#include "search/search.hpp"

namespace dodona::search {

struct Bound {
    Bytes least_memory;    ///< of all devices together; zero: no bound
    Bytes memory_of_one;   ///< the most that one device offers
    Seconds least_sample;  ///< device time of one sample; zero: no bound
    /// Whether the network may fit on so many devices.
    [[nodiscard]] bool may_fit(std::int64_t devices) const;
    /// Samples per second that so many devices may reach; infinite without a bound.
    [[nodiscard]] double most_samples_per_second(std::int64_t devices) const;
};

/// `space`: its devices and batch are not used.
Bound bound(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space);

}  // namespace dodona::search
