#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/trace/trace.hpp"
#include "reports/collect/prediction_answer.hpp"

namespace dodona::files {

using questions::computed;
using questions::trace::TracedCollective;
using questions::trace::TracedPart;
using reports::PredictedStep;
using traces::StepProfile;
using traces::WorkUse;

namespace {

std::vector<std::string> traced_parts() {
    auto all = mapped_where<std::string>(
        traces::kDeviceWorkTable,
        [](const auto& row) { return traces::is_compute(row.value) && row.value != traces::DeviceWork::unnamed; },
        [](const auto& row) { return row.name; });
    for (const char* of_all_kinds : {"compute", "communication", "copies", "idle"}) {
        all.emplace_back(of_all_kinds);
    }
    return all;
}
constexpr TextForm kTracedPart{.is = "a part", .pattern = {}, .choices = traced_parts};

const Description& traced_step() {
    static const Description described{
        .keys = {required<&StepProfile::step>("value", ""), required<&StepProfile::fastest>("fastest", ""),
                 required<&StepProfile::slowest>("slowest", "")},
        .one_unit = true};
    return described;
}

}  // namespace

template <>
const Description& description<TracedPart>() {
    static const Description described{
        .keys = {required<&TracedPart::name>("part", "", {.form = &kTracedPart}),
                 required<&TracedPart::traced>("traced", ""), required<&TracedPart::predicted>("predicted", ""),
                 computed("difference_s", "traced minus predicted",
                          [](const TracedPart& part) { return part.longer().in(unit::second); }),
                 optional<&TracedPart::longest>("longest_kernel", "the kernel that takes most of the part")}};
    return described;
}

template <>
const Description& description<TracedCollective>() {
    static const Description described{
        .keys = {required<&TracedCollective::work>("collective", ""),
                 required<&TracedCollective::traced, &WorkUse::calls>("traced_calls", "", {.range = kNotNegative}),
                 required<&TracedCollective::predicted_calls>("predicted_calls", "", {.range = kNotNegative}),
                 required<&TracedCollective::traced, &WorkUse::busy>("traced_busy", ""),
                 required<&TracedCollective::predicted_busy>("predicted_busy", ""),
                 required<&TracedCollective::traced, &WorkUse::exposed>("traced_exposed", "where no compute runs")}};
    return described;
}

template <>
const Description& description<questions::trace::Answer>() {
    using questions::trace::Answer;
    using questions::trace::Question;
    static const Description described{
        .noun = "trace",
        .summary = "SI base units, the unit in the key; what is absent is null.",
        .keys = {
            required<&Answer::question, &Question::trace_name>("trace", "its file"),
            required<&Answer::question, &Question::prediction_name>("prediction", "its file, or the model"),
            required<&Answer::question, &Question::prediction, &PredictedStep::plan>("plan", "strategy and mesh"),
            required<&Answer::question, &Question::trace, &StepProfile::steps>(
                "steps", "that traced times are means of", {.range = at_least(1)}),
            required_as<&Answer::question, &Question::trace>(record_type(traced_step), "traced_step", ""),
            required<&Answer::question, &Question::prediction, &PredictedStep::step>("predicted_step", ""),
            computed("error", "predicted over traced, minus one", [](const Answer& answer) { return answer.error(); }),
            computed("within_interval", "the traced step",
                     [](const Answer& answer) { return answer.within_interval(); }),
            computed("most_off", "the part with the largest difference; null: none is off by more than 2 % of the step",
                     [](const Answer& answer) {
                         return answer.any_off() ? std::optional(answer.parts[answer.most_off].name) : std::nullopt;
                     },
                     {.form = &kTracedPart}),
            required<&Answer::parts>("parts", "of one step; they add up to it", {.rows = true}),
            required<&Answer::collectives>("collectives", "in one step")}};
    return described;
}

}  // namespace dodona::files
