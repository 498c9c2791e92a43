// A cluster: levels of links from the device outwards.
//
// Level 0 connects devices, level 1 connects the domains of level 0 (for example nodes), and so on. Each child of a
// level has `links` links into it, each with `bandwidth` one way, which all devices inside the child share.
#pragma once

#include <array>
#include <compare>
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
#include "cluster/checkpoint_format.hpp"
#include "cluster/collective_library.hpp"
#include "cluster/device.hpp"
#include "cluster/level.hpp"
#include "cluster/price.hpp"

namespace dodona::cluster {

/// Point-to-point transfers that are staged through the host and do not reach link speed.
struct Staging {
    Seconds latency;
    BytesPerSecond bandwidth;
    std::vector<Collective> applies_to;  ///< send, halo, ...
    std::string source;
};

/// Measured seconds per sample of a whole network on one device; used instead of kernel times.
struct MeasuredSamples {
    std::string model;
    Seconds forward_backward;  ///< one sample, forward and backward
    Seconds update;            ///< one weight update of the whole network; zero if the source does not give it
    std::string source;
};

/// What one process makes of tensors in memory, and tensors of it, in a format of checkpoints; without files.
struct CheckpointRate {
    CheckpointFormat format = CheckpointFormat::raw;
    BytesPerSecond encode;  ///< bytes of tensors a second
    BytesPerSecond decode;
    double ratio = 1;  ///< bytes of the file over bytes of the tensors
    bool operator==(const CheckpointRate&) const = default;
};

struct Storage {
    BytesPerSecond bandwidth;  ///< one node reads
    bool prefetch = true;      ///< reading overlaps with compute: the maximum of both counts, else their sum
    std::optional<BytesPerSecond> write = {};         ///< one node writes; none: not known
    std::optional<BytesPerSecond> system_read = {};   ///< all nodes together; none: as many times one node
    std::optional<BytesPerSecond> system_write = {};  ///< all nodes together; none: as many times one node
    std::vector<CheckpointRate> checkpoints = {};     ///< measured
    std::string source;
};

/// Where a node reads samples: the data set itself first, then what keeps those that were read before.
struct SampleTier {
    std::string name;
    std::optional<Bytes> memory = {};           ///< of one node, for samples; none: it has all
    BytesPerSecond bandwidth;                   ///< one node reads
    std::optional<BytesPerSecond> system = {};  ///< all nodes together; none: as many times one node
    bool decoded = false;                       ///< samples are kept as tensors, and decoded no more
    std::string source;
    bool operator==(const SampleTier&) const = default;
};

/// Slow-down of compute by collectives that overlap with it.
struct Interference {
    double lost = 0;  ///< compute time lost, over the time of the hidden collectives alone
    std::string source;
};

/// The host of a node, for offload.
struct Host {
    Bytes memory;              ///< of one node
    BytesPerSecond bandwidth;  ///< between one device and host memory, one way
    /// At which the processors of one node reach their memory, of the data sheet; none: not stated.
    std::optional<BytesPerSecond> memory_bandwidth;
    std::string source;
};

/// Host::memory_bandwidth where no file states it: two processors of eight channels of DDR4-3200 (AMD EPYC 7002 and 7003
/// data sheets), and that of two of six channels of DDR4-2666 and of eight of DDR5-4800 as its range.
inline constexpr BytesPerSecond kUsualHostMemory = 410_GB_per_s;
inline constexpr BytesPerSecond kLeastHostMemory = 256_GB_per_s;
inline constexpr BytesPerSecond kMaxHostMemory = 614_GB_per_s;

/// A memory of a node beside its devices' own: host memory, that of other hosts, disks.
struct MemoryTier {
    std::string name;
    Bytes memory;              ///< of one node
    BytesPerSecond bandwidth;  ///< of one node: rows of tables, read and written at random
    /// Its processor adds rows up: only sums pass the link to a device, not rows.
    bool pools = false;
    std::string source;
    bool operator==(const MemoryTier&) const = default;
};

/// Placement of parameter servers, for the algorithm parameter_server.
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

/// Bus bandwidth of a collective over so many devices of neighbouring nodes, as nccl-tests and jobs print it:
/// bytes that the algorithm has to move over each link, over the time. Of b bytes on p devices, (p-1)/p b for an
/// all-gather (its result) and a reduce-scatter (its input), twice that for an all-reduce.
struct MeasuredBandwidth {
    std::int64_t ranks = 2;
    BytesPerSecond bus;
    bool operator==(const MeasuredBandwidth&) const = default;
};

/// How many times longer than modelled collectives of so many devices take (cost/measured_bandwidth.hpp).
struct SlowDown {
    Collective collective = Collective::all_reduce;
    std::int64_t ranks = 2;
    double factor = 1;
    bool operator==(const SlowDown&) const = default;
};

/// Consecutive ranks on nodes with another device than the cluster's.
struct DeviceRange {
    std::int64_t first = 0;
    std::int64_t ranks = 0;
    Device device;
};

/// A kind of device and the number of a job's ranks on it.
struct DeviceKind {
    const Device* device = nullptr;
    std::int64_t ranks = 0;
};

struct Cluster {
    std::string name;
    std::string source;
    bool of_published_runs = false;  ///< it only stands for a table of published runs: lists leave it out
    Device device;                   ///< of all nodes that `mixed` does not name
    std::vector<DeviceRange> mixed;  ///< in the order of their ranks, disjoint
    std::vector<Level> levels;       ///< innermost first
    std::size_t node_level = 0;      ///< the level whose domain is a node
    std::size_t levels_as_node = 0;  ///< fast_levels, as the machine was described: it stays if one link is varied
    /// The algorithms of collectives: `algorithms`, else those of the library, else all.
    std::optional<CollectiveLibrary> collectives;
    std::vector<Algorithm> algorithms;
    std::optional<Staging> staging;
    std::vector<CollectiveCurve> curves;
    std::map<Collective, std::vector<MeasuredBandwidth>> measured;
    std::vector<SlowDown> slow_downs;  ///< what `measured` says of the links above
    std::vector<MeasuredSamples> measured_samples;
    std::optional<Storage> storage;
    std::optional<Host> host;
    std::vector<SampleTier> io;                ///< the data set first; empty: `storage` alone
    std::vector<MemoryTier> tiers;             ///< for embedding tables, fastest first; empty: the host's memory
    std::optional<Interference> interference;  ///< measured; a framework's own value comes first
    std::optional<Price> price;                ///< from the cluster file or the user
    ParameterServers parameter_servers;
    std::optional<double> contention;  ///< phi from the user, instead of the computed one
    double memory_reserve = 0;         ///< share of device memory kept free, for fragmentation
    /// Names of default software, in order of preference; empty: the default for the network.
    std::vector<std::string> software;

