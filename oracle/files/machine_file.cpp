#include "files/machine_file.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "files/curves.hpp"
#include "files/fields.hpp"
#include "files/heading.hpp"
#include "files/level_file.hpp"
#include "files/money.hpp"
#include "files/profile_file.hpp"

namespace dodona::files {

namespace {

using cluster::Algorithm;
using cluster::Cluster;
using cluster::Collective;
using cluster::Device;

constexpr std::int64_t kMostMultiprocessors = 1'000'000;
constexpr std::int64_t kLargestTile = 65'536;

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

/// A name, {name, borrowed}, or itself: {profile, fits}; a profile whose faults were told has no fits.
cluster::Profile read_profile_of(const Value& value, const std::filesystem::path& folder, const Opener& open) {
    cluster::Profile profile;
    std::string named;
    bool borrowed = false;
    if (value.is_mapping() && !value.node().members.empty() && value.node().members.front().key == "profile") {
        return read_profile(value, SourceIs::optional);
    }
    if (value.is_mapping()) {
        Fields fields(value);
        named = fields.require("name", "a built-in profile or a file").text();
        borrowed = fields.find("borrowed").flag();
        fields.finish();
    } else {
        named = value.text();
    }
    if (!named.empty() && open) {
        try {
            profile = read_profile(open(named, folder, value.where()));
            profile.borrowed = borrowed;
        } catch (const InputError& error) {
            absorb(value.faults(), error);
        }
    }
    return profile;
}

Device read_device(const Value& value, SourceIs source, const std::filesystem::path& folder, const Opener& profile) {
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
    device.profile = read_profile_of(fields.find("profile"), folder, profile);
    fields.finish();
    return device;
}

std::vector<Algorithm> read_algorithms(const Value& value) {
    std::vector<Algorithm> algorithms;
    for (const Value& item : value.list()) {
        const Algorithm algorithm = item.one_of(cluster::kAlgorithms, Algorithm::ring);
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
        staging.applies_to.push_back(item.one_of(cluster::kCollectives, Collective::send));
    }
    if (applies_to.is_list() && staging.applies_to.empty()) {
        applies_to.error("applies to nothing", "leave `point_to_point` out, or list [send, halo]");
    }
    staging.source = fields.find("source").text();
    fields.finish();
    return staging;
}

cluster::Interference read_interference(const Value& value) {
    Fields fields(value);
    cluster::Interference interference{
        .lost =
            fields.require("value", "compute lost over the time of what hides: 0.1").number({.least = 0, .most = 1}),
        .source = fields.require("source", "where the value comes from").text()};
    fields.finish();
    return interference;
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

/// A text, or {value, per: device | node, source}. Prices change: they have a source of their own.
std::optional<cluster::Price> read_price(const Value& value, const Cluster& cluster) {
    cluster::Price price;
    bool of_node = false;
    Value typed = value;
    if (value.is_mapping()) {
        Fields fields(value);
        typed = fields.require("value", "what one device costs: 2.5 USD/h");
        of_node = fields.find("per").choice({"device", "node"}) == 1;
        price.source = fields.require("source", "whose price, of which date").text();
        fields.finish();
    } else {
        value.error("a price has a source", "{value: 2.5 USD/h, source: \"whose price, of which date\"}");
        return std::nullopt;
    }
    const std::string text = typed.text();
    if (text.empty()) {
        return std::nullopt;
    }
    const auto read = rate_from(text);
    if (const auto* fault = std::get_if<NotAQuantity>(&read)) {
        typed.error(fault->message, fault->help);
        return std::nullopt;
    }
    const Rate& rate = std::get<Rate>(read);
    const bool nodes = !cluster.levels.empty() && !value.faults().has_errors();
    price.device = of_node && nodes ? rate.money / static_cast<double>(cluster.node_size()) : rate.money;
    price.currency = rate.currency;
    return price;
}

/// Levels that are missing or wrong have no nodes to count.
bool has_nodes(const Cluster& cluster, const Value& value) {
    return !cluster.levels.empty() && !value.faults().has_errors();
}

cluster::ParameterServers read_parameter_servers(const Value& value, const Cluster& cluster) {
    using Place = cluster::ParameterServers::Place;
    cluster::ParameterServers servers;
    Fields fields(value);
    const Value place = fields.require("place", "device, host or nodes");
    servers.place = place.one_of(cluster::kServerPlaces, servers.place);
    if (servers.place == Place::host && !cluster.host) {
        place.error("the link to host memory is not known", "write `host: {memory: 2 TB, bandwidth: 64 GB/s}`");
    }
    const Value count = fields.find("count");
    servers.count = count.whole(1, kMostDevices);
    if (servers.place != Place::nodes && has_nodes(cluster, value) && servers.count > cluster.node_size()) {
        count.error(fmt::format("{} servers on nodes of {} devices", servers.count, cluster.node_size()),
                    "`count` is of one node where `place` is device or host");
    }
    fields.finish();
    return servers;
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

Device device_of_cluster(const Value& value, const Document& document, const MachineOpeners& open) {
    if (value.is_mapping()) {
        return read_device(value, SourceIs::optional, document.folder, open.profile);
    }
    const std::string named = value.text();
    if (!named.empty()) {
        try {
            return read_device(open.device(named, document.folder, value.where()), open.profile);
        } catch (const InputError& error) {
            absorb(value.faults(), error);
        }
    }
    return {};
}

/// Consecutive nodes from the first; what they do not cover has the cluster's own device.
std::vector<cluster::DeviceRange> read_nodes(const Value& value, const Cluster& cluster, const Document& document,
                                             const MachineOpeners& open) {
    std::vector<cluster::DeviceRange> ranges;
    const std::int64_t nodes = has_nodes(cluster, value) ? cluster.devices() / cluster.node_size() : kMostDevices;
    const std::int64_t node_size = nodes < kMostDevices ? cluster.node_size() : 1;
    std::int64_t first = 0;
    for (const Value& item : value.list()) {
        Fields fields(item);
        const Value device = fields.require("device", "a built-in device, a file, or a mapping");
        const std::int64_t count = fields.require("count", "how many nodes have it").whole(1, kMostDevices);
        fields.finish();
        if (first + count > nodes) {
            item.error(fmt::format("{} nodes, but the cluster has {}", first + count, nodes),
                       "the counts of `nodes` add up to no more than all nodes");
            return ranges;
        }
        ranges.push_back({.first = first * node_size,
                          .ranks = count * node_size,
                          .device = device_of_cluster(device, document, open)});
        first += count;
    }
    return ranges;
}

}  // namespace

Device read_device(Document document, const Opener& profile) {
    const Device device =
        read_device(Value(*document.root, "", document.faults), SourceIs::required, document.folder, profile);
    throw_faults(document);
    return device;
}

Cluster read_cluster(Document document, const MachineOpeners& open) {
    Cluster cluster;
    const Value root(*document.root, "", document.faults);
    Fields fields(root);
    const Heading heading = read_heading(fields, "cluster");
    cluster.name = heading.name;
    cluster.source = heading.source;
    cluster.device =
        device_of_cluster(fields.require("device", "a built-in device, a file, or a mapping"), document, open);
    cluster.device.sustained = fields.find("sustained").number({.least = 0, .most = 1, .without_least = true}, 1);
    read_levels(fields.require("levels", "a list of levels, innermost first"), cluster,
                {.folder = document.folder, .open = open.link});
    if (const Value nodes = fields.find("nodes")) {
        cluster.mixed = read_nodes(nodes, cluster, document, open);
    }
    if (const Value library = fields.find("collectives")) {
        cluster.collectives = library.one_of(cluster::kCollectiveLibraries, cluster::CollectiveLibrary::nccl);
    }
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
    if (const Value interference = fields.find("interference")) {
        cluster.interference = read_interference(interference);
    }
    if (const Value price = fields.find("price")) {
        cluster.price = read_price(price, cluster);
    }
    if (const Value servers = fields.find("parameter_servers")) {
        cluster.parameter_servers = read_parameter_servers(servers, cluster);
    }
    cluster.measured_samples = read_measured_samples(fields.find("measured_samples"));
    if (const Value contention = fields.find("contention")) {
        cluster.contention = contention.number({.least = 1}, 1);
    }
    cluster.memory_reserve = fields.find("memory_reserve").number({.least = 0, .most = 1, .without_most = true});
    cluster.curves = read_collective_curves(fields.find("curves"), RanksPerNode::required);
    fields.finish();
    throw_faults(document);
    return cluster;
}

}  // namespace dodona::files
