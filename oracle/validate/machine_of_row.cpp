#include "validate/machine_of_row.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dodona::validate {

namespace {

constexpr std::int64_t kMaxNodes = 65'536;  ///< a table does not say how many there are

using cluster::Level;
using cluster::LevelKind;

const files::MachineFamily& family_of(const files::MachineRow& row, const files::TableConventions& conventions) {
    const auto family = std::find_if(conventions.machines.begin(), conventions.machines.end(),
                                     [&](const files::MachineFamily& each) { return each.when.holds(row); });
    if (family == conventions.machines.end()) {
        fail(row.place("intra_link"),
             fmt::format("intra_link: no built-in machine joins {} by \"{}\": write a cluster file",
                         row.device.empty() ? "devices" : row.device, row.cell("intra_link")));
    }
    if (!family->refusal.empty()) {
        fail(row.place("intra_link"), fmt::format("intra_link: {}", family->refusal));
    }
    return *family;
}

/// One way, of one child into its level, all its links together.
BytesPerSecond rate_of(const Level& level) {
    const std::int64_t peers = level.kind == LevelKind::all_to_all ? level.size - 1 : level.links;
    return static_cast<double>(peers) * level.bandwidth;
}

void scale(Level& level, double factor) {
    level.bandwidth = factor * level.bandwidth;
    if (level.in_network) {
        level.in_network->bandwidth = factor * level.in_network->bandwidth;
    }
}

/// The node at the row's size and rate. Is it another than the machine that it is like has?
bool set_node(const files::MachineRow& row, cluster::Cluster& machine) {
    const std::int64_t before = machine.node_size();
    Level& outermost = machine.levels[machine.node_level];
    const std::int64_t inside = before / outermost.size;
    if (row.gpus_per_node % inside != 0) {
        fail(row.place("gpus_per_node"),
             fmt::format("gpus_per_node: {} is no multiple of the {} that share a link in such nodes",
                         row.gpus_per_node, inside));
    }
    const BytesPerSecond due = row.link.value_or(rate_of(machine.levels.front()));
    outermost.size = row.gpus_per_node / inside;
    const BytesPerSecond has = rate_of(machine.levels.front());
    const double factor = has > BytesPerSecond{} ? due / has : 1;
    for (std::size_t level = 0; level <= machine.node_level; ++level) {
        scale(machine.levels[level], factor);
    }
    return factor != 1 || row.gpus_per_node != before;
}

/// The level above the node where nodes share a domain of links.
void set_domain(const files::MachineRow& row, std::size_t above, cluster::Cluster& machine) {
    const bool has_one = above < machine.levels.size() && machine.levels[above].kind == LevelKind::switched;
    const std::int64_t nodes = row.nvlink_domain / row.gpus_per_node;
    if (nodes == 1) {
        if (has_one) {
            machine.levels.erase(machine.levels.begin() + static_cast<std::ptrdiff_t>(above));
        }
        return;
    }
    if (!has_one) {
        fail(row.place("nvlink_domain"),
             fmt::format("nvlink_domain: nodes like those of {} do not share one", machine.name));
    }
    Level& domain = machine.levels[above];
    const BytesPerSecond before = rate_of(domain);
    domain.size = nodes;
    domain.links = row.gpus_per_node;
    domain.bandwidth = rate_of(machine.levels.front());
    if (domain.in_network) {
        domain.in_network->bandwidth = (rate_of(domain) / before) * domain.in_network->bandwidth;
    }
}

/// Relative error of a fabric that is assumed: published nodes of one generation of devices have half or twice the
/// adapters of the usual one (A100: 4 x 100 to 8 x 200 Gb/s; H100: 4 x 200 to 8 x 400 Gb/s).
constexpr double kAssumedFabric = 1;

/// The usual fabric of such devices, where nobody stated one; none where the machine that it is like has none.
bool assume_fabric(std::size_t at, cluster::Cluster& machine) {
    if (at >= machine.levels.size()) {
        return true;
    }
    Level& fabric = machine.levels[at];
    fabric.name = "system";
    fabric.size = kMaxNodes;
    fabric.assumed = kAssumedFabric;
    machine.levels.resize(at + 1);
    return true;
}

/// The fabric; the usual one of such devices where its adapters are not stated. Is it another than the machine has that
/// it is like?
bool set_fabric(const files::MachineRow& row, std::size_t at, cluster::Cluster& machine) {
    if (!row.nics || !row.nic) {
        return assume_fabric(at, machine);
    }
    if (at >= machine.levels.size()) {
        fail(
            row.place("nics_per_node"),
            fmt::format("nics_per_node: machine {} that it is like has no fabric: write a cluster file", machine.name));
    }
    Level& fabric = machine.levels[at];
    const std::int64_t links = *row.nics * (row.nvlink_domain / row.gpus_per_node);
    const bool differs = fabric.links != links || fabric.bandwidth != *row.nic;
    fabric.name = "system";
    fabric.size = kMaxNodes;
    fabric.links = links;
    fabric.bandwidth = *row.nic;
    machine.levels.resize(at + 1);
    return differs;
}

}  // namespace

cluster::Cluster machine_of_row(const files::MachineRow& row, const files::TableConventions& conventions,
                                const files::Library& library) {
    const files::MachineFamily& family = family_of(row, conventions);
    cluster::Cluster machine = library.cluster(family.like, family.where);
    const std::size_t above = machine.node_level + 1;
    const std::int64_t domain_before = machine.domain_size(
        above < machine.levels.size() && machine.levels[above].kind == LevelKind::switched ? above
                                                                                           : machine.node_level);
    const bool other_node = set_node(row, machine);
    set_domain(row, above, machine);
    const bool other_domain = other_node || domain_before != row.nvlink_domain;
    const bool other_fabric = set_fabric(row, above + (row.nvlink_domain > row.gpus_per_node ? 1 : 0), machine);
    std::erase_if(machine.curves, [&](const cluster::CollectiveCurve& curve) {
        return curve.ranks > row.nvlink_domain   ? other_domain || other_fabric
               : curve.ranks > row.gpus_per_node ? other_domain
                                                 : other_node;
    });
    machine.name = row.machine;
    machine.source = row.cell("source");
    if (!row.device.empty() && row.device != machine.device.name) {  // the machine's own keeps its clocks
        machine.device = library.device(row.device, row.place("device"));
    }
    machine.measured_samples.clear();
    machine.storage.reset();
    return machine;
}

}  // namespace dodona::validate
