#include "reports/collect/device_report.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "files/machine_file.hpp"
#include "reports/collect/described_record.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

/// "fitted kernels", "fitted kernels of a100-sxm", "data sheet"
std::string device_evidence(const cluster::Device& device) {
    if (!device.curves.empty()) {
        return "measured kernels";
    }
    if (device.profile.fits.empty()) {
        return "data sheet";
    }
    return device.profile.borrowed ? "fitted kernels of " + device.profile.name : "fitted kernels";
}

std::string what_follows_from_evidence(const cluster::Device& device) {
    if (!device.curves.empty() || (!device.profile.fits.empty() && !device.profile.borrowed)) {
        return {};
    }
    return device.profile.borrowed ? "Its kernels were not measured: those of another device are scaled by the data "
                                     "sheets, and intervals are "
                                     "wider."
                                   : "Its kernels were not measured: times are those of the data sheet, which most "
                                     "kernels exceed; intervals "
                                     "reach from 0.95 to 1.8 times.";
}

Cell widest_matrix_peak(const cluster::Device& device) {
    for (const Precision precision : {Precision::bf16, Precision::fp16, Precision::fp32}) {
        if (device.supports(precision)) {
            return device.peak(precision);
        }
    }
    return {};
}

std::string tile_list(const cluster::Device& device) {
    const auto tiles = mapped<std::string>(
        device.tiles, [](const cluster::Tile& tile) { return fmt::format("{} x {}", tile.m, tile.n); });
    return join(tiles);
}

Record device_record(const cluster::Device& device) {
    Record record{{"schema", "dodona/device/1"},
                  {"name", device.name},
                  {"family", device.family},
                  {"memory_bytes", device.memory},
                  {"memory_bandwidth_bytes_per_s", device.memory_bandwidth},
                  {"multiprocessors", device.multiprocessors},
                  {"vector_flop_per_s", device.vector},
                  {"peak_flop_per_s", no_fields()},
                  {"launch_s", device.launch},
                  {"context_bytes", device.context},
                  {"evidence", device_evidence(device)},
                  {"source", device.source}};
    for (const auto& [precision, peak] : device.matrix) {
        record["peak_flop_per_s"][std::string(name(precision))] = peak;
    }
    return record;
}

KeyFigures device_figures(const cluster::Device& device) {
    KeyFigures all;
    const auto line = [&all](std::string label, Cell value, std::string note = {}) {
        all.figures.push_back({.label = std::move(label), .value = std::move(value), .note = std::move(note)});
    };
    if (!device.family.empty()) {
        line("family", device.family);
    }
    line("memory", device.memory, fmt::format("at {}", text(device.memory_bandwidth)));
    line("matrix products", matrix_peaks(device));
    line("vector units", device.vector, "of fp32");
    line("multiprocessors", Count{device.multiprocessors});
    line("launch", device.launch);
    line("context", device.context);
    line("tiles", tile_list(device));
    line("evidence", device_evidence(device));
    line("source", device.source);
    return all;
}

}  // namespace

std::string matrix_peaks(const cluster::Device& device) {
    std::vector<std::string> parts;
    for (const auto& [precision, peak] : device.matrix) {
        parts.push_back(fmt::format("{} {}", name(precision), text(peak)));
    }
    return join(parts);
}

std::string device_facts(const cluster::Device& device) {
    return fmt::format("{} {} {}", device.name, device.family, device_evidence(device));
}

Document device_document(const cluster::Device& device, const std::vector<cluster::Cluster>& machines) {
    Document document;
    set_record(document, device_record(device), device);
    document.record["machines"] = list_of(machines, [](const cluster::Cluster& machine) { return machine.name; });
    add(document, Headline{device.name});
    add(document, device_figures(device));
    add(document, Note{what_follows_from_evidence(device)});
    Table table({{"machine"}, {"GPUs", Align::right}, {"a node", Align::right}});
    for (const cluster::Cluster& machine : machines) {
        table.row({machine.name, Count{machine.devices()}, Count{machine.node_size()}});
    }
    add_section(document, {"Machines with it"}, {std::move(table)});
    return document;
}

Document devices_document(const std::vector<cluster::Device>& devices) {
    Document document;
    std::map<std::string, Table> families;
    std::vector<Record>& rows = document.rows.emplace();
    for (const cluster::Device& device : devices) {
        const Table titles({{"device"},
                            {"memory", Align::right},
                            {"bandwidth", Align::right},
                            {"16-bit peak", Align::right},
                            {"evidence"}});
        families.try_emplace(device.family.empty() ? "Others" : device.family, titles)
            .first->second.row({device.name, device.memory, device.memory_bandwidth, widest_matrix_peak(device),
                                device_evidence(device)});
        rows.push_back(device_record(device));
    }
    document.record = {{"schema", "dodona/devices/1"}, {"devices", rows}};
    for (auto& [family, table] : families) {
        add_section(document, {family}, {std::move(table)});
    }
    return document;
}

}  // namespace dodona::reports
