#include "reports/machine.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/diagnostic.hpp"
#include "reports/figures.hpp"
#include "reports/machine_kernels.hpp"
#include "reports/machine_links.hpp"

namespace dodona::reports {

namespace {

/// "torus 4 x 4 x 8", "switch, reduces"
std::string kind_of(const cluster::Level& level) {
    std::string words(name(level.kind));
    if (level.kind == cluster::LevelKind::torus) {
        std::vector<std::string> sizes;
        for (const std::int64_t size : level.sizes) {
            sizes.push_back(std::to_string(size));
        }
        words += fmt::format(" {}", fmt::join(sizes, " x "));
    }
    if (level.kind == cluster::LevelKind::dragonfly) {
        words += fmt::format(", {}", name(level.routing));
    }
    return level.in_network ? words + ", reduces" : words;
}

/// "plain (nodes 1 to 4)"
std::vector<std::string> mixed_devices(const cluster::Cluster& cluster) {
    std::vector<std::string> words;
    for (const cluster::DeviceRange& range : cluster.mixed) {
        words.push_back(fmt::format("{} (nodes {} to {})", range.device.name, range.first / cluster.node_size() + 1,
                                    (range.first + range.ranks) / cluster.node_size()));
    }
    return words;
}

std::string peaks(const cluster::Device& device) {
    std::vector<std::string> words;
    for (const auto& [precision, peak] : device.matrix) {
        words.push_back(fmt::format("{} {}", name(precision), text(peak)));
    }
    return join(words);
}

/// "2 measured curves, 6 fitted kernel models (a100-sxm) and the data sheet"
std::string evidence(const cluster::Cluster& cluster) {
    const cluster::Profile& profile = cluster.device.profile;
    std::size_t curves = cluster.device.curves.size() + cluster.curves.size();
    for (std::size_t i = 0; i < cluster.levels.size(); ++i) {
        const auto& link = cluster.levels[i].link;
        const bool again =
            i > 0 && link && cluster.levels[i - 1].link && cluster.levels[i - 1].link->name == link->name;
        curves += link && !again ? link->curves.size() : 0;
    }
    std::vector<std::string> words;
    if (curves > 0) {
        words.push_back(counted(static_cast<std::int64_t>(curves), "measured curve"));
    }
    if (!profile.fits.empty()) {
        words.push_back(fmt::format("{} ({}{})",
                                    counted(static_cast<std::int64_t>(profile.fits.size()), "fitted kernel model"),
                                    profile.name, profile.borrowed ? ", borrowed" : ""));
    }
    return words.empty() ? "data sheet only" : join(words) + " and the data sheet";
}

/// "16.0 MiB to 8.00 GiB", "1.05 MFLOP to 17.6 TFLOP"
std::string span(const cluster::KernelFit& fit) {
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
                   fit.direction ? std::string(name(*fit.direction)) : "any", whole(static_cast<double>(fit.rows)),
                   percent(fit.error.median), percent(fit.error.p90), stream ? "" : figure(fit.compute),
                   figure(fit.memory), span(fit)});
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

std::vector<std::string> facts(const cluster::Cluster& cluster) {
    const cluster::Device& device = cluster.device;
    std::vector<std::string> lines{
        fmt::format("{} x {}, {} to a node", whole(static_cast<double>(cluster.devices())), devices(cluster),
                    cluster.node_size()),
        fmt::format("device: {} at {}; {}", text(device.memory), text(device.memory_bandwidth), peaks(device))};
    if (!cluster.mixed.empty()) {
        lines.push_back("other devices: " + join(mixed_devices(cluster)));
    }
    lines.push_back("evidence: " + evidence(cluster));
    for (const cluster::Level& level : cluster.levels) {
        if (level.in_network) {
            lines.push_back(fmt::format("reduction in the network: {}, {} out of a child", level.name,
                                        text(level.in_network->bandwidth)));
        }
    }
    for (const cluster::MeasuredSamples& samples : cluster.measured_samples) {
        lines.push_back(fmt::format("measured: {} at {} a sample, forward and backward ({})", samples.model,
                                    text(samples.forward_backward), samples.source));
    }
    if (cluster.staging) {
        lines.push_back(fmt::format("staged through the host: {} at {}", text(cluster.staging->latency),
                                    text(cluster.staging->bandwidth)));
    }
    if (cluster.storage) {
        lines.push_back(fmt::format("storage: {} a node{}", text(cluster.storage->bandwidth),
                                    cluster.storage->prefetch ? ", read ahead" : ""));
    }
    if (cluster.host) {
        lines.push_back(
            fmt::format("host: {} a node, {} to a device", text(cluster.host->memory), text(cluster.host->bandwidth)));
    }
    if (const auto days = measured_days(cluster)) {
        lines.push_back(days->first == days->last ? "measured on " + days->first
                                                  : fmt::format("measured from {} to {}", days->first, days->last));
    }
    for (std::string& line : link_facts(cluster)) {
        lines.push_back(std::move(line));
    }
    lines.push_back("source: " + cluster.source);
    if (!device.source.empty() && device.source != cluster.source) {
        lines.push_back("device source: " + device.source);
    }
    for (const std::string& source : fit_sources(device.profile)) {
        lines.push_back("kernels: " + source);
    }
    return lines;
}

Table level_table(const cluster::Cluster& cluster) {
    Table table({{"level"},
                 {"joins", Align::right},
                 {"kind"},
                 {"links", Align::right},
                 {"of one link", Align::right},
                 {"reached", Align::right},
                 {"latency", Align::right},
                 {"taper", Align::right}});
    for (const cluster::Level& level : cluster.levels) {
        table.row({level.name, std::to_string(level.size), kind_of(level), std::to_string(level.links),
                   text(level.bandwidth), percent(level.efficiency), text(level.latency), figure(level.taper)});
    }
    return table;
}

Record profile_record(const cluster::Profile& profile) {
    Record fits = no_elements();
    for (const cluster::KernelFit& fit : profile.fits) {
        Record one{{"kernel", name(fit.kind)},
                 {"precision", name(fit.precision)},
                 {"rows", fit.rows},
                 {"median_error", fit.error.median},
                 {"p90_error", fit.error.p90},
                 {"source", fit.provenance.source}};
        if (fit.direction) {
            one["direction"] = name(*fit.direction);
        }
        fits.push_back(one);
    }
    return {{"name", profile.name}, {"borrowed", profile.borrowed}, {"fits", fits}};
}

}  // namespace