    [[nodiscard]] std::int64_t devices() const;
    /// The algorithms that may run a collective; empty: any.
    [[nodiscard]] std::span<const Algorithm> allowed(Collective collective) const;
    /// Devices inside one domain of `level` (level 0: the level's size).
    [[nodiscard]] std::int64_t domain_size(std::size_t level) const;
    /// Children of `level` that a job of `ranks` takes in each unit of it: all, but where the level has a `segment` and
    /// the job takes several units and does not fill them. It then takes equally many of each, the most up to the
    /// segment, if that is half a unit or more and there are as many units. Source: Slurm, sbatch --segment.
    [[nodiscard]] std::int64_t taken(std::size_t level, std::int64_t ranks) const;
    /// Ranks of such a job inside one domain of `level`.
    [[nodiscard]] std::int64_t domain_size(std::size_t level, std::int64_t ranks) const;
    [[nodiscard]] std::int64_t node_size() const { return domain_size(node_level); }
    /// Devices that reach each other as fast as those of a node do: of one node, or of several under the same switches.
    [[nodiscard]] std::int64_t fast_domain() const { return domain_size(node_level + levels_as_node); }
    /// Levels beyond the node whose links give a device as much as those of the node.
    [[nodiscard]] std::size_t fast_levels() const;
    /// The first `ranks` ranks as runs of equal devices.
    [[nodiscard]] std::vector<DeviceKind> device_runs(std::int64_t ranks) const;
    /// The distinct devices of the first `ranks` ranks, in the order of their first rank.
    [[nodiscard]] std::vector<DeviceKind> device_kinds(std::int64_t ranks) const;
};

/// A process group: all combinations of the strides, first innermost. Rank r runs on device r. {{8, 4}}: four ranks, 8
/// apart; {{1, 2}, {8, 4}}: two neighbouring ranks in each of four nodes of 8.
struct Group {
    struct Stride {
        std::int64_t stride = 1;
        std::int64_t size = 1;
        auto operator<=>(const Stride&) const = default;
    };
    std::vector<Stride> strides;

    [[nodiscard]] std::int64_t size() const;
    std::strong_ordering operator<=>(const Group&) const = default;
};

/// The position of a group on one level of the cluster.
struct Span {
    std::size_t level = 0;
    std::int64_t child_devices = 1;  ///< devices inside one child of the level
    std::int64_t members = 1;        ///< of the group inside one child
    std::int64_t groups = 1;  ///< equal groups of the job that communicate out of the same child at the same time
    bool alike = true;        ///< all children hold equally many members, at the same positions
};

/// The levels that the group's traffic crosses, innermost first. `ranks`: size of the job, all of whose ranks are in
/// groups of this kind and communicate at once.
///
/// A level is crossed if the worst placed of these groups has members in two of its children; all inner levels are then
/// crossed too. Where all children hold members alike, `members` and `groups` are exact. Where groups straddle children
/// (tensor 3 on nodes of 8), they approximate the worst child (spans.cpp).
std::vector<Span> spans(const Cluster& cluster, const Group& group, std::int64_t ranks);

}  // namespace dodona::cluster
