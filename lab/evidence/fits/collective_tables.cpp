#include "lab/evidence/fits/collective_tables.hpp"

#include <cmath>
#include <optional>

namespace dodona::calibrate {

namespace {

using cluster::Collective;

constexpr double kMebibyte = 1048576;

std::optional<Collective> collective_of(const std::string& op) {
    if (op == "all_reduce" || op == "allreduce") {
        return Collective::all_reduce;
    }
    if (op == "all_gather") {
        return Collective::all_gather;
    }
    if (op == "reduce_scatter") {
        return Collective::reduce_scatter;
    }
    if (op == "alltoall") {
        return Collective::all_to_all;
    }
    if (op == "p2p") {
        return Collective::send;
    }
    return std::nullopt;
}

std::int64_t whole_number(const MeasuredTable& table, std::size_t row, std::string_view column) {
    return std::llround(table.number(row, column));
}

/// "owner/repository:folder/.../file" without the folders that all files of a table share.
std::string short_source(const std::string& source) {
    const std::size_t data = source.find("systems/data/");
    const std::size_t colon = source.find(':');
    return data == std::string::npos ? source : source.substr(0, colon + 1) + " " + source.substr(data);
}

/// A power of two, or half-way between two of them.
bool on_grid(double mib) {
    const double power = std::exp2(std::floor(std::log2(mib)));
    return mib == power || mib == 1.5 * power;
}

}  // namespace

Tables nccl_tests(const MeasuredTable& table, const std::string& gpu) {
    Tables tables;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string& type = table.text(row, "dtype");
        const auto collective = collective_of(table.text(row, "op"));
        if (table.text(row, "gpu") != gpu || (type != "half" && type != "int8") || !collective) {
            continue;
        }
        const std::int64_t ranks = whole_number(table, row, "gpus");
        Measured& measured = tables[{*collective, ranks, ranks}];
        auto& into = type == "half" ? measured.points : measured.kept_out;
        into[table.number(row, "bytes")].push_back(table.number(row, "time_us"));
        measured.sources.insert(short_source(table.text(row, "source")));
    }
    return tables;
}

Tables linear_all_reduces(const MeasuredTable& table, const std::string& gpu) {
    Tables tables;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, "gpu") != gpu) {
            continue;
        }
        const std::int64_t ranks = whole_number(table, row, "gpus");
        const double bytes = table.number(row, "bytes");
        Measured& measured = tables[{Collective::all_reduce, ranks, ranks}];
        auto& into = on_grid(bytes / kMebibyte) ? measured.points : measured.kept_out;
        into[bytes].push_back(table.number(row, "time_us"));
        const std::string& source = table.text(row, "source");
        measured.sources.insert(source.substr(0, source.rfind('/')));
    }
    return tables;
}

Tables between_nodes(const MeasuredTable& table, const std::string& cluster) {
    Tables tables;
    std::map<CollectiveSeries, std::int64_t> seen;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto collective = collective_of(table.text(row, "op"));
        if (table.text(row, "cluster") != cluster || !collective || whole_number(table, row, "gpus_per_node") != 1) {
            continue;
        }
        const CollectiveSeries series{*collective, whole_number(table, row, "ranks"), 1};
        Measured& measured = tables[series];
        auto& into = seen[series]++ % 3 == 1 ? measured.kept_out : measured.points;
        into[table.number(row, "size_bytes")].push_back(table.number(row, "time_us"));
        const std::string& source = table.text(row, "source");
        measured.sources.insert(source.substr(0, source.rfind('/')));
    }
    return tables;
}

Tables sends_in_node(const MeasuredTable& table) {
    Tables tables;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, "op") != "p2p" || whole_number(table, row, "nodes") != 1) {
            continue;
        }
        const double bytes = kMebibyte * table.number(row, "size_mib");
        Measured& measured = tables[{Collective::send, 2, 2}];
        measured.points[bytes].push_back(bytes / table.number(row, "bandwidth_gb_s") * 1e-3);
        const std::string& source = table.text(row, "source");
        measured.sources.insert(source.substr(0, source.rfind('/')));
    }
    return tables;
}

}  // namespace dodona::calibrate
