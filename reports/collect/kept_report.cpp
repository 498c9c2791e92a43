#include "reports/collect/kept_report.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

constexpr std::size_t kMaxTensors = 16;

Record record_of(const step::KeptLine& line) {
    return {{"tensor", line.tensor},       {"read_by", line.read_by},           {"size_bytes", line.size},
            {"instances", line.instances}, {"microbatches", line.microbatches}, {"total_bytes", line.total}};
}

using Moments = std::vector<std::pair<std::string, Bytes>>;

Moments rows_of(const step::MemoryMoments& moments) {
    return {{"forward", moments.forward},
            {"loss", moments.loss},
            {"backward", moments.backward},
            {"reduction", moments.reduction},
            {"update", moments.update}};
}

/// Which moment is the peak, and by how much.
Table table_of(const Moments& moments) {
    const Bytes peak = std::max_element(moments.begin(), moments.end(), [](const auto& a, const auto& b) {
                           return a.second < b.second;
                       })->second;
    Table table({{"moment of the step"}, {"in tensors", Align::right}, {"below the peak", Align::right}});
    for (const auto& [name, bytes] : moments) {
        if (bytes > Bytes{}) {
            table.row({name, bytes, bytes < peak ? Cell(peak - bytes) : Cell("peak")});
        }
    }
    return table;
}

}  // namespace

void add_peak(Document& document, const step::PeakMemory& peak, std::size_t stage, std::size_t stages) {
    const Moments moments = rows_of(peak.moments);
    for (const auto& [name, bytes] : moments) {
        document.record["memory_moments_bytes"][name] = bytes;
    }
    const std::vector<step::KeptLine>& lines = peak.kept;
    document.record["kept_tensors"] = list_of(lines, record_of);
    Table table({{"tensor"},
                 {"read in backward by"},
                 {"size", Align::right},
                 {"instances", Align::right},
                 {"micro-batches", Align::right},
                 {"in all", Align::right}});
    Bytes rest;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const step::KeptLine& line = lines[i];
        if (i < kMaxTensors) {
            table.row(
                {line.tensor, line.read_by, line.size, Number{line.instances}, Number{line.microbatches}, line.total});
        } else {
            rest += line.total;
        }
    }
    if (rest > Bytes{}) {
        table.row({fmt::format("{} more", lines.size() - kMaxTensors), "", "", "", "", rest});
    }
    add_section(document,
                {.title = stages > 1 ? fmt::format("Kept for backward on stage {}, the fullest", stage + 1)
                                     : std::string("Kept for backward"),
                 .detail = true},
                {table, table_of(moments)});
}

}  // namespace dodona::reports
