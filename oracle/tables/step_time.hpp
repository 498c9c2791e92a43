// A step of a recommendation network whose tables are placed on the devices and whose other layers are data parallel.
//
//   look-ups    the busiest device's, forward and backward (placement.hpp)
//   exchange    sums of all tables to the devices that have their samples, and gradients back: all-to-alls of the
//               sums that the busiest device makes
//   dense       the other layers' kernels, forward and backward, of the samples of one device
//   all-reduce  of the other layers' gradients, in fp32
//
// The parts are added up; software that overlaps them takes less, at least the longer of both kinds:
//
//   overlapped = max( look-ups + dense, exchange + all-reduce )
//
// With `replicate` rows that a device looks up at least t times a step stand on all devices: a sum is exchanged only if one
// of its L look-ups is of another row, 1 - q^L of the sums for a share q of the look-ups, and the gradients of these rows
// are all-reduced with the dense layers'. Of t = 2^-kMaxHalvings ... 2^kMaxHalvings, and of no such rows, the fastest.
// Their copies take room of `reserve`. Source: NVIDIA-Merlin/HugeCTR: hybrid_embedding/calibration_data.cu, whose rule is
// one t from the bandwidths of both collectives.
//
// other_fabrics keeps the bandwidth out of each device. Not modelled: the input of indices, the optimizer of
// the other layers, overheads of software.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/enumeration.hpp"
#include "base/precision.hpp"
#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "tables/placement.hpp"

namespace dodona::tables {

enum class Part { lookups, exchange, dense, all_reduce };
inline constexpr std::array kPartTable{
    Enumerator(Part::lookups, "look-ups", "memory bandwidth"),
    Enumerator(Part::exchange, "exchange", "network: the all-to-all of sums"),
    Enumerator(Part::dense, "dense layers", "compute"),
    Enumerator(Part::all_reduce, "all-reduce", "network: gradients of dense layers")};
constexpr const auto& enumerators(Part /*type*/) { return kPartTable; }
inline constexpr std::array kParts = values_of(kPartTable);
constexpr std::string_view name(Part part) { return name_of(part); }

inline constexpr int kMaxHalvings = 6;

struct StepQuestion {
    const graph::Graph& graph;
    const cluster::Cluster& cluster;
    std::int64_t devices = 1;
    std::int64_t batch = 1;                 ///< all devices together
    Precision precision = Precision::fp32;  ///< of the dense layers
    RowFormat format;
    double zipf = 0;
    double cache = 0;      ///< share of device memory for copies of rows of other tiers
    double reserve = 0.2;  ///< share of device memory for everything else than tables
    bool may_split = true;
    bool replicate = false;                  ///< rows that are looked up often, on all devices
    bool fabrics = false;                    ///< other_fabrics, too
    std::optional<BytesPerSecond> row_rate;  ///< of rows in a device's own memory; none: as its gathers were measured
    std::optional<std::string> only;         ///< the tier that all tables are in; none: as there is room
};

struct StepPrediction {
    PlacementQuestion question;
    Placement placement;
    std::array<Seconds, kParts.size()> times{};  ///< by Part
    Bytes held;                                  ///< all tables, with states
    Bytes weights;                               ///< all tables
    Bytes lookups;                               ///< rows that a step reads, forward
    double parameters = 0;                       ///< of the tables
    double dense_parameters = 0;
    double replicated = 0;  ///< rows of all tables that stand on every device
    Bytes reduced;          ///< gradients that are all-reduced

    [[nodiscard]] Seconds time(Part part) const { return times[static_cast<std::size_t>(part)]; }
    [[nodiscard]] Seconds step() const;
    /// The least that overlap of devices and network leaves.
    [[nodiscard]] Seconds overlapped() const {
        return max(time(Part::lookups) + time(Part::dense), time(Part::exchange) + time(Part::all_reduce));
    }
    [[nodiscard]] Part longest() const;
};

/// Collectives of a step where the devices of a node are joined by other links.
struct OtherFabric {
    cluster::LevelKind kind{};
    Seconds exchange;
    Seconds all_reduce;
};

/// All-to-all, switch and ring, the machine's own among them. Empty where fewer than three devices are in a node, or the
/// innermost level is of another kind.
std::vector<OtherFabric> other_fabrics(const StepQuestion& question, const StepPrediction& prediction);

/// Names of a machine's tiers, the device's own memory first.
std::vector<std::string> tier_names(const cluster::Cluster& cluster);

/// `only` is one of tier_names; the network has tables.
StepPrediction predict(const StepQuestion& question);

}  // namespace dodona::tables
