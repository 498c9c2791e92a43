// Device and cluster files.
#pragma once

#include "cluster/cluster.hpp"
#include "input/document.hpp"

namespace dodona::input {

cluster::Device read_device(Document document);

/// `open` finds the device that the file names.
cluster::Cluster read_cluster(Document document, const Opener& open);

}  // namespace dodona::input
