#include "files/machine_file.hpp"

#include <charconv>

#include "cost/measured_bandwidth.hpp"
#include "files/curves.hpp"
#include "files/level_file.hpp"
#include "files/money.hpp"
#include "files/read_description.hpp"

namespace dodona::files {

namespace {

using cluster::CheckpointRate;
using cluster::Cluster;
using cluster::Collective;
using cluster::Device;
using cluster::DeviceRange;
using cluster::Host;
using cluster::Interference;
using cluster::MeasuredBandwidth;
using cluster::MeasuredSamples;
using cluster::MemoryTier;
using cluster::ParameterServers;
using cluster::Price;
using cluster::SampleTier;
using cluster::Staging;
using cluster::Storage;

/// Consecutive nodes with one device.
struct NodeRange {
    Device device;
    std::int64_t count = 1;
};

/// A price as its file has it; clusters know that of one device.
enum class PriceUnit { device, node };
inline constexpr std::array kPriceUnitTable{Enumerator(PriceUnit::device, "device", "the price of one device"),
                                            Enumerator(PriceUnit::node, "node", "the price of a whole node")};
constexpr const auto& enumerators(PriceUnit /*type*/) { return kPriceUnitTable; }
struct WrittenPrice {
    std::string value;
    PriceUnit per = PriceUnit::device;
    std::string source;
};

}  // namespace

template <>
const Description& description<NodeRange>();
template <>
const Description& description<WrittenPrice>();

namespace {

/// Levels that are missing or wrong have no nodes to count.
bool has_nodes(const Cluster& cluster, const Value& value) {
    return !cluster.levels.empty() && !value.faults().has_errors();
}

WrittenPrice written_price(const Cluster& cluster) {
    const std::optional<Price>& price = cluster.price;
    return price ? WrittenPrice{written(Rate{price->device, price->currency}), PriceUnit::device, price->source}
                 : WrittenPrice{};
}

void set_price(const WrittenPrice& written, Cluster& cluster, const Value& value, const Reading& /*reading*/) {
    const auto read = rate_from(written.value);
    if (const Rate* const rate = std::get_if<Rate>(&read)) {
        const bool by_node = written.per == PriceUnit::node && has_nodes(cluster, value);
        cluster.price = {.device = by_node ? rate->money / static_cast<double>(cluster.node_size()) : rate->money,
                         .currency = rate->currency,
                         .source = written.source};
    }
}

/// The cluster's own device is written out where it stands between others.
std::vector<NodeRange> node_ranges(const Cluster& cluster) {
    std::vector<NodeRange> nodes;
    std::int64_t next = 0;
    for (const DeviceRange& range : cluster.mixed) {
        if (range.first > next) {
            nodes.push_back({cluster.device, (range.first - next) / cluster.node_size()});
        }
        nodes.push_back({range.device, range.ranks / cluster.node_size()});
        next = range.first + range.ranks;
    }
    return nodes;
}

void set_nodes(const std::vector<NodeRange>& ranges, Cluster& cluster, const Value& value, const Reading& /*reading*/) {
    const std::int64_t nodes = has_nodes(cluster, value) ? cluster.devices() / cluster.node_size() : kMaxDevices;
    const std::int64_t node_size = nodes < kMaxDevices ? cluster.node_size() : 1;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const auto& [device, count] = ranges[i];
        if (first + count > nodes) {
            value.list()[i].error(fmt::format("{} nodes, but the cluster has {}", first + count, nodes),
                                  "the counts of `nodes` add up to no more than all nodes");
            return;
        }
        cluster.mixed.push_back({.first = first * node_size, .ranks = count * node_size, .device = device});
        first += count;
    }
}

void check_parameter_servers(Fields& fields, const Cluster& cluster) {
    using Place = ParameterServers::Place;
    const Value servers = fields.find("parameter_servers");
    if (!servers.is_mapping()) {
        return;
    }
    Fields given(servers);
    const auto& [place, count] = cluster.parameter_servers;
    if (const Value value = given.find("place"); value && place == Place::host && !cluster.host) {
        value.error("the link to host memory is not known", "write `host: {memory: 2 TB, bandwidth: 64 GB/s}`");
    }
    const Value value = given.find("count");
    if (value && place != Place::nodes && has_nodes(cluster, servers) && count > cluster.node_size()) {
        value.error(fmt::format("{} servers on nodes of {} devices", count, cluster.node_size()),
                    "`count` is of one node where `place` is device or host");
    }
}

void check_curves(Fields& fields, const Cluster& cluster) {
    const Value curves = fields.find("curves");
    if (!curves.is_list() || !has_nodes(cluster, curves)) {
        return;
    }
    const std::vector<Value> listed = curves.list();
    for (std::size_t i = 0; i < std::min(listed.size(), cluster.curves.size()); ++i) {
        const std::int64_t together = cluster.curves[i].ranks_per_node;
        if (together > cluster.node_size() && listed[i].is_mapping()) {
            Fields(listed[i])
                .find("ranks_per_node")
                .error(fmt::format("{} ranks of a node of {} devices", together, cluster.node_size()));
        }
    }
}

void check_cluster(Fields& fields, Cluster& cluster, const Reading& /*reading*/) {
    check_parameter_servers(fields, cluster);
    check_curves(fields, cluster);
}

ValueType levels_type() {
    return converted_type<std::vector<LevelEntry>, Cluster, level_entries, set_levels>(list_type<LevelEntry>(
        record_type(description<LevelEntry>),
        {.none = "no levels",
         .none_help = "one level at least joins the devices: {name: node, size: 8, kind: switch, …}",
         .distinct = true}));
}

ValueType nodes_type() {
    return converted_type<std::vector<NodeRange>, Cluster, node_ranges, set_nodes>(
        list_type<NodeRange>(record_type(description<NodeRange>)));
}

ValueType price_type() {
    return converted_type<WrittenPrice, Cluster, written_price, set_price>(record_type(description<WrittenPrice>));
}

/// NAME, a file, or the device itself.
ValueType device_type() { return {reference_type(description<Device>, &Openers::device)}; }

/// {8: 458 GB/s, 16: 341 GB/s}: devices and bus bandwidths.
ValueType bandwidths_type() {
    using Bandwidths = std::vector<MeasuredBandwidth>;
    return {MapType{.element = element(type_of<BytesPerSecond>({.range = kPositive})),
                    .each =
                        [](const void* member, const auto& visit) {
                            for (const MeasuredBandwidth& each : *static_cast<const Bandwidths*>(member)) {
                                visit(std::to_string(each.ranks), &each.bus);
                            }
                        },
                    .insert = [](void* member, const std::string& key, const Location& /*where*/) -> void* {
                        MeasuredBandwidth& each = static_cast<Bandwidths*>(member)->emplace_back();
                        std::from_chars(key.data(), key.data() + key.size(), each.ranks);
                        return &each.bus;
                    },
                    .check_key =
                        [](const Fields::Member& entry) {
                            std::int64_t ranks = 0;
                            const char* const end = entry.key.data() + entry.key.size();
                            const auto [stop, fault] = std::from_chars(entry.key.data(), end, ranks);
                            if (fault != std::errc{} || stop != end || ranks < 2 || ranks > kMaxDevices) {
                                entry.value.error(fmt::format("\"{}\" is no number of devices", entry.key),
                                                  "devices of the benchmark and its bus bandwidth: {16: 341 GB/s}");
                            }
                        },
                    .key_is = "number of devices",
                    .none = "no bandwidth",
                    .none_help = "devices of the benchmark and its bus bandwidth: {16: 341 GB/s}"}};
}

ValueType measured_type() { return map_type<Collective, std::vector<MeasuredBandwidth>>(bandwidths_type()); }

bool has_no_price(const Cluster& cluster) { return !cluster.price; }

}  // namespace

