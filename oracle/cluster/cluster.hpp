// A cluster: levels of links from the device outwards.
//
// Level 0 joins devices, level 1 joins the domains that level 0 makes (nodes, say), and so on. Every child of a level owns `links`
// links into it, each of `bandwidth` one way; they are shared by all the devices inside the child.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"
#include "cluster/algorithm.hpp"
#include "cluster/collective_library.hpp"
#include "cluster/device.hpp"
#include "cluster/level.hpp"
#include "cluster/price.hpp"

namespace dodona::cluster {

/// Point-to-point transfers that do not run at link speed (staged through the host).
struct Staging {
    Seconds latency;
    BytesPerSecond bandwidth;
    std::vector<Collective> applies_to;  ///< send, halo, ...
    std::string source;
};

/// Seconds per sample measured for a whole network on one device; they override kernels.
struct MeasuredSamples {
    std::string model;
    Seconds forward_backward;  ///< one sample, forward and backward
    Seconds update;            ///< one weight update of the whole network; may be zero where the source leaves it out
    std::string source;
};

struct Storage {
    BytesPerSecond bandwidth;  ///< per node
    bool prefetch = true;      ///< hidden behind compute: step = max(step, i/o); else their sum
    std::string source;
};

/// What collectives take from products that run beside them.
struct Interference {
    double lost = 0;  ///< compute time lost, over the time that the hidden collectives take alone
    std::string source;
};

/// The host of a node, as a place to keep what does not fit the devices.
struct Host {
    Bytes memory;              ///< of one node
    BytesPerSecond bandwidth;  ///< between one device and host memory, one way
    std::string source;
};

/// Where the parameter servers of an all-reduce of that name sit.
struct ParameterServers {
    enum class Place {
        device,  ///< on the first devices of each node, beside their workers
        host,    ///< in the host memory of each node
        nodes,   ///< on nodes of their own, each linked as a node is
    };
    Place place = Place::device;
    std::int64_t count = 1;  ///< on each node; of `nodes` in all
};

inline constexpr std::array kServerPlaceTable{
    Enumerator(ParameterServers::Place::device, "device", "on the first devices of each node, beside their workers"),
    Enumerator(ParameterServers::Place::host, "host", "in the memory of each node, which `host` describes"),
    Enumerator(ParameterServers::Place::nodes, "nodes", "on nodes of their own, each linked as a node is")};
constexpr const auto& enumerators(ParameterServers::Place /*type*/) { return kServerPlaceTable; }
inline constexpr std::array kServerPlaces = values_of(kServerPlaceTable);
constexpr std::string_view name(ParameterServers::Place place) { return name_of(place); }

/// Consecutive ranks whose nodes hold another device than the cluster's.
struct DeviceRange {
    std::int64_t first = 0;
    std::int64_t ranks = 0;
    Device device;
};

/// A device that several ranks of a job have.
struct DeviceKind {
    const Device* device = nullptr;
    std::int64_t ranks = 0;
};

struct Cluster {
    std::string name;
    std::string source;
    Device device;                   ///< of all nodes that `mixed` does not name
    std::vector<DeviceRange> mixed;  ///< in the order of their ranks, not overlapping
    std::vector<Level> levels;       ///< innermost first
    std::size_t node_level = 0;      ///< the level whose domain is a node
    /// What runs collectives. `algorithms` overrides what the library chooses from; all run without either.
    std::optional<CollectiveLibrary> collectives;
    std::vector<Algorithm> algorithms;
    std::optional<Staging> staging;
    std::vector<CollectiveCurve> curves;
    std::vector<MeasuredSamples> measured_samples;
    std::optional<Storage> storage;
    std::optional<Host> host;
    std::optional<Interference> interference;  ///< measured; where a framework has its own, that one counts
    std::optional<Price> price;                ///< where the file or the user gives one
    ParameterServers parameter_servers;
    std::optional<double> contention;  ///< phi given by the user instead of the one computed
    double memory_reserve = 0;         ///< share of device memory left free, for fragmentation

    [[nodiscard]] std::int64_t devices() const;
    /// What a collective may run; empty: any algorithm.
    [[nodiscard]] std::span<const Algorithm> allowed(Collective collective) const;
    /// Devices inside one domain of `level` (level 0: the level's size).
    [[nodiscard]] std::int64_t domain_size(std::size_t level) const;
    [[nodiscard]] std::int64_t node_size() const { return domain_size(node_level); }
    /// Runs of ranks with one device that make up the first `ranks` ranks.
    [[nodiscard]] std::vector<DeviceKind> device_runs(std::int64_t ranks) const;
    /// The distinct devices of the first `ranks` ranks, in the order of their first rank.
    [[nodiscard]] std::vector<DeviceKind> device_kinds(std::int64_t ranks) const;
};

/// Some ranks of a job: all combinations of the strides, first innermost. Rank r sits on device r.
/// {{8, 4}} is every eighth rank, four of them; {{1, 2}, {8, 4}} two neighbours in each of four nodes.
struct Group {
    struct Stride {
        std::int64_t stride = 1;
        std::int64_t size = 1;
        auto operator<=>(const Stride&) const = default;
    };
    std::vector<Stride> strides;

    [[nodiscard]] std::int64_t size() const;
    auto operator<=>(const Group&) const = default;
};

/// How a group lies on one level of the cluster.
struct Span {
    std::size_t level = 0;
    std::int64_t child_devices = 1;  ///< devices inside one child of the level
    std::int64_t members = 1;        ///< of the group inside one child
    std::int64_t groups = 1;         ///< equal groups of the job that leave the same child at the same time
    bool alike = true;               ///< groups lie alike in all children: at the same positions, as many of them
};

/// The levels that the group's traffic crosses, innermost first. `ranks` is the size of the whole job: every rank of it
/// is in one group of this kind, and they all communicate at once.
///
/// A level is crossed when the worst placed of these groups has members in two children of it; then every level further
/// in is crossed too. Where groups lie alike in all children, `members` and `groups` are exact. Where they straddle
/// (tensor 3 on nodes of 8), they describe the worst child in round numbers: see spans.cpp.
std::vector<Span> spans(const Cluster& cluster, const Group& group, std::int64_t ranks);

}  // namespace dodona::cluster
