#include "reports/text/prediction.hpp"

#include <vector>

#include <fmt/format.h>

#include "reports/figures.hpp"
#include "reports/text/section.hpp"
#include "reports/words.hpp"

namespace dodona::reports {

namespace {

constexpr std::string_view kReplicas = "Data ranks by device (gradients weighed by samples)";

std::string title(const Subject& subject, const step::Prediction& prediction) {
    std::vector<std::string> devices;
    for (const step::DeviceUse& use : prediction.devices) {
        devices.push_back(fmt::format("{} x {}", whole(static_cast<double>(use.ranks)), use.device));
    }
    if (devices.empty()) {
        const std::string device = prediction.stages.empty() ? "device" : prediction.stages.front().device;
        devices.push_back(fmt::format("{} x {}", whole(static_cast<double>(prediction.plan.devices())), device));
    }
    return fmt::format("{} on {} of {}", subject.model, join(devices, " and "), subject.machine);
}

std::string verdict(const step::Prediction& prediction) {
    return prediction.fits
               ? "fits: " + memory_words(prediction)
               : fmt::format("fits: no; {}", prediction.why_not ? text(*prediction.why_not) : memory_words(prediction));
}

std::string speed_line(const step::Prediction& prediction) {
    const bool repeats = prediction.hfu > prediction.mfu * 1.0005;
    return speed_words(prediction) + (repeats ? ", HFU " + percent(prediction.hfu) : "");
}

std::string epoch_line(const step::Epoch& epoch) {
    return fmt::format("{} in {} iterations: compute {}, communication {} before overlap", text(epoch.total),
                       whole(epoch.iterations), text(epoch.compute), text(epoch.communication));
}

std::string section(Style style, std::string_view name, const Table& table) {
    return table.empty() ? std::string{} : heading(style, name) + table.to_text(style);
}

/// "3", or "3-7" for equal neighbours.
std::string range(std::size_t first, std::size_t last) {
    return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

bool alike(const step::StagePrediction& a, const step::StagePrediction& b) {
    return a.device == b.device && a.memory == b.memory && a.time == b.time;
}

}  // namespace

Table time_table(const step::Prediction& prediction) {
    Table table({{"time"}, {"exposed", Align::right}, {"of step", Align::right}, {"busy", Align::right}});
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        const Seconds exposed = prediction.time.values[i];
        const Seconds busy = prediction.busy.values[i];
        if (exposed != Seconds{} || busy != Seconds{}) {
            table.row({std::string(label(static_cast<step::TimePart>(i))), text(exposed),
                       percent(exposed / prediction.step.value), text(busy)});
        }
    }
    return table;
}

Table memory_table(const step::Prediction& prediction) {
    Table table({{"memory"}, {"size", Align::right}, {"of device", Align::right}});
    for (std::size_t i = 0; i < step::kMemoryParts; ++i) {
        const Bytes size = prediction.memory.values[i];
        if (size != Bytes{}) {
            table.row({std::string(label(static_cast<step::MemoryPart>(i))), text(size),
                       percent(size / prediction.memory_limit)});
        }
    }
    return table;
}

Table stage_table(const step::Prediction& prediction) {
    const auto& stages = prediction.stages;
    const bool names_devices = !prediction.replicas.empty();
    std::vector<Column> columns{{"stage", Align::right}, {"layers"}, {"memory", Align::right}, {"busy", Align::right}};
    if (names_devices) {
        columns.insert(columns.begin() + 2, {"device"});
    }
    Table table(columns);
    for (std::size_t first = 0; first < stages.size();) {
        std::size_t last = first;
        while (last + 1 < stages.size() && alike(stages[first], stages[last + 1])) {
            ++last;
        }
        const bool same = stages[first].layers == stages[last].layers;
        const std::string layers = stages[first].layers + (same ? "" : " ... " + stages[last].layers);
        std::vector<std::string> cells{range(first + 1, last + 1), layers, text(stages[first].memory.process),
                                       text(stages[first].time)};
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
        table.row({whole(static_cast<double>(replica.data_ranks)), join(replica.devices),
                   whole(static_cast<double>(replica.microbatches)), text(replica.time)});
    }
    return table;
}

Table communication_table(const step::Prediction& prediction) {
    Table table({{"communication"},
                 {"algorithm"},
                 {"ranks", Align::right},
                 {"size", Align::right},
                 {"a step", Align::right},
                 {"busy", Align::right},
                 {"phi", Align::right}});
    for (const step::CommunicationLine& line : prediction.communication) {
        table.row({text(line), std::string(name(line.algorithm)), whole(static_cast<double>(line.ranks)),
                   text(line.size), figure(line.per_step), text(line.time), figure(line.contention)});
    }
    return table;
}

std::string prediction_text(const Subject& subject, const step::Prediction& prediction, Style style) {
    std::string all = painted(style, Paint::bold, title(subject, prediction)) + "\n";
    all += wrapped(plan_words(prediction), kTextWidth, "  ") + "\n";
    all += wrapped(speed_line(prediction), kTextWidth, "  ") + "\n";
    all += painted(style, prediction.fits ? Paint::green : Paint::red, wrapped(verdict(prediction), kTextWidth, "  "));
    all += "\n" + wrapped("memory: " + totals_words(prediction.totals), kTextWidth, "  ");
    if (prediction.host) {
        all += "\n" + wrapped("host: " + host_words(*prediction.host), kTextWidth, "  ");
    }
    all += "\n\n" + time_bar(prediction, style) + "\n" + memory_bar(prediction, style) + "\n";
    all += time_table(prediction).to_text(style) + "\n" + memory_table(prediction).to_text(style);
    if (prediction.stages.size() > 1) {
        all += section(style, "Stages", stage_table(prediction));
    }
    if (prediction.replicas.size() > 1) {
        all += section(style, kReplicas, replica_table(prediction));
    }
    all += section(style, "Communication", communication_table(prediction));
    all += limits(prediction, style) + bottlenecks(prediction, style);
    if (prediction.epoch) {
        all += heading(style, "Epoch") + "  " + wrapped(epoch_line(*prediction.epoch), kTextWidth, "  ") + "\n";
    }
    return all + observed(prediction, style) + evidence(prediction, style);
}

std::string prediction_markdown(const Subject& subject, const step::Prediction& prediction) {
    std::string all = fmt::format("**{}**\n\n- {}\n- {}\n- {}\n", title(subject, prediction), plan_words(prediction),
                                  speed_line(prediction), verdict(prediction));
    all += fmt::format("- memory: {}\n", totals_words(prediction.totals));
    if (prediction.host) {
        all += fmt::format("- host: {}\n", host_words(*prediction.host));
    }
    for (const std::string& line : observed_words(prediction)) {
        all += fmt::format("- observed: {}\n", line);
    }
    if (prediction.epoch) {
        all += fmt::format("- epoch: {}\n", epoch_line(*prediction.epoch));
    }
    all += "\n" + time_table(prediction).to_markdown() + "\n" + memory_table(prediction).to_markdown();
    if (prediction.stages.size() > 1) {
        all += "\n" + stage_table(prediction).to_markdown();
    }
    if (prediction.replicas.size() > 1) {
        all += fmt::format("\n{}:\n\n", kReplicas) + replica_table(prediction).to_markdown();
    }
    if (!prediction.communication.empty()) {
        all += "\n" + communication_table(prediction).to_markdown();
    }
    for (const step::Bottleneck& bottleneck : prediction.bottlenecks) {
        all += fmt::format("{}- {}: {}\n", &bottleneck == &prediction.bottlenecks.front() ? "\n" : "",
                           name(bottleneck.kind), bottleneck.text);
    }
    return all;
}

}  // namespace dodona::reports
