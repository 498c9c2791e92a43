#include "reports/collect/machine_report.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "files/machine_file.hpp"
#include "reports/collect/described_record.hpp"
#include "reports/collect/device_report.hpp"
#include "reports/collect/machine_kernels.hpp"
#include "reports/collect/machine_links.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

/// "torus 4 x 4 x 8", "switch, reduces"
std::string level_kind(const cluster::Level& level) {
    std::string kind(name(level.kind));
    if (level.kind == cluster::LevelKind::torus) {
        std::vector<std::string> sizes;
        for (const std::int64_t size : level.sizes) {
            sizes.push_back(std::to_string(size));
        }
        kind += fmt::format(" {}", fmt::join(sizes, " x "));
    }
    if (level.kind == cluster::LevelKind::dragonfly) {
        kind += fmt::format(", {}", name(level.routing));
    }
    return level.in_network ? kind + ", reduces" : kind;
}

/// "plain (nodes 1 to 4)"
std::vector<std::string> mixed_devices(const cluster::Cluster& cluster) {
    return mapped<std::string>(cluster.mixed, [&](const cluster::DeviceRange& range) {
        return fmt::format("{} (nodes {} to {})", range.device.name, range.first / cluster.node_size() + 1,
                           (range.first + range.ranks) / cluster.node_size());
    });
}

/// "2 measured curves, 6 fitted kernel models (a100-sxm) and the data sheet"
std::string cluster_evidence(const cluster::Cluster& cluster) {
    const cluster::Profile& profile = cluster.device.profile;
    std::size_t curves = cluster.device.curves.size() + cluster.curves.size();
    for (std::size_t i = 0; i < cluster.levels.size(); ++i) {
        const auto& link = cluster.levels[i].link;
        const bool again =
            i > 0 && link && cluster.levels[i - 1].link && cluster.levels[i - 1].link->name == link->name;
        curves += link && !again ? link->curves.size() : 0;
    }
    std::vector<std::string> parts;
    if (curves > 0) {
        parts.push_back(counted(curves, "measured curve"));
    }
    if (!profile.fits.empty()) {
        parts.push_back(fmt::format("{} ({}{})", counted(profile.fits.size(), "fitted kernel model"), profile.name,
                                    profile.borrowed ? ", borrowed" : ""));
    }
    return parts.empty() ? "data sheet only" : join(parts) + " and the data sheet";
}

/// "16.0 MiB to 8.00 GiB", "1.05 MFLOP to 17.6 TFLOP"
std::string measured_range(const cluster::KernelFit& fit) {
    if (fit.bytes.most > 0) {
        return fmt::format("{} to {}", text(fit.bytes.least * unit::byte), text(fit.bytes.most * unit::byte));
    }
    return fmt::format("{} to {}", text(fit.work.least * unit::flop), text(fit.work.most * unit::flop));
}

Table profile_table(const cluster::Profile& profile) {
    Table table({{"kernel"},
                 {"precision"},
                 {"pass"},
                 {"rows", Align::right},
                 {"median error", Align::right},
                 {"p90", Align::right},
                 {"of the peak", Align::right},
                 {"of memory", Align::right},
                 {"measured"}});
    for (const cluster::KernelFit& fit : profile.fits) {
        const bool stream = fit.kind == graph::KernelKind::stream || fit.kind == graph::KernelKind::gather;
        table.row({std::string(name(fit.kind)), stream ? "any" : std::string(name(fit.precision)),
                   fit.direction ? std::string(name(*fit.direction)) : "any", Count{fit.rows},
                   Percent{fit.error.median}, Percent{fit.error.p90}, stream ? Cell() : Cell(Number{fit.compute}),
                   Number{fit.memory}, measured_range(fit)});
    }
    return table;
}

/// Each measurement once, in the order of the fits.
std::vector<std::string> fit_sources(const cluster::Profile& profile) {
    std::vector<std::string> sources;
    for (const cluster::KernelFit& fit : profile.fits) {
        if (std::find(sources.begin(), sources.end(), fit.provenance.source) == sources.end()) {
            sources.push_back(fit.provenance.source);
        }
    }
    return sources;
}

