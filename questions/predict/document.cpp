#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/plans/plans.hpp"
#include "questions/predict/predict.hpp"
#include "reports/collect/explanation_report.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::predict {

namespace {

using namespace reports;

constexpr std::size_t kMaxTensors = 16;

/// The moment of the peak, and by how much others are below it.
Table moment_table(const step::MemoryMoments& moments) {
    const std::array<std::pair<const char*, Bytes>, 5> rows{{{"forward", moments.forward},
                                                             {"loss", moments.loss},
                                                             {"backward", moments.backward},
                                                             {"reduction", moments.reduction},
                                                             {"update", moments.update}}};
    const Bytes peak = max_element(rows, [](const auto& a, const auto& b) { return a.second < b.second; })->second;
    Table table({{"moment of the step"}, {"in tensors", Align::right}, {"below the peak", Align::right}});
    for (const auto& [name, bytes] : rows) {
        if (bytes > Bytes{}) {
            table.row({name, bytes, bytes < peak ? Cell(peak - bytes) : Cell("peak")});
        }
    }
    return table;
}

void add_peak(Document& document, const step::PeakMemory& peak, const step::Prediction& prediction) {
    const std::vector<step::KeptLine>& lines = peak.kept;
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
                {.title = prediction.stages.size() > 1
                              ? fmt::format("Kept for backward on stage {}, the fullest", prediction.fullest_stage + 1)
                              : std::string("Kept for backward"),
                 .detail = true},
                {table, moment_table(peak.moments)});
}

/// Factors nearer to 1 are rounding.
constexpr double kSame = 1e-9;

Table level_table(const cost::CollectiveTrace& trace) {
    Table table({{"level"},
                 {"ranks in a child", Align::right},
                 {"children", Align::right},
                 {"out of a child", Align::right},
                 {"latency of a message", Align::right}});
    for (const cost::CollectiveTrace::Level& level : trace.levels) {
        table.row({level.name, Count{level.members}, Count{level.children}, level.share, level.latency});
    }
    return table;
}

Table correction_table(const cost::CollectiveTrace& trace, const step::CommunicationLine& line) {
    Table table({{"what makes the time"}, {"factor", Align::right}, {"one takes", Align::right}});
    const Seconds one = line.time / line.per_step;
    Seconds before = trace.modelled;
    table.row({fmt::format("{} over these levels{}", name(trace.time.algorithm),
                           trace.protocol.empty() ? "" : fmt::format(", protocol {}", trace.protocol)),
               Cell(), trace.modelled});
    const auto corrected = [&](std::string what, Seconds time) {
        table.row({std::move(what), Number{time / before}, time});
        before = time;
    };
    if (trace.measured) {
        corrected(fmt::format("curves of {}: {}", trace.curves_of.empty() ? "this machine" : trace.curves_of,
                              name(trace.evidence)),
                  *trace.measured);
    }
    if (trace.slow_down) {
        corrected("bus bandwidth that jobs of this size measured", trace.time.time.value);
    }
    if (std::abs(one / before - 1) > kSame) {
        corrected("software, and kernels that it shares the device with", one);
    }
    table.row({fmt::format("{:g} in a step, hidden or not", line.per_step), Number{line.per_step}, line.time});
    return table;
}

/// Levels that the group crosses, algorithms tried, what was measured, what software and steps add.
void add_trace(Document& document, const CollectiveParts& one) {
    const auto& [line, trace] = one;
    std::string others;
    for (const cost::CollectiveTrace::Algorithm& one : trace.tried) {
        if (one.algorithm != trace.time.algorithm) {
            others += fmt::format("{}{} {}", others.empty() ? "" : ", ", name(one.algorithm), text(one.time));
        }
    }
    std::vector<Block> blocks{level_table(trace), correction_table(trace, line)};
    if (trace.time.contention > 1) {
        blocks.emplace_back(
            Note{fmt::format("{:.2g} groups of the job share the busiest link", trace.time.contention)});
    }
    if (!others.empty()) {
        blocks.emplace_back(Note{"other algorithms would take: " + others});
    }
    add_section(document, {fmt::format("{}: {} among {}", text(line), text(line.size), counted(line.ranks, "rank"))},
                std::move(blocks));
}

void add_norms(Document& document, const step::SplitNorms& norms) {
    const bool helps = norms.split() < norms.all;
    add_section(document, {"Norms of layers"},
                {List{{fmt::format("norms of {} take {} where every rank computes all, a kernel each",
                                   counted(norms.tensors, "tensor"), text(norms.all)),
                       fmt::format("each rank a part and an all-gather of the norms: {} and {}, {}", text(norms.most),
                                   text(norms.gather),
                                   helps ? fmt::format("{} less", text(norms.all - norms.split()))
                                         : fmt::format("{} more", text(norms.split() - norms.all)))}}});
}

}  // namespace

Document document(const Answer& answer) {
    Document document = prediction_document(answer.subject, answer.prediction);
    document.record = answer_document(answer).record;
    if (answer.explanation) {
        add_explanation(document, *answer.explanation, {answer.prediction});
    }
    for (const CollectiveParts& one : answer.traced) {
        add_trace(document, one);
    }
    if (answer.peak) {
        add_peak(document, *answer.peak, answer.prediction);
    }
    if (answer.lengths) {
        reports::add_lengths(document, *answer.lengths);
    }
    if (answer.norms) {
        add_norms(document, *answer.norms);
    }
    return document;
}

}  // namespace dodona::questions::predict
