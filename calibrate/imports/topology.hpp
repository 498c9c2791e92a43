// One node as a topology file shows it: its devices, the path between each pair, its network adapters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/quantity.hpp"
#include "cluster/level.hpp"

namespace dodona::calibrate {

/// What the path between two devices crosses, nearest first (NVIDIA: `nvidia-smi topo -h`; NCCL: src/graph/topo.h).
enum class PathClass {
    self,
    nvlink,        ///< bonded NVLinks, through NVSwitches or not
    bridge,        ///< PIX: at most one PCIe bridge
    bridges,       ///< PXB: several PCIe bridges, no host bridge
    host_bridge,   ///< PHB: the PCIe host bridge of a processor
    numa_node,     ///< NODE: between host bridges of one NUMA node
    interconnect,  ///< SYS: between NUMA nodes
};
std::string_view name(PathClass path);

struct Path {
    PathClass path = PathClass::self;
    int nvlinks = 0;  ///< bonded, of a path by NVLink
    bool operator==(const Path&) const = default;
};

/// One slot of PCI Express.
struct PcieSlot {
    double transfers = 0;  ///< GT/s of a lane
    int lanes = 0;
    bool operator==(const PcieSlot&) const = default;
};

struct Adapter {
    std::string name;
    BytesPerSecond bandwidth;  ///< one way; zero where the file has none
    bool operator==(const Adapter&) const = default;
};

struct Topology {
    std::string source;                    ///< name of the file
    Location where;                        ///< what messages about it point at
    std::string device;                    ///< as its maker calls it; empty where the file does not say
    int compute_capability = 0;            ///< 90 for 9.0; 0 where the file does not say
    std::vector<std::vector<Path>> paths;  ///< between the devices, square
    bool nvswitch = false;                 ///< the file shows NVSwitches
    std::optional<PcieSlot> slot;          ///< of a device
    std::string processor;                 ///< vendor, family and model as NCCL has them: "GenuineIntel 6 207"
    std::vector<Adapter> adapters;
    std::int64_t nodes = 1;  ///< like this one, where a file of the site says

    [[nodiscard]] std::int64_t devices() const { return static_cast<std::int64_t>(paths.size()); }
};

/// What a user adds to a topology.
struct LevelOptions {
    std::string device = {};                               ///< its model; comes before the topology's
    std::optional<BytesPerSecond> adapter_bandwidth = {};  ///< of one adapter, one way; before the topology's
    std::int64_t nodes = 1;                                ///< more than one: with a level between the nodes
};

struct DescribedLevel {
    cluster::Level level;
    std::string source;          ///< of the bandwidth
    std::string latency_source;  ///< of the latency
    std::string note;            ///< what is assumed; may be empty
    bool node = false;           ///< its unit is a node
};

/// As the user says, else as the site's files do.
std::int64_t nodes_of(const Topology& topology, const LevelOptions& options);

/// Levels of the links that a topology shows, innermost first. Bandwidths are those of data sheets and standards
/// (imports/link_speeds.hpp), one way; latencies are constants of NCCL; measurements replace both. Not modelled:
/// uneven links (a level has the weakest of its pairs), and PCIe bridges with narrower uplinks than a device's slot.
/// Throws InputError where the model of the device or the speed of the adapters is needed and not known.
std::vector<DescribedLevel> levels_of(const Topology& topology, const LevelOptions& options = {});

}  // namespace dodona::calibrate
