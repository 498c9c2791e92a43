#include "validate/machine_of_run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "cost/measured_bandwidth.hpp"
#include "validate/machine_of_row.hpp"

namespace dodona::validate {

namespace {

constexpr std::string_view kOneDevice = "single-gpu";

bool spans_nodes(const files::MeasuredRun& run) { return run.gpus_per_node > 0 && run.gpus > run.gpus_per_node; }

/// Trays of a rack-wide domain of links are a level of their own: then nothing is to be done.
bool has_unit_of(const cluster::Cluster& cluster, std::int64_t devices) {
    for (std::size_t level = 0; level < cluster.levels.size(); ++level) {
        if (cluster.domain_size(level) == devices) {
            return true;
        }
    }
    return false;
}

cluster::Cluster named_machine(const files::MeasuredRun& run, const files::Library& library, const Tables& tables,
                               const files::TableConventions& conventions) {
    const files::MachineRow* row = tables.machine(run.machine);
    const std::vector<std::string> built_in = row == nullptr ? std::vector<std::string>{} : library.clusters();
    if (row == nullptr || std::find(built_in.begin(), built_in.end(), run.machine) != built_in.end()) {
        cluster::Cluster machine = library.cluster(run.machine, run.place("machine"));
        if (row == nullptr || run.gpus <= machine.devices()) {  // the row does not say how many nodes there are
            return machine;
        }
    }
    return machine_of_row(*row, conventions, library);
}

}  // namespace

std::string machine_key(const files::MeasuredRun& run) {
    return fmt::format("{}\n{}\n{}", run.machine, run.device,
                       spans_nodes(run) ? fmt::format("{} of {}", run.gpus_per_node, run.gpus) : "");
}

cluster::Cluster machine_of(const files::MeasuredRun& run, const files::Library& library, const Tables& tables,
                            const files::TableConventions& conventions) {
    if (run.machine == kOneDevice) {
        if (run.device.empty()) {
            fail(run.place("device"), fmt::format("device: machine \"{}\" needs one", run.machine));
        }
        const cluster::Device device = library.device(run.device, run.place("device"));
        return {.name = run.machine,
                .source = device.source,
                .device = device,
                .levels = {{.name = "device", .size = 1}},
                .node_level = 0};
    }
    cluster::Cluster cluster = named_machine(run, library, tables, conventions);
    if (!run.device.empty() && run.device != cluster.device.name) {
        cluster.device = library.device(run.device, run.place("device"));
    }
    if (spans_nodes(run) && !has_unit_of(cluster, run.gpus_per_node)) {
        if (cluster.node_level != 0 || run.gpus_per_node > cluster.node_size()) {
            fail(run.place("gpus_per_node"), fmt::format("gpus_per_node: {} has nodes of {} GPUs, the run {} on each",
                                                         run.machine, cluster.node_size(), run.gpus_per_node));
        }
        cluster.levels.front().size = run.gpus_per_node;
    }
    return cluster;
}

cluster::Cluster with_links(cluster::Cluster machine, const files::MeasuredRun& run, const files::LinkRow& links) {
    machine.measured.clear();
    const std::int64_t node = std::min(machine.node_size(), run.gpus);
    for (const files::LinkRow::Bandwidth& each : links.bandwidths) {
        const std::int64_t ranks = each.inside ? node : run.gpus;
        auto& known = machine.measured[each.collective];
        const bool is_known = any_of(known, [&](const auto& one) { return one.ranks == ranks; });
        if (ranks >= 2 && !is_known) {  // in a node both columns say the same
            known.push_back({.ranks = ranks, .bus = each.bus});
        }
    }
    machine.slow_downs = cost::slow_downs(machine);
    return machine;
}

void check_size(const files::MeasuredRun& run, const Tables& tables, const cluster::Cluster& machine) {
    const files::MachineRow* row = tables.machine(machine.name);
    if (row != nullptr && run.gpus > machine.devices()) {
        fail(row->place("nics_per_node"), fmt::format("nics_per_node and nic_gb_s: not stated for {}, so that no more "
                                                      "than the {} GPUs that its links join can be asked",
                                                      machine.name, machine.devices()));
    }
}

}  // namespace dodona::validate
