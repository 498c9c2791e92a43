#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/goodput/goodput.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::goodput {

namespace {

using namespace reports;
using reliability::CheckpointMode;
using reliability::IntervalChoice;
using reliability::RunTime;

struct TimeRow {
    const char* label;
    Seconds RunTime::*part;
};
constexpr std::array kTimeRows{TimeRow{"training", &RunTime::training}, TimeRow{"checkpoints", &RunTime::checkpoints},
                               TimeRow{"lost to failures", &RunTime::lost}, TimeRow{"restarts", &RunTime::restarts},
                               TimeRow{"waiting for repair", &RunTime::waiting}};

Table time_table(const Goodput& answer) {
    Table table({{"of the time"}, {"closed form", Align::right}, {"simulated", Align::right}});
    const RunTime expected = expected_run(answer);
    const RunTime& simulated = answer.chosen().simulated.mean;
    const auto share = [](Seconds part, const RunTime& whole) { return Percent{part / whole.total()}; };
    if (!std::isfinite(expected.total().in(unit::second))) {
        return table;
    }
    for (const TimeRow& row : kTimeRows) {
        const bool waits = row.part == &RunTime::waiting;
        if (waits && simulated.waiting == Seconds{}) {
            continue;
        }
        table.row({row.label, waits ? Cell() : Cell(share(expected.*row.part, expected)),
                   answer.plays ? Cell(share(simulated.*row.part, simulated)) : Cell()});
    }
    return table;
}

Table component_table(const Goodput& answer) {
    Table table({{"component"}, {"mean time between failures"}, {"of the job", Align::right}, {"share", Align::right}});
    for (const auto& [component, job_mtbf, share] : job_components(answer)) {
        table.row({component.name,
                   fmt::format("{} {}", duration(component.mtbf), enumerator_of(component.unit).meaning),
                   Duration{job_mtbf}, Percent{share}});
    }
    return table;
}

Table checkpoint_table(const Goodput& answer) {
    const bool waits = answer.question.checkpoint.mode == CheckpointMode::blocking;
    const reliability::CheckpointTimes& times = answer.times;
    Table table({{"checkpoint"}, {"time", Align::right}, {"training"}});
    const auto row = [&](const char* label, Seconds time, bool stops) {
        if (time > Seconds{}) {
            table.row({label, time, stops ? "stops" : "goes on"});
        }
    };
    row("copy to host", times.copy, true);
    row("encode", times.encode, waits);
    row("write", times.write, waits);
    row("read back", times.read, true);
    row("decode", times.decode, true);
    row("copy to GPU", times.copy_back, true);
    return table;
}

std::string interval_rule_text(const IntervalChoice& choice) { return std::string(enumerator_of(choice.rule).meaning); }

/// Lost time with three digits: shares of goodput that differ by little look the same.
std::string lost_text(double goodput) { return three_digits(100 * (1 - goodput)) + " %"; }

Table interval_table(const Goodput& answer) {
    Table table({{"interval"},
                 {"time", Align::right},
                 {"steps", Align::right},
                 {"lost, closed form", Align::right},
                 {"lost, simulated", Align::right}});
    for (const IntervalChoice& choice : answer.choices) {
        const reliability::SimulatedRuns& simulated = choice.simulated;
        table.row({interval_rule_text(choice), Duration{choice.interval},
                   Count{static_cast<std::int64_t>(choice.steps)}, lost_text(choice.closed_form),
                   simulated.goodput > 0 ? Cell(lost_text(simulated.goodput)) : Cell()});
    }
    return table;
}

std::string size_note(const Goodput& answer) {
    const reliability::CheckpointSettings& settings = answer.question.checkpoint;
    return fmt::format("in {} ({} bytes), {}, {}, {}", counted(answer.tensor_count, "tensor"),
                       whole(answer.size.in(unit::byte)), name(settings.format),
                       settings.writers == reliability::CheckpointWriters::sharded ? "every rank writes its part"
                                                                                   : "one rank writes all",
                       name(settings.mode));
}

std::vector<KeyFigure> run_figures(const Goodput& answer) {
    if (!answer.run) {
        return {};
    }
    const reliability::RunCost& run = *answer.run;
    std::vector<KeyFigure> figures{
        {.label = "training",
         .value = duration_cell(run.time),
         .note = fmt::format("on {} GPU-hours; {} without failures and checkpoints",
                             large(run.device_time.in(unit::hour)), duration(answer.training))}};
    if (run.money) {
        figures.push_back({.label = "cost", .value = Cost{*run.money, answer.question.price->currency}});
    }
    if (run.energy) {
        figures.push_back({.label = "energy", .value = text(*run.energy)});
    }
    return figures;
}

std::string goodput_note(const Goodput& answer) {
    const reliability::SimulatedRuns& simulated = answer.chosen().simulated;
    const std::string closed_form = fmt::format("{} lost in closed form", lost_text(answer.chosen().closed_form));
    return answer.plays ? fmt::format("({} lost, 95 % confidence {} to {}; {})", lost_text(simulated.goodput),
                                      lost_text(simulated.high), lost_text(simulated.low), closed_form)
                        : fmt::format("({})", closed_form);
}

std::vector<KeyFigure> goodput_figures(const Goodput& answer) {
    const IntervalChoice& chosen = answer.chosen();
    std::vector<KeyFigure> figures{
        {.label = "goodput", .value = Percent{answer.value()}, .note = goodput_note(answer)},
        {.label = "failures",
         .value = fmt::format("one every {}", duration(answer.conditions.mtbf)),
         .note = fmt::format("on {} and {}", counted(answer.job.devices, "GPU"), counted(answer.job.nodes, "node"))},
        {.label = "checkpoint", .value = answer.size, .note = size_note(answer)},
        {.label = "interval",
         .value = Duration{chosen.interval},
         .note = fmt::format("= {}: {}; training stops for {}{}", counted(chosen.steps, "step"),
                             interval_rule_text(chosen), text(answer.conditions.pause),
                             answer.checkpoint_share_of_epoch
                                 ? fmt::format(", {} of an epoch's steps", percent(*answer.checkpoint_share_of_epoch))
                                 : "")},
        {.label = "restart",
         .value = Duration{answer.conditions.restart},
         .note = fmt::format("({} of it to restore the checkpoint)", text(answer.times.restore()))}};
    append(figures, run_figures(answer));
    if (answer.host_needed) {
        const bool fits = !answer.host_memory || *answer.host_needed <= *answer.host_memory;
        figures.push_back(
            {.label = "host copy",
             .value = *answer.host_needed,
             .note = answer.host_memory ? fmt::format("of {} of the host of a node", text(*answer.host_memory)) : "",
             .tone = fits ? Tone::plain : Tone::bad});
    }
    if (answer.spares_needed) {
        figures.push_back({.label = "spares",
                           .value = counted(answer.question.spares->nodes, "node"),
                           .note = fmt::format("({} would all be in repair less than 1 % of the time)",
                                               whole(*answer.spares_needed))});
    }
    if (answer.prediction.why_not) {
        figures.push_back({.label = "fits", .value = "no: " + text(*answer.prediction.why_not), .tone = Tone::bad});
    }
    return figures;
}

/// The part of a checkpoint of tensors that is left out.
List exact_restart() {
    return {{"states of all random numbers: Python, NumPy, the framework and each GPU, on every rank",
             "the position in the data and the order of its shuffle",
             "the step of the learning-rate schedule and, in fp16, the scale of the loss",
             "as many ranks as before, and deterministic kernels"}};
}

std::string method_text(const Goodput& answer) {
    const std::string failures = "failures: " + answer.question.failure_source;
    if (!answer.plays) {
        return failures + "; nothing was simulated: hardly anything is ever kept";
    }
    return fmt::format("{}; {} of {}, seed {}, with 95 % confidence intervals; that of the training time is the step's",
                       failures, counted(answer.question.runs, "simulated run"),
                       answer.run ? "all the work" : fmt::format("{} of training", duration(answer.training)),
                       answer.question.seed);
}

}  // namespace

Document document(const Subject& subject, const Goodput& answer) {
    Document document = answer_document(answer);
    set_asked(document, subject.model, subject.machine, answer.job.devices);
    add(document, Headline{fmt::format("{} on {} of {}: {} goodput", subject.model, counted(answer.job.devices, "GPU"),
                                       subject.machine, percent(answer.value()))});
    add(document, Paragraph{plan_text(answer.prediction)});
    add(document, KeyFigures{goodput_figures(answer)});
    add_section(document, {"Where the time goes"}, {time_table(answer)});
    add_section(document, {"Interval between checkpoints"}, {interval_table(answer)});
    add_section(document, {"Checkpoint"}, {checkpoint_table(answer)});
    const Table components = component_table(answer);
    add_section(document, {.title = "Failures", .detail = components.rows.size() == 1}, {components});
    add_section(document, {"Assumed"}, {List{answer.question.assumptions}, Note{method_text(answer)}});
    add_section(document, {.title = "A restart that continues exactly also needs", .detail = true}, {exact_restart()});
    return document;
}

}  // namespace dodona::questions::goodput
