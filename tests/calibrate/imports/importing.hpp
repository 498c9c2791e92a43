// Imports the logs of tests/calibrate/imports/logs.txt, and writes down what came of them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../../cases.hpp"
#include "calibrate/imports/import.hpp"

namespace dodona::calibrate::test {

inline std::filesystem::path log_cases() {
    const char* root = std::getenv("DODONA_SOURCE");
    return std::filesystem::path(root == nullptr ? "." : root) / "tests/calibrate/imports/logs.txt";
}

/// The logs as files.
inline const std::filesystem::path& logs() {
    static const cases::Unpacked unpacked(log_cases());
    return unpacked.path();
}

inline constexpr std::string_view kDate = "2026-03-01T12:00:00Z";

inline ImportOptions dated(ImportOptions options = {}) {
    options.date = kDate;
    return options;
}

inline Imported imported(const std::string& file, const ImportOptions& options = {}) {
    return import_file((logs() / file).string(), dated(options));
}

/// The error messages; empty if nothing is wrong.
template <typename Work>
std::string fault_of(Work work) {
    try {
        work();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

/// "NV18 x 8" and the like: a topology in a few lines, and its levels or why there are none.
inline std::string description(const Topology& topology, const LevelOptions& options) {
    std::string text =
        fmt::format("topology of {}: {} devices{}{}\n", topology.source, topology.devices(),
                    topology.device.empty() ? "" : ", " + topology.device, topology.nvswitch ? ", NVSwitches" : "");
    for (const auto& row : topology.paths) {
        for (const Path& path : row) {
            text += fmt::format(
                " {:>4}", fmt::format("{}{}", name(path.path), path.nvlinks > 0 ? std::to_string(path.nvlinks) : ""));
        }
        text += '\n';
    }
    for (const Adapter& adapter : topology.adapters) {
        text += fmt::format("adapter {}: {:g} GB/s\n", adapter.name, adapter.bandwidth.in(1_GB_per_s));
    }
    text += fault_of([&] {
        for (const DescribedLevel& level : levels_of(topology, options)) {
            text +=
                fmt::format("level {}{}: {} by {}, {} x {:.6g} GB/s, {:g} us\n  {}\n", level.level.name,
                            level.node ? " (node)" : "", level.level.size, name(level.level.kind), level.level.links,
                            level.level.bandwidth.in(1_GB_per_s), level.level.latency.in(1_us), level.source);
            text += level.note.empty() ? "" : fmt::format("  {}\n", level.note);
        }
    });
    return text;
}

inline std::string description(const Imported& imported, const LevelOptions& options) {
    std::string text;
    for (const Record& record : imported.records) {
        text += to_line(record) + "\n";
    }
    for (const Topology& topology : imported.topologies) {
        text += description(topology, options);
    }
    for (const Diagnostic& note : imported.notes) {
        text += to_text(note);
    }
    return text;
}

}  // namespace dodona::calibrate::test