template <>
const Description& description<NodeRange>() {
    static const Description described{
        .noun = "range of nodes",
        .summary = "Consecutive nodes with one device.",
        .keys = {required<&NodeRange::count>(
                     "count", "Number of nodes.",
                     {.range = {.least = 1, .most = kMaxDevices}, .help = "how many nodes have it"}),
                 required_as<&NodeRange::device>(device_type(), "device",
                                                 "Their device: a built-in one, a file, or the device itself.",
                                                 {.help = "a built-in device, a file, or a mapping"})},
        .defaults = default_of<NodeRange>};
    return described;
}

template <>
const Description& description<WrittenPrice>() {
    static const Description described{
        .noun = "price",
        .summary =
            "Rental price. Prices change: they have a source of their own, and no machine that comes with "
            "Dodona has one.",
        .keys = {required<&WrittenPrice::value>(
                     "value", "Number, currency (three capital letters) and the time that it pays for.",
                     {.help = "what one device costs: 2.5 USD/h", .form = &kRateForm}),
                 optional<&WrittenPrice::per>("per", "What it is the price of."),
                 required<&WrittenPrice::source>("source", "Provider and date of the price.",
                                                 {.help = "whose price, of which date"})},
        .one_line = true,
        .example = "{value: 2.5 USD/h, source: \"whose price, of which date\"}",
        .defaults = default_of<WrittenPrice>};
    return described;
}

