// Bandwidths of links by data sheet or standard, one way, for topologies that only count links. Every row has its
// source; what is measured on a machine takes precedence.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/quantity.hpp"
#include "calibrate/imports/topology.hpp"

namespace dodona::calibrate {

/// The links of a model of device.
struct DeviceLinks {
    std::string_view model;  ///< a word or words of its name, in lower case
    int compute_capability;  ///< that stands for this row where there is no name; 0: never
    BytesPerSecond nvlink;   ///< one link, one way; zero where it has none
    int nvlinks;             ///< of one device
    double pcie;             ///< GT/s of its lanes, of which it has 16; 0: not published
    std::string_view source;
};

/// By the name that NVIDIA, a user or a file of hardware/devices gives a device: "NVIDIA H100 80GB HBM3",
/// "h100-sxm5-80gb". Null where no row matches.
const DeviceLinks* links_of(std::string_view device);

/// By compute capability (90 for 9.0); null where several models with different links share it, or none has it.
const DeviceLinks* links_of(int compute_capability);

/// "p100, v100, ...": the models of the table.
std::string known_models();

/// One way, without packet headers. Source: PCI Express base specification: 8b/10b coding up to 5 GT/s, 128b/130b from
/// 8 GT/s, and 242 of 256 bytes of a flit from 64 GT/s.
BytesPerSecond bandwidth(const PcieSlot& slot);
std::string source_of(const PcieSlot& slot);

struct Interconnect {
    BytesPerSecond bandwidth;  ///< between two sockets, one way
    std::string source;
};

/// Between the sockets of a processor as NCCL names it, "AuthenticAMD 175 1"; none where NCCL has no figure.
std::optional<Interconnect> interconnect_of(std::string_view processor);

}  // namespace dodona::calibrate