std::string devices(const cluster::Cluster& cluster) {
    std::vector<std::string> names{cluster.device.name};
    for (const cluster::DeviceRange& range : cluster.mixed) {
        if (std::find(names.begin(), names.end(), range.device.name) == names.end()) {
            names.push_back(range.device.name);
        }
    }
    return join(names, " and ");
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
        if (level.kind == cluster::LevelKind::torus) {
            one["sizes"] = level.sizes;
        }
        if (level.kind == cluster::LevelKind::dragonfly) {
            one["routing"] = name(level.routing);
        }
        if (level.in_network) {
            one["in_network"] = {
                {"bandwidth_bytes_per_s", level.in_network->bandwidth},
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
    if (!nodes.empty()) {
        document["nodes"] = nodes;
    }
    if (cluster.host) {
        document["host"] = {{"memory_bytes", cluster.host->memory},
                            {"bandwidth_bytes_per_s", cluster.host->bandwidth}};
    }
    return document;
}

std::string machine_text(const cluster::Cluster& cluster, Style style) {
    std::string all = painted(style, Paint::bold, cluster.name) + "\n";
    for (const std::string& line : facts(cluster)) {
        all += "  " + wrapped(line, 96, "    ") + "\n";
    }
    all += "\n" + level_table(cluster).to_text(style);
    if (!cluster.device.profile.fits.empty()) {
        all += "\n" + profile_table(cluster.device.profile).to_text(style);
    }
    for (const auto& curves : {kernel_curve_table(cluster.device), curve_table(cluster)}) {
        all += curves ? "\n" + curves->to_text(style) : "";
    }
    return all;
}

std::string machine_markdown(const cluster::Cluster& cluster) {
    std::string all = "**" + cluster.name + "**\n\n";
    for (const std::string& line : facts(cluster)) {
        all += "- " + line + "\n";
    }
    all += "\n" + level_table(cluster).to_markdown();
    if (!cluster.device.profile.fits.empty()) {
        all += "\n" + profile_table(cluster.device.profile).to_markdown();
    }
    for (const auto& curves : {kernel_curve_table(cluster.device), curve_table(cluster)}) {
        all += curves ? "\n" + curves->to_markdown() : "";
    }
    return all;
}

Record machines_record(const std::vector<cluster::Cluster>& clusters) {
    Record document{{"schema", "dodona/machines/1"}, {"machines", no_elements()}};
    for (const cluster::Cluster& cluster : clusters) {
        document["machines"].push_back(machine_record(cluster));
    }
    return document;
}

Table machines_table(const std::vector<cluster::Cluster>& clusters) {
    Table table({{"machine"},
                 {"GPUs", Align::right},
                 {"a node", Align::right},
                 {"device"},
                 {"memory", Align::right},
                 {"levels"}});
    for (const cluster::Cluster& cluster : clusters) {
        std::vector<std::string> levels;
        for (const cluster::Level& level : cluster.levels) {
            levels.push_back(fmt::format("{} ({})", level.name, name(level.kind)));
        }
        table.row({cluster.name, whole(static_cast<double>(cluster.devices())),
                   whole(static_cast<double>(cluster.node_size())), devices(cluster), text(cluster.device.memory),
                   join(levels)});
    }
    return table;
}

}  // namespace dodona::reports
