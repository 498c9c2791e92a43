#include "calibrate/machine/machine_text.hpp"

#include <string_view>

#include <fmt/format.h>

#include "calibrate/fit/profile_text.hpp"
#include "calibrate/machine/yaml.hpp"

namespace dodona::calibrate {

namespace {

using cluster::Cluster;
using cluster::Device;
using cluster::Level;

void write_provenance(Yaml& yaml, const cluster::Provenance& provenance) {
    yaml.quoted_unless_empty("source", provenance.source);
    yaml.quoted_unless_empty("date", provenance.date);
    yaml.quoted_unless_empty("conditions", provenance.conditions);
}

std::string point_text(const cluster::KernelPoint& point, bool product) {
    std::string text = "{";
    if (product) {
        text += fmt::format("m: {}, n: {}, k: {}, ", number(point.m), number(point.n), number(point.k));
        text += point.batch == 1 ? "" : fmt::format("batch: {}, ", number(point.batch));
    }
    text += point.bytes > Bytes{} ? fmt::format("bytes: {}, ", written(point.bytes)) : "";
    text += point.flops > Flop{} ? fmt::format("flops: {}, ", written(point.flops)) : "";
    return text + fmt::format("time: {}}}", written(point.time));
}

void write_curve(Yaml& yaml, const cluster::KernelCurve& curve) {
    const bool product = curve.kind != graph::KernelKind::stream && curve.kind != graph::KernelKind::gather;
    const auto item = yaml.item();
    yaml.pair("kernel", name(curve.kind));
    yaml.pair("precision", name(curve.precision));
    if (curve.direction) {
        yaml.pair("direction", name(*curve.direction));
    }
    if (curve.exact) {
        yaml.pair("exact", "true");
    }
    yaml.pair("held_out_error", number(curve.held_out_error));
    write_provenance(yaml, curve.provenance);
    const auto points = yaml.list("points");
    for (const cluster::KernelPoint& point : curve.points) {
        yaml.item(point_text(point, product));
    }
}

void write_device(Yaml& yaml, const Device& device) {
    const auto inside = yaml.mapping("device");
    yaml.pair("device", device.name);
    yaml.quoted_unless_empty("source", device.source);
    yaml.pair("memory", written(device.memory));
    yaml.pair("memory_bandwidth", written(device.memory_bandwidth));
    yaml.pair("multiprocessors", fmt::format("{}", device.multiprocessors));
    std::string peaks;
    for (const auto& [precision, peak] : device.matrix) {
        peaks += fmt::format("{}{}: {}", peaks.empty() ? "" : ", ", name(precision), written(peak));
    }
    yaml.pair("matrix", "{" + peaks + "}");
    yaml.pair("vector", written(device.vector));
    std::string tiles;
    for (const cluster::Tile& tile : device.tiles) {
        tiles += fmt::format("{}[{}, {}]", tiles.empty() ? "" : ", ", tile.m, tile.n);
    }
    yaml.pair("tiles", "[" + tiles + "]");
    yaml.pair("launch", written(device.launch));
    yaml.pair("context", written(device.context));
    if (!device.profile.fits.empty() && device.profile.borrowed) {
        yaml.pair("profile", fmt::format("{{name: {}, borrowed: true}}", device.profile.name));
    } else if (!device.profile.fits.empty()) {
        const auto profile = yaml.mapping("profile");
        yaml.pair("profile", device.profile.name);
        yaml.quoted_unless_empty("source", device.profile.source);
        yaml.block(fits_text(device.profile));
    }
    if (!device.curves.empty()) {
        const auto curves = yaml.list("curves");
        for (const cluster::KernelCurve& curve : device.curves) {
            write_curve(yaml, curve);
        }
    }
}

void write_curves(Yaml& yaml, const std::vector<cluster::CollectiveCurve>& all) {
    if (all.empty()) {
        return;
    }
    const auto curves = yaml.list("curves");
    for (const cluster::CollectiveCurve& curve : all) {
        const auto item = yaml.item();
        yaml.pair("collective", name(curve.collective));
        yaml.pair("ranks", fmt::format("{}", curve.ranks));
        yaml.pair("ranks_per_node", fmt::format("{}", curve.ranks_per_node));
        yaml.pair("held_out_error", number(curve.held_out_error));
        write_provenance(yaml, curve.provenance);
        const auto points = yaml.list("points");
        for (const auto& point : curve.points) {
            yaml.item(fmt::format("{{size: {}, time: {}}}", written(point.size), written(point.time)));
        }
    }
}

void write_link(Yaml& yaml, const cluster::Link& link) {
    const auto inside = yaml.mapping("link");
    yaml.pair("link", link.name);
    yaml.quoted_unless_empty("source", link.source);
    yaml.pair("wiring", name(link.wiring));
    yaml.pair("bandwidth", written(link.bandwidth));
    yaml.pair("error", number(link.error));
    if (!link.protocols.empty()) {
        const auto protocols = yaml.list("protocols");
        for (const cluster::Protocol& protocol : link.protocols) {
            yaml.item(fmt::format("{{name: {}, start: {}, step: {}, efficiency: {}}}", protocol.name,
                                  written(protocol.timing.start), written(protocol.timing.step),
                                  number(protocol.timing.efficiency)));
        }
    }
    write_curves(yaml, link.curves);
}

void write_particulars(Yaml& yaml, const Level& level) {
    using cluster::LevelKind;
    if (level.kind == LevelKind::fat_tree) {
        yaml.pair("taper", number(level.taper));
    }
    if (level.kind == LevelKind::torus) {
        yaml.pair("sizes", fmt::format("[{}]", fmt::join(level.sizes, ", ")));
    }
    if (level.kind == LevelKind::dragonfly) {
        yaml.pair("routing", name(level.routing));
    }
    if (level.in_network) {
        yaml.pair("in_network", fmt::format("{{bandwidth: {}, latency: {}}}", written(level.in_network->bandwidth),
                                            written(level.in_network->latency)));
    }
}

void write_level(Yaml& yaml, const Level& level, bool node) {
    const auto item = yaml.item();
    yaml.pair("name", level.name);
    yaml.pair("size", fmt::format("{}", level.size));
    yaml.pair("kind", name(level.kind));
    yaml.pair("links", fmt::format("{}", level.links));
    yaml.pair("bandwidth", written(level.bandwidth));
    if (node) {
        yaml.pair("node", "true");
    }
    const bool protocols = level.link && !level.link->protocols.empty();
    if (!protocols) {
        yaml.pair("latency", written(level.latency));
        yaml.pair("efficiency", number(level.efficiency));
    }
    write_particulars(yaml, level);
    if (level.link) {
        write_link(yaml, *level.link);
    }
}

/// Nodes with other devices, the cluster's own written out where it stands between them.
void write_nodes(Yaml& yaml, const Cluster& cluster) {
    const auto nodes = yaml.list("nodes");
    std::int64_t next = 0;
    const auto run = [&](const Device& device, std::int64_t ranks) {
        const auto item = yaml.item();
        yaml.pair("count", fmt::format("{}", ranks / cluster.node_size()));
        write_device(yaml, device);
    };
    for (const cluster::DeviceRange& range : cluster.mixed) {
        if (range.first > next) {
            run(cluster.device, range.first - next);
        }
        run(range.device, range.ranks);
        next = range.first + range.ranks;
    }
}

void write_money(Yaml& yaml, const Cluster& cluster) {
    if (cluster.price) {
        yaml.pair("price", fmt::format("{{value: {} {}/h, source: \"{}\"}}",
                                       number(cluster.price->device.in(unit::money / unit::hour)),
                                       cluster.price->currency, cluster.price->source));
    }
}

void write_rest(Yaml& yaml, const Cluster& cluster) {
    if (!cluster.mixed.empty()) {
        write_nodes(yaml, cluster);
    }
    write_money(yaml, cluster);
    if (const auto& servers = cluster.parameter_servers;
        servers.place != cluster::ParameterServers::Place::device || servers.count != 1) {
        yaml.pair("parameter_servers", fmt::format("{{place: {}, count: {}}}", name(servers.place), servers.count));
    }
    if (cluster.staging) {
        std::vector<std::string_view> words;
        for (const cluster::Collective collective : cluster.staging->applies_to) {
            words.push_back(name(collective));
        }
        const auto staging = yaml.mapping("point_to_point");
        yaml.pair("latency", written(cluster.staging->latency));
        yaml.pair("bandwidth", written(cluster.staging->bandwidth));
        yaml.pair("applies_to", fmt::format("[{}]", fmt::join(words, ", ")));
        yaml.quoted_unless_empty("source", cluster.staging->source);
    }
    if (cluster.interference) {
        const auto interference = yaml.mapping("interference");
        yaml.pair("value", number(cluster.interference->lost));
        yaml.quoted_unless_empty("source", cluster.interference->source);
    }
    if (cluster.storage) {
        const auto storage = yaml.mapping("storage");
        yaml.pair("bandwidth", written(cluster.storage->bandwidth));
        yaml.pair("prefetch", cluster.storage->prefetch ? "true" : "false");
        yaml.quoted_unless_empty("source", cluster.storage->source);
    }
    if (cluster.host) {
        const auto host = yaml.mapping("host");
        yaml.pair("memory", written(cluster.host->memory));
        yaml.pair("bandwidth", written(cluster.host->bandwidth));
        yaml.quoted_unless_empty("source", cluster.host->source);
    }
    if (!cluster.measured_samples.empty()) {
        const auto samples = yaml.list("measured_samples");
        for (const cluster::MeasuredSamples& measured : cluster.measured_samples) {
            const auto item = yaml.item();
            yaml.pair("model", measured.model);
            yaml.pair("forward_backward", written(measured.forward_backward));
            yaml.pair("update", written(measured.update));
            yaml.quoted_unless_empty("source", measured.source);
        }
    }
    if (cluster.contention) {
        yaml.pair("contention", number(*cluster.contention));
    }
    if (cluster.memory_reserve > 0) {
        yaml.pair("memory_reserve", number(cluster.memory_reserve));
    }
}

}  // namespace

std::string machine_text(const Cluster& cluster, const std::vector<std::string>& notes) {
    Yaml yaml;
    for (const std::string& note : notes) {
        yaml.comment(note);
    }
    yaml.pair("cluster", cluster.name);
    yaml.quoted_unless_empty("source", cluster.source);
    write_device(yaml, cluster.device);
    if (cluster.device.sustained != 1) {
        yaml.pair("sustained", number(cluster.device.sustained));
    }
    {
        const auto levels = yaml.list("levels");
        for (std::size_t i = 0; i < cluster.levels.size(); ++i) {
            write_level(yaml, cluster.levels[i], i == cluster.node_level);
        }
    }
    if (cluster.collectives) {
        yaml.pair("collectives", name(*cluster.collectives));
    }
    if (!cluster.algorithms.empty()) {
        std::vector<std::string_view> words;
        for (const cluster::Algorithm algorithm : cluster.algorithms) {
            words.push_back(name(algorithm));
        }
        yaml.pair("algorithms", fmt::format("[{}]", fmt::join(words, ", ")));
    }
    write_rest(yaml, cluster);
    write_curves(yaml, cluster.curves);
    return yaml.text();
}

}  // namespace dodona::calibrate
