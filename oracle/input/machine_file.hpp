// Device and cluster files.
#pragma once

#include "cluster/cluster.hpp"
#include "input/document.hpp"

namespace dodona::input {

cluster::Device read_device(Document document);

/// `open` finds the device that the file names, `open_link` the links of its levels.
cluster::Cluster read_cluster(Document document, const Opener& open, const Opener& open_link);

}  // namespace dodona::input
