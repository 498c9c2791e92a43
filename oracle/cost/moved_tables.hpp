// Adjusts measured tables to a changed machine: faster links, longer latencies, a higher peak.
//
//   t'(point) = t(point) * model'(point) / model(point)
//
// The ratio of measured to modelled time of each point stays: roofline over time of a kernel, measured over modelled
// time of a collective (algorithms, links, protocols). The model determines how much of a time is latency and how much
// bandwidth, and whether another algorithm or protocol is now faster. The correction between measured ranks
// (collective_curve.hpp) follows; fits (kernel_fit.hpp) are relative to the data sheet and stay. Not modelled: measured
// seconds per sample of a whole network, and curves of more ranks than the machine has, or of ranks that do not divide
// a node; all stay.
#pragma once

#include "cluster/cluster.hpp"

namespace dodona::cost {

/// `is` with its measured tables adjusted by the modelled change from `was`. Domain: both have the same levels, devices
/// and tables.
cluster::Cluster moved_tables(const cluster::Cluster& was, const cluster::Cluster& is);

}  // namespace dodona::cost
