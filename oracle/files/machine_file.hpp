// Devices and clusters.
#pragma once

#include "cluster/cluster.hpp"
#include "files/description.hpp"

namespace dodona::files {

template <>
const Description& description<cluster::Device>();
template <>
const Description& description<cluster::Cluster>();

/// What cluster and device files name.
using MachineOpeners = Openers;

/// Throw InputError with every fault found. Without an opener the profile that a device names is left out: what is about
/// to be fitted needs none.
cluster::Device read_device(Document document, const Opener& profile);
cluster::Cluster read_cluster(Document document, const MachineOpeners& open);

}  // namespace dodona::files
