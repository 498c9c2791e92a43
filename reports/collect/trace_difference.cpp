#include "reports/collect/trace_difference.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

using traces::DeviceWork;

constexpr std::string_view kCompute = "compute";
constexpr std::string_view kCommunication = "communication";
constexpr std::string_view kIdle = "idle";

/// Where the trace has compute without a kind, kinds cannot be compared: they are one part.
bool has_kinds(const traces::StepProfile& trace, const PredictedStep& prediction) {
    return trace[DeviceWork::unnamed].exposed == Seconds{} && prediction.busy[index(DeviceWork::unnamed)] == Seconds{};
}

void add_kinds(TraceDifference& difference) {
    for (const auto& row : traces::kDeviceWorkTable) {
        const traces::WorkUse& use = difference.trace[row.value];
        const Seconds predicted = difference.prediction.busy[index(row.value)];
        if (traces::is_compute(row.value) && (use.exposed > Seconds{} || predicted > Seconds{})) {
            difference.parts.push_back(
                {std::string(row.name), std::string(row.meaning), use.exposed, predicted, use.longest});
        }
    }
}

void add_one_compute(TraceDifference& difference) {
    TracedPart part{.name = std::string(kCompute), .meaning = "compute", .traced = {}, .predicted = {}};
    TracedPart update{.name = "optimizer",
                      .meaning = std::string(enumerator_of(DeviceWork::optimizer).meaning),
                      .traced = difference.trace[DeviceWork::optimizer].exposed,
                      .predicted = difference.prediction.busy[index(DeviceWork::optimizer)]};
    for (const auto& row : traces::kDeviceWorkTable) {
        if (traces::is_compute(row.value) && row.value != DeviceWork::optimizer) {
            part.traced += difference.trace[row.value].exposed;
            part.predicted += difference.prediction.busy[index(row.value)];
        }
    }
    difference.parts.push_back(std::move(part));
    difference.parts.push_back(std::move(update));
}

/// Waiting is in the kernels of collectives, or else the device is idle.
void add_others(TraceDifference& difference) {
    const traces::StepProfile& trace = difference.trace;
    const PredictedStep& prediction = difference.prediction;
    const bool waits = trace.collectives_wait;
    const std::string waiting = waits ? ", waiting included" : "";
    difference.parts.push_back({std::string(kCommunication), "exposed communication" + waiting,
                                trace.exposed_communication(),
                                prediction.communication + (waits ? prediction.waiting : Seconds{})});
    const Seconds copies = trace[DeviceWork::copies].exposed;
    if (copies > Seconds{} || prediction.copies > Seconds{}) {
        difference.parts.push_back({"copies", "exposed copies to and from the host", copies, prediction.copies});
    }
    difference.parts.push_back({std::string(kIdle), waits ? "idle" : "idle or waiting", trace.idle,
                                prediction.idle + (waits ? Seconds{} : prediction.waiting)});
}

Seconds size(Seconds time) { return max(time, -time); }

std::string signed_time(Seconds time) { return (time > Seconds{} ? "+" : "") + text(time); }

std::string headline(const TraceNames& names, const TraceDifference& difference) {
    return fmt::format("{}: {} traced, {} predicted, {}", names.trace, text(difference.trace.step),
                       text(difference.prediction.step.value), signed_percent(difference.error()));
}

KeyFigures key_figures(const TraceNames& names, const TraceDifference& difference) {
    const traces::StepProfile& trace = difference.trace;
    std::string steps = fmt::format("({})", counted(trace.steps, "step"));
    if (trace.fastest < trace.slowest) {
        steps = fmt::format("({}, {})", counted(trace.steps, "step"), text(Interval{trace.fastest, trace.slowest}));
    }
    return {{{.label = "traced", .value = trace.step, .note = steps},
             {.label = "predicted",
              .value = difference.prediction.step,
              .note = fmt::format("{} ({})", names.prediction, difference.prediction.plan)}}};
}

/// What to do about a part; may be empty.
std::string advice(const TracedPart& part) {
    const bool takes_more = part.longer() > Seconds{};
    if (part.name == kIdle) {
        return takes_more ? "; where the host launches kernels too slowly, CUDA graphs or larger micro-batches help"
                          : "";
    }
    if (part.name == "copies") {
        return takes_more ? "; copies from pinned memory run beside compute" : "";
    }
    return "; `dodona calibrate --import TRACE` takes what traces have measured into the machine's file";
}

std::string in_words(const TraceDifference& difference) {
    const TracedPart& part = difference.parts[difference.most_off];
    if (!difference.any_off()) {
        return fmt::format("no part is off by more than {} of the step", percent(TraceDifference::kNoticed));
    }
    const Seconds whole = difference.trace.step - difference.prediction.step.value;
    const double explained = whole == Seconds{} ? 0 : part.longer() / whole;
    const std::string of_all =
        explained > 0 && explained <= 1 ? fmt::format(": {} of what the step is off by", percent(explained)) : "";
    return fmt::format("off most: {}, {} traced, {} predicted{}{}", part.meaning, text(part.traced),
                       text(part.predicted), of_all, advice(part));
}