template <>
const Description& description<Staging>() {
    static const Description described{
        .noun = "staging",
        .summary = "Transfers that do not run at link speed, because they are staged through the host.",
        .keys = {required<&Staging::latency>("latency", "Of one message.", {.range = kNotNegative}),
                 required<&Staging::bandwidth>("bandwidth", "Of one transfer, one way.", {.range = kPositive}),
                 required<&Staging::applies_to>("applies_to", "Collectives that are staged.",
                                                {.help = "a list: [send, halo]",
                                                 .none = "applies to nothing",
                                                 .none_help = "leave `point_to_point` out, or list [send, halo]"}),
                 optional<&Staging::source>("source", "Where the numbers come from.")},
        .one_line = true,
        .defaults = default_of<Staging>};
    return described;
}

template <>
const Description& description<Interference>() {
    static const Description described{
        .noun = "interference",
        .summary = "Slow-down of compute by collectives that overlap with it.",
        .keys = {required<&Interference::lost>(
                     "value", "Compute time lost, over the time that the hidden collectives take alone.",
                     {.range = kShare, .help = "compute lost over the time of what hides: 0.1"}),
                 required<&Interference::source>("source", "Where the value comes from.",
                                                 {.help = "where the value comes from"})},
        .one_line = true,
        .example = "{value: 0.1, source: \"...\"}",
        .defaults = default_of<Interference>};
    return described;
}

template <>
const Description& description<CheckpointRate>() {
    static const Description described{
        .noun = "checkpoint rate",
        .summary = "What one process makes of tensors in a format of checkpoints, without the time of files.",
        .keys = {required<&CheckpointRate::format>("format", "The format.", {.help = "such as safetensors"}),
                 required<&CheckpointRate::encode>("encode", "From tensors in memory to the bytes of a file.",
                                                   {.range = kPositive, .help = "bytes of tensors: 2 GB/s"}),
                 required<&CheckpointRate::decode>("decode", "From the bytes of a file to tensors in memory.",
                                                   {.range = kPositive, .help = "bytes of tensors: 2 GB/s"}),
                 optional<&CheckpointRate::ratio>("ratio", "Size of the file over that of the tensors.",
                                                  {.range = kPositive})},
        .one_line = true,
        .defaults = default_of<CheckpointRate>};
    return described;
}

template <>
const Description& description<Storage>() {
    static const Description described{
        .noun = "storage",
        .summary = "Where samples are read from and checkpoints are written to.",
        .keys = {required<&Storage::bandwidth>("bandwidth", "What one node reads.",
                                               {.range = kPositive, .help = "per node: 2 GB/s"}),
                 optional<&Storage::prefetch>("prefetch",
                                              "Reading hides behind compute: a step takes the longer of the two, and "
                                              "their sum without."),
                 optional<&Storage::write>("write", "What one node writes.", {.range = kPositive}),
                 optional<&Storage::system_read>("system_read", "What all nodes together read.", {.range = kPositive}),
                 optional<&Storage::system_write>("system_write", "What all nodes together write.",
                                                  {.range = kPositive}),
                 optional<&Storage::checkpoints>("checkpoints", "Measured formats of checkpoints.", {.distinct = true}),
                 optional<&Storage::source>("source", "Where the numbers come from.")},
        .one_line = true,
        .defaults = default_of<Storage>};
    return described;
}