KeyFigures machine_figures(const cluster::Cluster& cluster) {
    const cluster::Device& device = cluster.device;
    KeyFigures all;
    const auto add_line = [&all](std::string label, std::string line) {
        all.figures.push_back({.label = std::move(label), .value = std::move(line), .note = {}});
    };
    add_line("GPUs", fmt::format("{} x {}, {} to a node", whole(cluster.devices()), device_names(cluster),
                                 cluster.node_size()));
    add_line("device",
             fmt::format("{} at {}; {}", text(device.memory), text(device.memory_bandwidth), matrix_peaks(device)));
    if (!cluster.mixed.empty()) {
        add_line("nodes", join(mixed_devices(cluster)));
    }
    add_line("evidence", cluster_evidence(cluster));
    for (const cluster::Level& level : cluster.levels) {
        if (level.in_network) {
            add_line("in-network reduction",
                     fmt::format("{}, {} out of a child", level.name, text(level.in_network->bandwidth)));
        }
    }
    for (const cluster::MeasuredSamples& samples : cluster.measured_samples) {
        add_line("measured", fmt::format("{} at {} a sample, forward and backward ({})", samples.model,
                                         text(samples.forward_backward), samples.source));
    }
    if (cluster.staging) {
        add_line("staged by the host",
                 fmt::format("{} at {}", text(cluster.staging->latency), text(cluster.staging->bandwidth)));
    }
    if (cluster.storage) {
        add_line("storage", fmt::format("{} a node{}", text(cluster.storage->bandwidth),
                                        cluster.storage->prefetch ? ", read ahead" : ""));
    }
    if (cluster.host) {
        add_line("host",
                 fmt::format("{} a node, {} to a device", text(cluster.host->memory), text(cluster.host->bandwidth)));
    }
    if (const auto days = measured_days(cluster)) {
        add_line("measured on",
                 days->first == days->last ? days->first : fmt::format("{} to {}", days->first, days->last));
    }
    append(all.figures, link_figures(cluster));
    add_line("source", cluster.source);
    if (!device.source.empty() && device.source != cluster.source) {
        add_line("device source", device.source);
    }
    for (const std::string& source : fit_sources(device.profile)) {
        add_line("kernel source", source);
    }
    return all;
}

Table level_table(const cluster::Cluster& cluster) {
    Table table({{"level"},
                 {"joins", Align::right},
                 {"kind"},
                 {"links", Align::right},
                 {"bandwidth of one", Align::right},
                 {"efficiency", Align::right},
                 {"latency", Align::right},
                 {"oversubscription", Align::right}});
    for (const cluster::Level& level : cluster.levels) {
        table.row({level.name, Count{level.size}, level_kind(level), Count{level.links}, level.bandwidth,
                   Percent{level.efficiency}, level.latency, Number{level.taper}});
    }
    return table;
}

Record profile_record(const cluster::Profile& profile) {
    Record fits = no_elements();
    for (const cluster::KernelFit& fit : profile.fits) {
        Record one{{"kernel", name(fit.kind)},   {"precision", name(fit.precision)},
                   {"rows", fit.rows},           {"median_error", fit.error.median},
                   {"p90_error", fit.error.p90}, {"source", fit.provenance.source}};
        if (fit.direction) {
            one["direction"] = name(*fit.direction);
        }
        fits.push_back(one);
    }
    return {{"name", profile.name}, {"borrowed", profile.borrowed}, {"fits", fits}};
}