Table part_table(const TraceDifference& difference) {
    Table table({{"part"},
                 {"traced", Align::right},
                 {"predicted", Align::right},
                 {"traced - predicted", Align::right},
                 {"longest kernel", Align::left, true}});
    for (const TracedPart& part : difference.parts) {
        table.row({part.meaning, part.traced, part.predicted, signed_time(part.longer()), part.longest});
    }
    table.row({"step", difference.trace.step, difference.prediction.step.value,
               signed_time(difference.trace.step - difference.prediction.step.value), ""});
    return table;
}

Table collective_table(const TraceDifference& difference) {
    Table table({{"collective"},
                 {"calls traced", Align::right},
                 {"calls predicted", Align::right},
                 {"busy traced", Align::right},
                 {"busy predicted", Align::right},
                 {"exposed traced", Align::right}});
    for (const auto& row : traces::kDeviceWorkTable) {
        const traces::WorkUse& use = difference.trace[row.value];
        const double calls = difference.prediction.calls[index(row.value)];
        if (traces::is_communication(row.value) && (use.calls > 0 || calls > 0)) {
            table.row({row.meaning, Number{use.calls}, Number{calls}, use.busy,
                       difference.prediction.busy[index(row.value)], use.exposed});
        }
    }
    return table;
}

std::vector<Record> part_records(const TraceDifference& difference) {
    std::vector<Record> rows;
    for (const TracedPart& part : difference.parts) {
        rows.push_back({{"part", part.name},
                        {"traced_s", part.traced},
                        {"predicted_s", part.predicted},
                        {"difference_s", part.longer()},
                        {"longest_kernel", text_or_null(part.longest)}});
    }
    return rows;
}

Record collective_records(const TraceDifference& difference) {
    Record list = no_elements();
    for (const auto& row : traces::kDeviceWorkTable) {
        const traces::WorkUse& use = difference.trace[row.value];
        const double calls = difference.prediction.calls[index(row.value)];
        if (traces::is_communication(row.value) && (use.calls > 0 || calls > 0)) {
            list.push_back({{"collective", row.name},
                            {"traced_calls", use.calls},
                            {"predicted_calls", calls},
                            {"traced_busy_s", use.busy},
                            {"predicted_busy_s", difference.prediction.busy[index(row.value)]},
                            {"traced_exposed_s", use.exposed}});
        }
    }
    return list;
}

}  // namespace

bool TraceDifference::any_off() const { return size(parts[most_off].longer()) > kNoticed * trace.step; }

TraceDifference trace_difference(const traces::StepProfile& trace, const PredictedStep& prediction) {
    TraceDifference difference{.trace = trace, .prediction = prediction, .parts = {}};
    if (has_kinds(trace, prediction)) {
        add_kinds(difference);
    } else {
        add_one_compute(difference);
    }
    add_others(difference);
    const auto most =
        std::max_element(difference.parts.begin(), difference.parts.end(),
                         [](const TracedPart& a, const TracedPart& b) { return size(a.longer()) < size(b.longer()); });
    difference.most_off = static_cast<std::size_t>(most - difference.parts.begin());
    return difference;
}

Document trace_document(const TraceNames& names, const TraceDifference& difference) {
    const traces::StepProfile& trace = difference.trace;
    const Estimate& step = difference.prediction.step;
    std::vector<Record> rows = part_records(difference);
    Document document;
    document.record = {
        {"schema", "dodona/trace/1"},
        {"trace", names.trace},
        {"prediction", names.prediction},
        {"plan", difference.prediction.plan},
        {"steps", trace.steps},
        {"traced_step_s", {{"value", trace.step}, {"fastest", trace.fastest}, {"slowest", trace.slowest}}},
        {"predicted_step_s", {{"value", step.value}, {"lo", step.lo}, {"hi", step.hi}, {"level", kIntervalLevel}}},
        {"error", difference.error()},
        {"within_interval", difference.within_interval()},
        {"most_off", difference.any_off() ? Record(difference.parts[difference.most_off].name) : Record()},
        {"parts", rows},
        {"collectives", collective_records(difference)}};
    document.rows = std::move(rows);
    add(document, Headline{headline(names, difference)});
    add(document, key_figures(names, difference));
    add(document, Paragraph{in_words(difference)});
    add_section(document, {"Where the step goes"},
                {part_table(difference),
                 Note{"traced: communication, copies and idle time only where no compute runs, so that parts add up"}});
    add_section(document, {"Communication of one step"}, {collective_table(difference)});
    add(document, Note{difference.within_interval() ? "" : "the traced step is outside of the predicted interval"});
    return document;
}

}  // namespace dodona::reports
