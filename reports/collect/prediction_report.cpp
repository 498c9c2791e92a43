#include "reports/collect/prediction_report.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/collect/prediction_record.hpp"
#include "reports/collect/step_blocks.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

std::string prediction_headline(const Subject& subject, const step::Prediction& prediction) {
    std::vector<std::string> devices;
    for (const step::DeviceUse& use : prediction.devices) {
        devices.push_back(fmt::format("{} x {}", whole(use.ranks), use.device));
    }
    if (devices.empty()) {
        const std::string device = prediction.stages.empty() ? "device" : prediction.stages.front().device;
        devices.push_back(fmt::format("{} x {}", whole(prediction.plan.devices()), device));
    }
    return fmt::format("{} on {} of {}{}", subject.model, join(devices, " and "), subject.machine,
                       with_framework(prediction.plan));
}

std::string no_and_why(const step::Prediction& prediction) {
    return prediction.why_not ? "no: " + text(*prediction.why_not) : "no";
}

std::vector<KeyFigure> prediction_figures(const step::Prediction& prediction) {
    if (!prediction.runs) {
        return {{.label = "runs", .value = no_and_why(prediction), .note = {}, .tone = Tone::bad}};
    }
    std::vector<KeyFigure> figures = speed_figures(prediction);
    figures.push_back({.label = "fits",
                       .value = prediction.fits ? "yes" : no_and_why(prediction),
                       .note = {},
                       .tone = prediction.fits ? Tone::good : Tone::bad});
    figures.push_back(memory_figure(prediction));
    figures.push_back({.label = "allocator",
                       .value = prediction.totals.allocated,
                       .note = fmt::format("in tensors, {} reserved, {} of the process",
                                           text(prediction.totals.reserved), text(prediction.totals.process))});
    if (prediction.host) {
        const step::HostUse& host = *prediction.host;
        figures.push_back({.label = "host memory",
                           .value = host.memory,
                           .note = fmt::format("of {} on a node; {} to a device and {} from it in a step",
                                               text(host.limit), text(host.in), text(host.out))});
    }
    return figures;
}

Table time_table(const step::Prediction& prediction) {
    Table table({{"time"}, {"exposed", Align::right}, {"of step", Align::right}, {"busy", Align::right}});
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        const Seconds exposed = prediction.time.values[i];
        const Seconds busy = prediction.busy.values[i];
        if (exposed != Seconds{} || busy != Seconds{}) {
            table.row({label(static_cast<step::TimePart>(i), prediction.plan), exposed,
                       Percent{exposed / prediction.step.value}, busy});
        }
    }
    return table;
}

Table memory_table(const step::Prediction& prediction) {
    Table table({{"memory"}, {"size", Align::right}, {"of device", Align::right}});
    for (std::size_t i = 0; i < step::kMemoryParts; ++i) {
        const Bytes size = prediction.memory.values[i];
        if (size != Bytes{}) {
            table.row({label(static_cast<step::MemoryPart>(i)), size, Percent{size / prediction.memory_limit}});
        }
    }
    return table;
}

bool alike(const step::StagePrediction& a, const step::StagePrediction& b) {
    return a.device == b.device && a.memory == b.memory && a.time == b.time;
}

/// Equal neighbours in one row: "3-7". Nothing of a plan without stages.
Table stage_table(const step::Prediction& prediction) {
    const auto& stages = prediction.stages;
    const bool names_devices = !prediction.replicas.empty();
    std::vector<Column> columns{{"stage", Align::right}, {"layers"}, {"memory", Align::right}, {"busy", Align::right}};
    if (names_devices) {
        columns.insert(columns.begin() + 2, {"device"});
    }
    Table table(columns);
    table.brief_rows = 4;
    for (std::size_t first = 0; stages.size() > 1 && first < stages.size();) {
        std::size_t last = first;
        while (last + 1 < stages.size() && alike(stages[first], stages[last + 1])) {
            ++last;
        }
        const bool same = stages[first].layers == stages[last].layers;
        std::vector<Cell> cells{first == last ? std::to_string(first + 1) : fmt::format("{}-{}", first + 1, last + 1),
                                stages[first].layers + (same ? "" : " ... " + stages[last].layers),
                                stages[first].memory.process, stages[first].time};
        if (names_devices) {
            cells.insert(cells.begin() + 2, stages[first].device);
        }
        table.row(cells);
        first = last + 1;
    }
    return table;
}

Table replica_table(const step::Prediction& prediction) {
    Table table({{"data ranks", Align::right},
                 {"devices, stage by stage"},
                 {"micro-batches each", Align::right},
                 {"passes", Align::right}});
    for (const step::ReplicaPrediction& replica : prediction.replicas) {
        if (prediction.replicas.size() > 1) {
            table.row({Count{replica.data_ranks}, join(replica.devices), Count{replica.microbatches}, replica.time});
        }
    }
    return table;
}

Table communication_table(const step::Prediction& prediction) {
    constexpr double kLongShare = 0.01;  ///< of the step; the longest come first
    constexpr std::size_t kMin = 3;
    const bool shares_links = std::any_of(prediction.communication.begin(), prediction.communication.end(),
                                          [](const step::CommunicationLine& line) { return line.contention != 1; });
    Table table({{"communication"},
                 {"algorithm"},
                 {"ranks", Align::right},
                 {"size", Align::right},
                 {"a step", Align::right},
                 {"busy", Align::right},
                 {.title = "contention", .align = Align::right, .detail = !shares_links}});
    for (const step::CommunicationLine& line : prediction.communication) {
        table.row({text(line), name(line.algorithm), Count{line.ranks}, line.size, Number{line.per_step}, line.time,
                   Number{line.contention}});
        table.brief_rows += line.time > kLongShare * prediction.step.value ? 1 : 0;
    }
    table.brief_rows = std::max(table.brief_rows, kMin);
    return table;
}

std::string epoch_text(const step::Epoch& epoch) {
    return fmt::format("{} in {} iterations: compute {}, communication {} before overlap", text(epoch.total),
                       whole(epoch.iterations), text(epoch.compute), text(epoch.communication));
}

}  // namespace

Document prediction_document(const Subject& subject, const step::Prediction& prediction) {
    Document document;
    document.record = prediction_record(prediction);
    set_asked(document, subject.model, subject.machine, prediction.plan.devices());
    add(document, Headline{prediction_headline(subject, prediction)});
    add(document, Paragraph{plan_text(prediction)});
    add(document, KeyFigures{prediction_figures(prediction)});
    add(document, Note{evidence_in_brief(prediction)});
    if (prediction.runs) {
        for (StackedBar bar : {time_bar(prediction), memory_bar(prediction)}) {
            bar.detail = true;
            add(document, std::move(bar));
        }
    }
    add(document, time_table(prediction));
    add(document, memory_table(prediction));
    add_section(document, {"Stages"}, {stage_table(prediction)});
    add_section(document, {"Replica groups (gradients are weighted by samples)"}, {replica_table(prediction)});
    add_section(document, {"Communication"}, {communication_table(prediction)});
    add_section(document, {"Limits"}, {List{limit_items(prediction)}});
    add_section(document, {"Bottlenecks"}, {List{bottleneck_items(prediction)}});
    add_section(document, {"Epoch"}, {Paragraph{prediction.epoch ? epoch_text(*prediction.epoch) : ""}});
    add_section(document, {"Observed"}, {List{observed_text(prediction)}});
    add_section(document, {.title = "Evidence", .detail = true}, {List{evidence_items(prediction)}});
    return document;
}

}  // namespace dodona::reports
