#include "calibrate/machine/assembly.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "calibrate/imports/link_speeds.hpp"
#include "calibrate/machine/measured_levels.hpp"
#include "calibrate/measure/journal.hpp"
#include "calibrate/record/quantile.hpp"

namespace dodona::calibrate {

namespace {

using cluster::Cluster;

std::size_t points_of(const cluster::Device& device) {
    std::size_t points = 0;
    for (const cluster::KernelCurve& curve : device.curves) {
        points += curve.points.size();
    }
    return points;
}

/// Back ends that measure devices: the user's own kernels first, a GPU before a CPU; what others measured last.
constexpr std::array kOfDevices{"program", "cuda", "cpu", "import"};

DeviceRecords device_records(const Parts& parts, const char* backend) {
    return {.records = *parts.records,
            .backend = backend,
            .threads = parts.threads,
            .before = parts.before == nullptr ? nullptr : &parts.before->device};
}

std::optional<cluster::Device> device_of(const Parts& parts) {
    for (const char* backend : kOfDevices) {
        if (auto device = measured_device(device_records(parts, backend))) {
            return device;
        }
    }
    return std::nullopt;
}

[[noreturn]] void fail_without_device() {
    fail({}, "no file says which device the machine has",
         "measure it too (--backend cpu or cuda), or name the device or the machine that this belongs to: --device "
         "NAME, --machine NAME");
}

Bytes host_memory(const std::map<std::string, std::string>& facts) {
    return Bytes::of_base(fact_of(facts, "host_memory", 0));
}

/// Said where what was measured is another model than what the machine was said to have.
void check_model(const Parts& parts, Assembled& made) {
    if (parts.before == nullptr) {
        return;
    }
    for (const char* backend : {"cuda", "cpu", "import"}) {
        const auto facts = facts_of(*parts.records, backend);
        const auto found = facts.find("device");
        if (found == facts.end()) {
            continue;
        }
        const DeviceLinks* measured = links_of(found->second);
        if (measured != links_of(parts.before->device.name)) {
            made.missing.push_back(
                fmt::format("device: '{}' was measured, and {} computes with {}; what was not "
                            "measured is still of that one, so name the machine that this is",
                            found->second, parts.before->name, parts.before->device.name));
        }
        return;
    }
}

void take_device(const Parts& parts, Assembled& made) {
    if (auto device = device_of(parts)) {
        made.cluster.device = std::move(*device);
        made.measured.push_back(fmt::format("{}: kernels {}, curves {}, fitted models {}", made.cluster.device.name,
                                            points_of(made.cluster.device), made.cluster.device.curves.size(),
                                            made.cluster.device.profile.fits.size()));
        return;
    }
    if (parts.before == nullptr) {
        fail_without_device();
    }
    made.missing.push_back(fmt::format("compute: no kernel was measured; {} as it was", parts.before->device.name));
}

void take_levels(const Parts& parts, Assembled& made) {
    Cluster& cluster = made.cluster;
    if (!parts.levels.empty()) {
        cluster.node_level = 0;
        cluster.levels.clear();
        for (const DescribedLevel& level : parts.levels) {
            cluster.levels.push_back(level.level);
            cluster.node_level = level.node ? cluster.levels.size() - 1 : cluster.node_level;
        }
        made.measured.push_back(fmt::format("{} levels of links from a topology file", parts.levels.size()));
    }
    append(made.measured, take_measured_levels(*parts.records, cluster));
    if (!cluster.levels.empty()) {
        return;
    }
    // One device alone: its only link is its own memory, which nothing ever crosses.
    cluster.levels = {{.name = "node", .size = 1, .bandwidth = cluster.device.memory_bandwidth, .latency = {}}};
    made.missing.push_back("links: none was measured, so the machine is one device; measure them with --backend mpi");
}

/// The quickest of the copies of that kind: bytes a second.
BytesPerSecond fastest(const std::vector<Measurement>& all, const char* benchmark,
                       const std::map<std::string, std::string>& words) {
    BytesPerSecond rate;
    for (const Measurement& measured : all) {
        const bool fits = std::all_of(words.begin(), words.end(),
                                      [&](const auto& word) { return measured.of.word(word.first) == word.second; });
        if (measured.of.benchmark == benchmark && fits && measured.time.samples > 0) {
            const double writers = measured.of.number("writers", 1);
            rate = max(rate, writers * measured.of.number("bytes") * unit::byte / measured.time.value());
        }
    }
    return rate;
}

/// The median over cases of a value that checkpoints of this format were measured with; 0 where none was.
double median_of(const std::vector<Measurement>& all, cluster::CheckpointFormat format, const std::string& value) {
    std::vector<double> values;
    for (const Measurement& measured : all) {
        const auto found = measured.values.find(value);
        if (measured.of.benchmark == "checkpoint" && measured.of.word("format") == name(format) &&
            found != measured.values.end()) {
            values.push_back(found->second);
        }
    }
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : quantile_of_sorted(values, 0.5);
}

void take_checkpoints(const std::vector<Measurement>& all, Assembled& made) {
    std::vector<cluster::CheckpointRate> rates;
    for (const cluster::CheckpointFormat format : cluster::kCheckpointFormats) {
        const BytesPerSecond encode = BytesPerSecond::of_base(median_of(all, format, "encode_bandwidth"));
        const BytesPerSecond decode = BytesPerSecond::of_base(median_of(all, format, "decode_bandwidth"));
        if (encode > BytesPerSecond{} && decode > BytesPerSecond{}) {
            rates.push_back({format, encode, decode, median_of(all, format, "ratio")});
            made.measured.push_back(fmt::format(
                "checkpoints in {}: {:.3g} GB/s into it, {:.3g} GB/s out of it, the file over the tensors {:.3g}",
                name(format), encode.in(1_GB_per_s), decode.in(1_GB_per_s), rates.back().ratio));
        }
    }
    if (!rates.empty()) {
        made.cluster.storage->checkpoints = rates;
    }
}

void take_storage(const Parts& parts, Assembled& made) {
    const std::vector<Measurement> all = latest(*parts.records);
    const BytesPerSecond read = fastest(all, "file", {{"operation", "read"}});
    const BytesPerSecond write = fastest(all, "file", {{"operation", "write"}});
    if (read > BytesPerSecond{}) {
        const cluster::Storage before = made.cluster.storage.value_or(cluster::Storage{});
        made.cluster.storage = cluster::Storage{.bandwidth = read,
                                                .system_read = before.system_read,  // of other nodes too: not measured
                                                .system_write = before.system_write,
                                                .source = "measured by dodona calibrate: reading files"};
        made.measured.push_back(fmt::format("storage: {:.3g} GB/s reading", read.in(1_GB_per_s)));
        if (write > BytesPerSecond{}) {
            made.cluster.storage->write = write;
            made.cluster.storage->source = "measured by dodona calibrate: reading and writing files";
            made.measured.push_back(fmt::format("storage: {:.3g} GB/s writing", write.in(1_GB_per_s)));
        }
        take_checkpoints(all, made);
    }
    const BytesPerSecond up = fastest(all, "copy", {{"from", "pinned"}, {"to", "device"}});
    const BytesPerSecond down = fastest(all, "copy", {{"from", "device"}, {"to", "pinned"}});
    const auto facts = facts_of(*parts.records, "cuda");
    const auto memory = facts.find("host_memory");
    if (up > BytesPerSecond{} && down > BytesPerSecond{} && (made.cluster.host || memory != facts.end())) {
        if (!made.cluster.host) {
            made.cluster.host = cluster::Host{.memory = host_memory(facts)};
        }
        made.cluster.host->bandwidth = min(up, down);
        made.cluster.host->source = "measured by dodona calibrate: pinned copies, the slower way";
        made.measured.push_back(fmt::format("host: {:.3g} GB/s", made.cluster.host->bandwidth.in(1_GB_per_s)));
    }
}

/// Slowdowns of kernels and of loads beside each other are listed; predictions use those of collectives.
///
/// Of a product that takes s times as long beside collectives that take c times as long, (1 - 1/s) c of the time that
/// the collectives take alone. The worst that was measured: levels differ, and a plan hides all of them.
void take_interference(const Parts& parts, Assembled& made) {
    std::optional<double> worst;
    for (const Measurement& measured : latest(*parts.records)) {
        const auto kernel = measured.values.find("slow_down");
        const auto load = measured.values.find("load_slow_down");
        if (measured.of.benchmark != "interference" || kernel == measured.values.end() ||
            load == measured.values.end()) {
            continue;
        }
        if (measured.of.word("resource") != "collective") {
            made.measured.push_back(fmt::format("{} beside load on {}: {:.2f} times as long, the load {:.2f} times",
                                                measured.of.word("kernel"), measured.of.word("resource", "a pattern"),
                                                kernel->second, load->second));
            continue;
        }
        const bool is_collective = measured.of.word("kernel") == "collective";  // and the load computes
        const double products = std::max(1.0, is_collective ? load->second : kernel->second);
        const double collectives = std::max(1.0, is_collective ? kernel->second : load->second);
        worst = std::max(worst.value_or(0), std::min(1.0, (1 - 1 / products) * collectives));
    }
    if (worst) {
        made.cluster.interference = cluster::Interference{
            .lost = *worst, .source = "measured by dodona calibrate: products beside collectives"};
        made.measured.push_back(
            fmt::format("interference: products lose {:.0f} % of the time of collectives beside them", 100 * *worst));
    }
}

std::string measured_days(const std::vector<Record>& records) {
    std::string first, last;
    for (const Record& record : records) {
        const std::string day = record.date.substr(0, 10);
        first = first.empty() || day < first ? day : first;
        last = std::max(last, day);
    }
    return first == last ? first : first + " to " + last;
}

}  // namespace

Assembled assembled(const Parts& parts) {
    Assembled made;
    if (parts.before != nullptr) {
        made.cluster = *parts.before;
    }
    made.cluster.name = parts.name;
    made.cluster.source =
        fmt::format("measured by dodona calibrate, {}{}", measured_days(*parts.records),
                    parts.before == nullptr ? "" : "; what was not measured: " + parts.before->source);
    take_device(parts, made);
    check_model(parts, made);
    take_levels(parts, made);
    take_storage(parts, made);
    take_interference(parts, made);
    return made;
}

void check_planned(const Parts& parts, const std::vector<Planned>& planned) {
    std::vector<Record> records = *parts.records;
    for (const Planned& each : planned) {
        static_cast<void>(host_memory(each.environment.facts));
        records.push_back({.backend = each.backend, .pass = Pass::time, .date = {}, .what = each.environment});
    }
    Parts then = parts;
    then.records = &records;
    const auto makes_device = [&](const char* backend) {
        const auto* found = found_in(planned, &Planned::backend, backend);
        return will_make_device(device_records(then, backend), found == nullptr ? Planned{} : *found);
    };
    if (std::none_of(kOfDevices.begin(), kOfDevices.end(), makes_device) && parts.before == nullptr) {
        fail_without_device();
    }
}

}  // namespace dodona::calibrate
