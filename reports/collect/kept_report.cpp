#include "reports/collect/kept_report.hpp"

#include <fmt/format.h>

#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

constexpr std::size_t kMaxTensors = 16;

Record record_of(const step::KeptLine& line) {
    return {{"tensor", line.tensor},       {"read_by", line.read_by},           {"size_bytes", line.size},
            {"instances", line.instances}, {"microbatches", line.microbatches}, {"total_bytes", line.total}};
}

}  // namespace

void add_kept(Document& document, const std::vector<step::KeptLine>& lines, std::size_t stage, std::size_t stages) {
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
                {table});
}

}  // namespace dodona::reports