template <>
const Description& description<MemoryTier>() {
    static const Description described{
        .noun = "tier",
        .summary = "A memory of a node beside its devices' own, for the embedding tables that `dodona tables` places.",
        .keys = {required<&MemoryTier::name>("name", "What reports call it: host, remote, ssd.",
                                             {.help = "name: host", .form = &kName}),
                 required<&MemoryTier::memory>("memory", "Of one node.", {.range = kPositive, .help = "memory: 2 TB"}),
                 required<&MemoryTier::bandwidth>(
                     "bandwidth", "Of one node: rows of some hundred bytes, read and written at random.",
                     {.range = kPositive, .help = "bandwidth: 200 GB/s"}),
                 optional<&MemoryTier::pools>(
                     "pools", "Its processor adds rows up: only sums pass the link of `host` to a device, not rows."),
                 optional<&MemoryTier::source>("source", "Where the numbers come from.")},
        .one_line = true,
        .example = "{name: host, memory: 2 TB, bandwidth: 200 GB/s}",
        .defaults = default_of<MemoryTier>};
    return described;
}

template <>
const Description& description<SampleTier>() {
    static const Description described{
        .noun = "tier of samples",
        .summary =
            "Where a node reads samples, for `dodona cache`: the first tier has the data set, each other one keeps "
            "samples that were read before.",
        .keys = {required<&SampleTier::name>("name", "What reports call it: remote, ssd, memory.",
                                             {.help = "name: ssd", .form = &kName}),
                 optional<&SampleTier::memory>("memory", "Of one node, for samples; without it there is room for all.",
                                               {.range = kPositive}),
                 required<&SampleTier::bandwidth>("bandwidth", "What one node reads.",
                                                  {.range = kPositive, .help = "per node: 2 GB/s"}),
                 optional<&SampleTier::system>("system", "What all nodes together read.", {.range = kPositive}),
                 optional<&SampleTier::decoded>("decoded", "Samples are kept as tensors: larger, and decoded no more."),
                 optional<&SampleTier::source>("source", "Where the numbers come from.")},
        .one_line = true,
        .example = "{name: ssd, memory: 3 TB, bandwidth: 2 GB/s}",
        .defaults = default_of<SampleTier>};
    return described;
}

template <>
const Description& description<Host>() {
    static const Description described{
        .noun = "host",
        .summary =
            "The host of a node, as a place for what a device does not need at once. Devices that share a host "
            "bridge contend for it only where a level says so: a `bus`, or few `links`.",
        .keys = {required<&Host::memory>("memory", "Of one node.", {.range = kPositive, .help = "of one node: 2 TB"}),
                 required<&Host::bandwidth>(
                     "bandwidth", "Between one device and host memory, one way.",
                     {.range = kPositive, .help = "between one device and host memory, one way: 64 GB/s"}),
                 optional<&Host::memory_bandwidth>(
                     "memory_bandwidth",
                     "At which the processors of one node reach their memory. Software that updates offloaded states "
                     "on the host is bound by it.",
                     {.range = kPositive, .default_text = "410 GB/s, between 256 and 614"}),
                 optional<&Host::source>("source", "Where the numbers come from.")},
        .one_line = true,
        .example = "{memory: 2 TB, bandwidth: 64 GB/s}",
        .defaults = default_of<Host>};
    return described;
}

template <>
const Description& description<ParameterServers>() {
    static const Description described{
        .noun = "parameter servers",
        .summary = "Where the servers of the algorithm `parameter-server` sit.",
        .keys = {required<&ParameterServers::place>("place", "Where they sit.", {.help = "device, host or nodes"}),
                 optional<&ParameterServers::count>("count", "Servers on each node; with `place: nodes`, in all.",
                                                    {.range = {.least = 1, .most = kMaxDevices}})},
        .one_line = true,
        .defaults = default_of<ParameterServers>};
    return described;
}

template <>
const Description& description<MeasuredSamples>() {
    static const Description described{
        .noun = "measurement",
        .summary =
            "Time per sample of a whole model on one device (`device`, not those of `nodes`); it replaces that of "
            "its kernels.",
        .keys = {required<&MeasuredSamples::model>("model", "Name of the model.", {.help = "the name of a model"}),
                 required<&MeasuredSamples::forward_backward>("forward_backward",
                                                              "Of one sample, forward and backward.",
                                                              {.range = kPositive, .help = "of one sample: 3.1 ms"}),
                 required<&MeasuredSamples::update>(
                     "update", "Of one update of all weights; `0 s` where the source leaves it out.",
                     {.range = kNotNegative, .help = "of all weights; `0 s` where the source leaves it out"}),
                 optional<&MeasuredSamples::source>("source", "Where the numbers come from.")},
        .defaults = default_of<MeasuredSamples>};
    return described;
}

