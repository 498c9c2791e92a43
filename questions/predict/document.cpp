#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "questions/described.hpp"
#include "questions/plans/plans.hpp"
#include "questions/predict/predict.hpp"
#include "reports/collect/explanation_report.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::predict {

namespace {

using namespace reports;

constexpr std::size_t kMaxTensors = 16;

/// Which moment is the peak, and by how much.
Table moment_table(const step::MemoryMoments& moments) {
    const std::array<std::pair<const char*, Bytes>, 5> rows{{{"forward", moments.forward},
                                                             {"loss", moments.loss},
                                                             {"backward", moments.backward},
                                                             {"reduction", moments.reduction},
                                                             {"update", moments.update}}};
    const Bytes peak = std::max_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
                           return a.second < b.second;
                       })->second;
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
    if (answer.peak) {
        add_peak(document, *answer.peak, answer.prediction);
    }
    if (answer.others) {
        plans::add_plans_that_run(document, *answer.others);
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
