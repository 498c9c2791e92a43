#include "input/machine_file.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "input/curves.hpp"
#include "input/fields.hpp"
#include "input/heading.hpp"

namespace dodona::input {

namespace {

using cluster::Algorithm;
using cluster::Cluster;
using cluster::Collective;
using cluster::Device;
using cluster::Level;
using cluster::LevelKind;

constexpr std::int64_t kMostDevices = 1'000'000'000;
constexpr std::int64_t kMostMultiprocessors = 1'000'000;
constexpr std::int64_t kLargestTile = 65'536;

constexpr std::array kAlgorithms{Algorithm::ring, Algorithm::tree, Algorithm::double_tree, Algorithm::hierarchical,
                                 Algorithm::direct};
constexpr std::array kStaged{Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                             Collective::all_to_all, Collective::send,       Collective::halo};
/// In the order of LevelKind.
const std::vector<std::string> kLevelKinds{"switch", "all-to-all", "ring", "fat-tree"};

std::map<Precision, FlopPerSecond> read_matrix(const Value& value) {
    std::vector<std::string> known;
    for (const Precision precision : kPrecisions) {
        known.emplace_back(name(precision));
    }
    std::map<Precision, FlopPerSecond> peaks;
    Fields fields(value);
    static_cast<void>(fields.find("source").text());
    static_cast<void>(fields.find("note").text());
    for (const Fields::Member& member : fields.rest()) {
        if (const auto precision = precision_from(member.key)) {
            peaks[*precision] = member.value.quantity(Sign::positive, FlopPerSecond{});
        } else {
            value.faults().error(
                member.where,
                fmt::format("{}: unknown precision{}", member.value.path(), did_you_mean(member.key, known)),
                fmt::format("precisions: {}", join(known)));
        }
    }
    if (fields.mapping() && peaks.empty() && !value.faults().has_errors()) {
        value.error("no peaks", "write the dense peak of each precision: {fp16: 125 TFLOP/s}");
    }
    return peaks;
}

std::vector<cluster::Tile> read_tiles(const Value& value) {
    std::vector<cluster::Tile> tiles;
    for (const Value& pair : value.list()) {
        const std::vector<Value> sides = pair.list();
        if (pair.is_list() && sides.size() != 2) {
            pair.error(fmt::format("a tile has two sides, not {}", sides.size()), "write [rows, columns]: [256, 128]");
        } else if (pair.is_list()) {
            tiles.push_back(
                {static_cast<int>(sides[0].whole(1, kLargestTile)), static_cast<int>(sides[1].whole(1, kLargestTile))});
        }
    }
    if (value.is_list() && value.node().items.empty()) {
        value.error("no tiles", "write the output tiles of the matrix kernels: [[256, 128], [128, 128]]");
    }
    return tiles;
}

Device read_device(const Value& value, SourceIs source) {
    Device device;
    Fields fields(value);
    const Heading heading = read_heading(fields, "device", source);
    device.name = heading.name;
    device.source = heading.source;
    device.memory = fields.require("memory", "its size: 16 GiB").quantity(Sign::positive, device.memory);
    device.memory_bandwidth =
        fields.require("memory_bandwidth", "of the data sheet: 900 GB/s").quantity(Sign::positive, BytesPerSecond{});
    device.multiprocessors = static_cast<int>(
        fields.require("multiprocessors", "how many tiles run at once: 80").whole(1, kMostMultiprocessors));
    device.matrix = read_matrix(fields.require("matrix", "dense peaks by precision: {fp16: 125 TFLOP/s}"));
    device.vector =
        fields.require("vector", "the fp32 peak outside matrix units").quantity(Sign::positive, FlopPerSecond{});
    device.tiles = read_tiles(fields.require("tiles", "output tiles of the matrix kernels: [[256, 128], [128, 128]]"));
    device.launch =
        fields.require("launch", "the shortest time between two kernels: 5 us").quantity(Sign::not_negative, Seconds{});
    device.context =
        fields.require("context", "memory that the runtime takes: 0.5 GiB").quantity(Sign::not_negative, Bytes{});
    device.curves = read_kernel_curves(fields.find("curves"));
    fields.finish();
    return device;
}

Level read_level(const Value& value, bool& is_node) {
    Level level;
    Fields fields(value);
    if (const Value name = fields.require("name", "what its units are called: node, rack, system")) {
        level.name = read_name(name);
    }
    level.size = fields.require("size", "how many children it joins").whole(1, kMostDevices);
    level.kind =
        static_cast<LevelKind>(fields.require("kind", fmt::format("one of {}", join(kLevelKinds))).choice(kLevelKinds));
    level.links = fields.find("links").whole(1, kMostDevices);
    level.bandwidth =
        fields.require("bandwidth", "of one link, one way: 50 GB/s").quantity(Sign::positive, BytesPerSecond{});
    level.latency =
        fields.require("latency", "of one message between children: 9 us").quantity(Sign::not_negative, Seconds{});
    if (const Value taper = fields.find("taper")) {
        level.taper = taper.number({.least = 1}, level.taper);
        if (level.kind != LevelKind::fat_tree) {
            taper.error("only a fat-tree has a taper", "set kind: fat-tree, or leave the taper out");
        }
    }
    is_node = fields.find("node").flag();
    fields.finish();
    return level;
}

void read_levels(const Value& value, Cluster& cluster) {
    std::set<std::string> names;
    bool has_node = false;
    double devices = 1;
    for (const Value& item : value.list()) {
        bool is_node = false;
        cluster.levels.push_back(read_level(item, is_node));
        const Level& level = cluster.levels.back();
        devices *= static_cast<double>(level.size);
        if (!level.name.empty() && !names.insert(level.name).second) {
            item.error(fmt::format("a second level \"{}\"", level.name), "levels have different names");
        }
        if (is_node && has_node) {
            item.error("a second level that is the node", "mark one level with `node: true`");
        } else if (is_node) {
            cluster.node_level = cluster.levels.size() - 1;
            has_node = true;
        }
    }
    if (value.is_list() && cluster.levels.empty()) {
        value.error("no levels", "one level at least joins the devices: {name: node, size: 8, kind: switch, …}");
    }
    if (devices > static_cast<double>(kMostDevices)) {
        value.error(fmt::format("{} devices are more than {}", devices, kMostDevices));
    }
}

std::vector<Algorithm> read_algorithms(const Value& value) {
    std::vector<Algorithm> algorithms;
    for (const Value& item : value.list()) {
        const Algorithm algorithm = item.one_of(kAlgorithms, Algorithm::ring);
        if (std::find(algorithms.begin(), algorithms.end(), algorithm) != algorithms.end() && item.is_scalar()) {
            item.error(fmt::format("{} is listed twice", name(algorithm)));
        }
        algorithms.push_back(algorithm);
    }
    if (value.is_list() && algorithms.empty()) {
        value.error("no algorithm is allowed", "leave `algorithms` out to allow all");
    }
    return algorithms;
}

cluster::Staging read_staging(const Value& value) {
    cluster::Staging staging;
    Fields fields(value);
    staging.latency = fields.require("latency").quantity(Sign::not_negative, Seconds{});
    staging.bandwidth = fields.require("bandwidth").quantity(Sign::positive, BytesPerSecond{});
    const Value applies_to = fields.require("applies_to", "a list: [send, halo]");
    for (const Value& item : applies_to.list()) {
        staging.applies_to.push_back(item.one_of(kStaged, Collective::send));
    }
    if (applies_to.is_list() && staging.applies_to.empty()) {
        applies_to.error("applies to nothing", "leave `point_to_point` out, or list [send, halo]");
    }
    staging.source = fields.find("source").text();
    fields.finish();
    return staging;
}

cluster::Storage read_storage(const Value& value) {
    cluster::Storage storage;
    Fields fields(value);
    storage.bandwidth = fields.require("bandwidth", "per node: 2 GB/s").quantity(Sign::positive, BytesPerSecond{});
    storage.prefetch = fields.find("prefetch").flag(storage.prefetch);
    storage.source = fields.find("source").text();
    fields.finish();
    return storage;
}

cluster::Host read_host(const Value& value) {
    cluster::Host host;
    Fields fields(value);
    host.memory = fields.require("memory", "of one node: 2 TB").quantity(Sign::positive, Bytes{});
    host.bandwidth = fields.require("bandwidth", "between one device and host memory, one way: 64 GB/s")
                         .quantity(Sign::positive, BytesPerSecond{});
    host.source = fields.find("source").text();
    fields.finish();
    return host;
}

std::vector<cluster::MeasuredSamples> read_measured_samples(const Value& value) {
    std::vector<cluster::MeasuredSamples> all;
    std::set<std::string> models;
    for (const Value& item : value.list()) {
        cluster::MeasuredSamples measured;
        Fields fields(item);
        measured.model = fields.require("model", "the name of a model").text();
        if (!measured.model.empty() && !models.insert(measured.model).second) {
            item.error(fmt::format("a second measurement of {}", measured.model), "keep one of the two");
        }
        measured.forward_backward =
            fields.require("forward_backward", "of one sample: 3.1 ms").quantity(Sign::positive, Seconds{});
        measured.update = fields.require("update", "of all weights; `0 s` where the source leaves it out")
                              .quantity(Sign::not_negative, Seconds{});
        measured.source = fields.find("source").text();
        fields.finish();
        all.push_back(measured);
    }
    return all;
}

Device device_of_cluster(const Value& value, const Document& document, const Opener& open) {
    if (value.is_mapping()) {
        return read_device(value, SourceIs::optional);
    }
    const std::string named = value.text();
    if (!named.empty()) {
        try {
            return read_device(open(named, document.folder, value.where()));
        } catch (const InputError& error) {
            absorb(value.faults(), error);
        }
    }
    return {};
}

}  // namespace

Device read_device(Document document) {
    const Device device = read_device(Value(*document.root, "", document.faults), SourceIs::required);
    throw_faults(document);
    return device;
}

Cluster read_cluster(Document document, const Opener& open) {
    Cluster cluster;
    const Value root(*document.root, "", document.faults);
    Fields fields(root);
    const Heading heading = read_heading(fields, "cluster");
    cluster.name = heading.name;
    cluster.source = heading.source;
    cluster.device =
        device_of_cluster(fields.require("device", "a built-in device, a file, or a mapping"), document, open);
    read_levels(fields.require("levels", "a list of levels, innermost first"), cluster);
    cluster.algorithms = read_algorithms(fields.find("algorithms"));
    if (const Value staging = fields.find("point_to_point")) {
        cluster.staging = read_staging(staging);
    }
    if (const Value storage = fields.find("storage")) {
        cluster.storage = read_storage(storage);
    }
    if (const Value host = fields.find("host")) {
        cluster.host = read_host(host);
    }
    cluster.measured_samples = read_measured_samples(fields.find("measured_samples"));
    if (const Value contention = fields.find("contention")) {
        cluster.contention = contention.number({.least = 1}, 1);
    }
    cluster.memory_reserve = fields.find("memory_reserve").number({.least = 0, .most = 1, .without_most = true});
    cluster.curves = read_collective_curves(fields.find("curves"));
    fields.finish();
    throw_faults(document);
    return cluster;
}

}  // namespace dodona::input
