// The topology of a node as NCCL writes it (NCCL_TOPO_DUMP_FILE) and reads it (NCCL_TOPO_FILE): XML.
//
//   system / cpu numaid vendor familyid modelid host_hash / pci busid class link_speed link_width / pci ... or
//     gpu dev sm rank / nvlink target count tclass        or nic / net name speed (Mb/s)
// Classes: 0x0302, 0x0300 a GPU, 0x0207, 0x0200 an adapter, 0x0604 a bridge, 0x0680 an NVSwitch. Files that people
// write for virtual machines have neither gpu nor net: there the classes count. Source: NVIDIA/nccl src/graph/xml.cc,
// topo.cc. Of a file of several hosts the first is read.
#pragma once

#include <string>

#include "calibrate/imports/import_builder.hpp"

namespace dodona::calibrate {

bool is_nccl_topology(const std::string& text);
/// Throws InputError, located, for what is no XML and where it shows no GPU.
void read_nccl_topology(const std::string& text, ImportBuilder& into);

}  // namespace dodona::calibrate
