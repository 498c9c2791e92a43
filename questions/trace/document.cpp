#include <fmt/format.h>

#include "questions/described.hpp"
#include "questions/trace/trace.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::trace {

namespace {

using namespace reports;

std::string signed_time(Seconds time) { return (time > Seconds{} ? "+" : "") + text(time); }

std::string headline(const Answer& answer) {
    return fmt::format("{}: {} traced, {} predicted, {}", answer.question.trace_name, text(answer.question.trace.step),
                       text(answer.question.prediction.step.value), signed_percent(answer.error()));
}

KeyFigures key_figures(const Answer& answer) {
    const traces::StepProfile& trace = answer.question.trace;
    std::string steps = fmt::format("({})", counted(trace.steps, "step"));
    if (trace.fastest < trace.slowest) {
        steps = fmt::format("({}, {})", counted(trace.steps, "step"), text(Interval{trace.fastest, trace.slowest}));
    }
    return {{{.label = "traced", .value = trace.step, .note = steps},
             {.label = "predicted",
              .value = answer.question.prediction.step,
              .note = fmt::format("{} ({})", answer.question.prediction_name, answer.question.prediction.plan)}}};
}

/// Advice about a part; may be empty.
std::string advice(const TracedPart& part) {
    const bool takes_more = part.longer() > Seconds{};
    if (part.name == "idle") {
        return takes_more ? "; where the host launches kernels too slowly, CUDA graphs or larger micro-batches help"
                          : "";
    }
    if (part.name == "copies") {
        return takes_more ? "; copies from pinned memory run beside compute" : "";
    }
    return "; `dodona calibrate --import TRACE` takes what traces have measured into the machine's file";
}

std::string in_words(const Answer& answer) {
    const TracedPart& part = answer.parts[answer.most_off];
    if (!answer.any_off()) {
        return fmt::format("no part is off by more than {} of the step", percent(Answer::kNoticed));
    }
    const Seconds whole = answer.question.trace.step - answer.question.prediction.step.value;
    const double explained = whole == Seconds{} ? 0 : part.longer() / whole;
    const std::string of_all =
        explained > 0 && explained <= 1 ? fmt::format(": {} of what the step is off by", percent(explained)) : "";
    return fmt::format("off most: {}, {} traced, {} predicted{}{}", part.meaning, text(part.traced),
                       text(part.predicted), of_all, advice(part));
}

Table part_table(const Answer& answer) {
    Table table({{"part"},
                 {"traced", Align::right},
                 {"predicted", Align::right},
                 {"traced - predicted", Align::right},
                 {"longest kernel", Align::left, true}});
    for (const TracedPart& part : answer.parts) {
        table.row({part.meaning, part.traced, part.predicted, signed_time(part.longer()), part.longest});
    }
    table.row({"step", answer.question.trace.step, answer.question.prediction.step.value,
               signed_time(answer.question.trace.step - answer.question.prediction.step.value), ""});
    return table;
}

Table collective_table(const Answer& answer) {
    Table table({{"collective"},
                 {"calls traced", Align::right},
                 {"calls predicted", Align::right},
                 {"busy traced", Align::right},
                 {"busy predicted", Align::right},
                 {"exposed traced", Align::right}});
    for (const TracedCollective& one : answer.collectives) {
        table.row({enumerator_of(one.work).meaning, Number{one.traced.calls}, Number{one.predicted_calls},
                   one.traced.busy, one.predicted_busy, one.traced.exposed});
    }
    return table;
}

}  // namespace

Document document(const Answer& answer) {
    Document document = answer_document(answer);
    add(document, Headline{headline(answer)});
    add(document, key_figures(answer));
    add(document, Paragraph{in_words(answer)});
    add_section(document, {"Where the step goes"},
                {part_table(answer),
                 Note{"traced: communication, copies and idle time only where no compute runs, so that parts add up"}});
    add_section(document, {"Communication of one step"}, {collective_table(answer)});
    add(document, Note{answer.within_interval() ? "" : "the traced step is outside of the predicted interval"});
    return document;
}

}  // namespace dodona::questions::trace