template <>
const Description& description<Cluster>() {
    static const Description described{
        .noun = "cluster",
        .summary = "Levels of links from the device outwards, and what was measured on them.",
        .keys =
            {file_name<&Cluster::name>("cluster"),
             file_source<&Cluster::source>(),
             optional<&Cluster::of_published_runs>(
                 "of_published_runs", "It only stands for a table of published runs: lists of machines leave it out."),
             required_as<&Cluster::device>(device_type(), "device",
                                           "A built-in device, a file relative to this one, or the device itself. Of "
                                           "all nodes that `nodes` does not name.",
                                           {.help = "a built-in device, a file, or a mapping"}),
             optional<&Cluster::device, &Device::sustained>(
                 "sustained",
                 "Rate of products in continuous use over that of a short benchmark, where power limits the clocks.",
                 {.range = kPositiveShare}),
             required_as(levels_type(), "levels", "Innermost first.", {.help = "a list of levels, innermost first"}),
             optional_as(
                 nodes_type(), "nodes",
                 "Nodes with another device: consecutive ones, from the first. Ranks count node by node, and rank "
                 "r of a job runs on device r, so the innermost axis of a mesh fills the first nodes first. Every "
                 "device of a job must have its precision; a job may use at most 64 kinds of devices."),
             optional<&Cluster::collectives>("collectives",
                                             "The library that runs collectives. Which algorithms each chooses from "
                                             "stands in oracle/cluster/collective_library.hpp.",
                                             {.default_text = "any algorithm"}),
             optional<&Cluster::algorithms>("algorithms", "Algorithms that collectives may use.",
                                            {.default_text = "those of the library",
                                             .none = "no algorithm is allowed",
                                             .none_help = "leave `algorithms` out to allow all",
                                             .distinct = true}),
             optional<&Cluster::staging>("point_to_point", "Transfers that do not run at link speed."),
             optional<&Cluster::storage>("storage", "Where samples are read from and checkpoints are written to."),
             optional<&Cluster::host>("host", "Memory of a node, and one device's link to it."),
             optional<&Cluster::io>("io", "Where samples are read from: the data set first, then what keeps samples.",
                                    {.default_text = "`storage` alone", .distinct = true}),
             optional<&Cluster::tiers>("tiers", "Memories for embedding tables beside the devices', fastest first.",
                                       {.default_text = "the host's memory, if there is one", .distinct = true}),
             optional<&Cluster::interference>(
                 "interference",
                 "Compute lost to collectives that hide behind it. A framework's own value comes first."),
             optional_as(price_type(), "price", "Rental price.", {.is_absent = test<Cluster, has_no_price>}),
             optional<&Cluster::parameter_servers>("parameter_servers",
                                                   "Where parameter servers sit; one on the first device of each node "
                                                   "unless it says otherwise."),
             optional<&Cluster::software>("software",
                                          "Names of built-in frameworks that are the default on it, instead of the "
                                          "default for the network: the first that can run the plan.",
                                          {.default_text = "the default for the network", .distinct = true}),
             optional<&Cluster::measured_samples>("measured_samples", "Measured times of whole models.",
                                                  {.distinct = true}),
             optional<&Cluster::contention>(
                 "contention",
                 "Contention factor (phi): flows on the busiest link. It replaces the one that is computed.",
                 {.range = at_least(1)}),
             optional<&Cluster::memory_reserve>("memory_reserve", "Share of device memory that is kept free.",
                                                {.range = {.least = 0, .most = 1, .without_most = true}}),
             optional_as<&Cluster::measured>(
                 measured_type(), "measured",
                 "Bus bandwidths that a job or nccl-tests printed, by collective and devices: {all-reduce: {8: 458 "
                 "GB/s, 64: 180 GB/s}}. They correct all times of links (oracle/cost/measured_bandwidth.hpp)."),
             optional<&Cluster::curves>("curves", "Measured collectives. They come before those of links.")},
        .file_kind = "cluster",
        .check = checked<Cluster, check_cluster>,
        .defaults = default_of<Cluster>};
    return described;
}

Cluster read_cluster(Document document, const MachineOpeners& open) {
    Cluster cluster = read_file<Cluster>(std::move(document), open);
    cluster.slow_downs = cost::slow_downs(cluster);
    return cluster;
}

}  // namespace dodona::files
