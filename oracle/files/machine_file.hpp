// Device and cluster files.
#pragma once

#include "cluster/cluster.hpp"
#include "files/document.hpp"

namespace dodona::files {

/// Find what machine files name: clusters devices and links, devices profiles.
struct MachineOpeners {
    Opener device;
    Opener profile;
    Opener link;
};

/// Without an opener the device's profile is left out: what is about to be fitted needs none.
cluster::Device read_device(Document document, const Opener& profile);
cluster::Cluster read_cluster(Document document, const MachineOpeners& open);

}  // namespace dodona::files
