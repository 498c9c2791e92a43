// A fabric as a job measured it: bus bandwidths at a few numbers of devices, which correct all collectives.
//
//   factor(n) = time of the collective over n nodes at the measured bandwidth
//               / time by the links of the machine                             of kBenchmarkSize bytes
//
// A collective over n nodes takes factor(n) times as long as otherwise. Between measured n the logarithm of the factor
// is linear in that of n; beyond them it stays. Below the fewest measured nodes m a slow-down shrinks with the messages
// that follow each other from node to node:
//
//   factor(n) = 1 + (factor(m) - 1) n / m
//
// since fabrics that lose bandwidth as jobs grow lose it to latency: the published one that halved with every doubling
// of nodes (nanotron's sweep on EFA) took the same time a step. A collective inside a node takes the factor that was
// measured inside nodes. One that was not measured takes the factor of the nearest relative that was. Not modelled: a
// fabric whose state depends on where in it a job runs; a bandwidth that depends on the size (a full curve says that:
// cluster.hpp, `curves`).
// Source: definition of bus bandwidth, NVIDIA/nccl-tests: doc/PERFORMANCE.md.
#pragma once

#include <span>

#include "cluster/cluster.hpp"
#include "cost/collective_time.hpp"

namespace dodona::cost {

/// The size at which bus bandwidths are printed as a machine's: nccl-tests' usual last row is larger, and flat.
inline constexpr Bytes kBenchmarkSize = Bytes::of_base(1024.0 * 1024 * 1024);

/// Relative error of a time that a measured bandwidth corrects: sizes and placements other than the benchmark's.
inline constexpr double kCorrectedError = 0.2;

/// The slow-downs that `cluster.measured` says, without regard to those that the cluster has.
std::vector<cluster::SlowDown> slow_downs(const cluster::Cluster& cluster);

/// Of a request whose group crosses `spans`; nothing where no measurement says anything.
std::optional<double> slow_down(const cluster::Cluster& cluster, const CollectiveRequest& request,
                                std::span<const cluster::Span> spans);

}  // namespace dodona::cost