Record machine_record(const cluster::Cluster& cluster) {
    Record device{{"name", cluster.device.name},
                  {"memory_bytes", cluster.device.memory},
                  {"memory_bandwidth_bytes_per_s", cluster.device.memory_bandwidth},
                  {"peak_flop_per_s", no_fields()},
                  {"source", cluster.device.source}};
    for (const auto& [precision, peak] : cluster.device.matrix) {
        device["peak_flop_per_s"][std::string(name(precision))] = peak;
    }
    if (!cluster.device.profile.fits.empty()) {
        device["profile"] = profile_record(cluster.device.profile);
    }
    if (!cluster.device.curves.empty()) {
        device["curves"] = kernel_curves_record(cluster.device);
    }
    Record levels = no_elements();
    for (const cluster::Level& level : cluster.levels) {
        Record one{{"name", level.name},
                   {"size", level.size},
                   {"kind", name(level.kind)},
                   {"links", level.links},
                   {"bandwidth_bytes_per_s", level.bandwidth},
                   {"efficiency", level.efficiency},
                   {"latency_s", level.latency},
                   {"taper", level.taper}};
        if (level.segment) {
            one["segment"] = *level.segment;
        }
        if (level.kind == cluster::LevelKind::torus) {
            one["sizes"] = level.sizes;
        }
        if (level.kind == cluster::LevelKind::dragonfly) {
            one["routing"] = name(level.routing);
        }
        if (level.in_network) {
            one["in_network"] = {{"bandwidth_bytes_per_s", level.in_network->bandwidth},
                                 {"latency_s", level.in_network->latency}};
        }
        if (level.link) {
            one["link"] = link_record(*level.link);
        }
        levels.push_back(one);
    }
    Record nodes = no_elements();
    for (const cluster::DeviceRange& range : cluster.mixed) {
        nodes.push_back({{"first_rank", range.first}, {"gpus", range.ranks}, {"device", range.device.name}});
    }
    Record document{{"schema", "dodona/machine/1"},
                    {"name", cluster.name},
                    {"gpus", cluster.devices()},
                    {"gpus_per_node", cluster.node_size()},
                    {"device", device},
                    {"levels", levels},
                    {"source", cluster.source}};
    if (!cluster.mixed.empty()) {
        document["nodes"] = nodes;
    }
    if (cluster.host) {
        document["host"] = {{"memory_bytes", cluster.host->memory}, {"bandwidth_bytes_per_s", cluster.host->bandwidth}};
    }
    return document;
}

}  // namespace

std::string device_names(const cluster::Cluster& cluster) {
    std::vector<std::string> names{cluster.device.name};
    for (const cluster::DeviceRange& range : cluster.mixed) {
        if (std::find(names.begin(), names.end(), range.device.name) == names.end()) {
            names.push_back(range.device.name);
        }
    }
    return join(names, " and ");
}

Document machine_document(const cluster::Cluster& cluster) {
    Document document;
    set_record(document, machine_record(cluster), cluster);
    add(document, Headline{cluster.name});
    add(document, machine_figures(cluster));
    add(document, level_table(cluster));
    add(document, profile_table(cluster.device.profile));
    add(document, kernel_curve_table(cluster.device));
    add(document, curve_table(cluster));
    return document;
}

std::string machine_facts(const cluster::Cluster& cluster) {
    std::string facts = fmt::format("{} {} {}", cluster.name, cluster.device.name, cluster.device.family);
    for (const cluster::DeviceRange& range : cluster.mixed) {
        facts += fmt::format(" {} {}", range.device.name, range.device.family);
    }
    return facts;
}

Document machines_document(const std::vector<cluster::Cluster>& clusters) {
    Document document;
    std::map<std::string, Table> families;
    std::vector<Record>& rows = document.rows.emplace();
    for (const cluster::Cluster& cluster : clusters) {
        const Table titles({{"machine"},
                            {"GPUs", Align::right},
                            {"a node", Align::right},
                            {"device"},
                            {"memory", Align::right},
                            {"levels"}});
        const auto levels = mapped<std::string>(cluster.levels, &cluster::Level::name);
        const std::string& family = cluster.device.family;
        families.try_emplace(family.empty() ? "Others" : family, titles)
            .first->second.row({cluster.name, Count{cluster.devices()}, Count{cluster.node_size()},
                                device_names(cluster), cluster.device.memory, join(levels)});
        rows.push_back(machine_record(cluster));
    }
    document.record = {{"schema", "dodona/machines/1"}, {"machines", rows}};
    for (auto& [family, table] : families) {
        add_section(document, {family}, {std::move(table)});
    }
    return document;
}

}  // namespace dodona::reports
