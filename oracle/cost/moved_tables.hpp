// Measured tables on a machine that is asked to be otherwise: faster links, longer latencies, a higher peak.
//
//   t'(point) = t(point) * model'(point) / model(point)
//
// A table is known as a ratio to the model of what was measured: roofline over time of a kernel, measured over modelled
// time of a collective (algorithms, links, protocols). The ratio stays and the model moves. So a table's latency and
// bandwidth need not be told apart: where the model says that a size is all bandwidth its time moves with bandwidth,
// where it says latency with latency, and where it says that another algorithm or protocol would now be quicker, with
// that. Between ranks that were measured the correction of collective_curve.hpp stays as it is by construction; fits
// (kernel_fit.hpp) are shares of the data sheet and need no moving.
// Not modelled: measured seconds per sample of a whole network, which have no roofline: they stay. Curves of more ranks
// than the machine has stay too; nothing asks for them.
#pragma once

#include "cluster/cluster.hpp"

namespace dodona::cost {

/// `is` with every measured kernel and collective moved by what the models say of its difference to `was`. Both have
/// the same levels, devices and tables.
cluster::Cluster moved_tables(const cluster::Cluster& was, const cluster::Cluster& is);

}  // namespace dodona::cost
