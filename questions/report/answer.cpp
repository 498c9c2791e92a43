#include <algorithm>

#include <fmt/format.h>

#include "questions/described.hpp"
#include "questions/report/report.hpp"
#include "reports/collect/described_record.hpp"
#include "reports/collect/prediction_answer.hpp"
#include "reports/document/component_colours.hpp"

namespace dodona::questions::report {

namespace {

using reports::ComponentColour;
using reports::kComponentColours;
using reports::kOtherColour;
using reports::RecordFaults;

/// A point as a row of a table.
struct PointRow {
    std::string scaling;
    ReportPoint point;
};

/// The keys of a point; `To`: to it.
template <auto... To>
std::vector<files::Key> point_keys() {
    using files::required;
    const files::KeyOptions kFromOne{.range = files::at_least(1)};
    return {required<To..., &ReportPoint::strategy>(
                "strategy", "of the plan, or of what was searched; empty: of all strategies none fits"),
            required<To..., &ReportPoint::devices>("gpus", "", kFromOne),
            required<To..., &ReportPoint::batch>("batch", "", kFromOne),
            required<To..., &ReportPoint::plan>("plan", "null: nothing fits"),
            required<To..., &ReportPoint::why_not>("why_not", "where plan is null")};
}

std::vector<std::string> scaling_names() { return {"strong", "weak"}; }

const files::Description& point_row() {
    static const files::Description described{
        .keys = files::joined({files::required<&PointRow::scaling>("scaling", "")}, point_keys<&PointRow::point>())};
    return described;
}

/// {forward: ..., backward: ...}, of a PartArray: without those of zero.
template <class Parts, class Part>
files::ValueType parts_above_zero() {
    using Value = typename decltype(Parts::values)::value_type;
    return {
        files::MapType{.element = files::element(files::type_of<Value>({})),
                       .keys = files::choices_of<Part>(),
                       .each =
                           [](const void* member, const auto& visit) {
                               for (std::size_t i = 0; i < table_of<Part>().size(); ++i) {
                                   const Value& value = static_cast<const Parts*>(member)->values[i];
                                   if (value != Value{}) {
                                       visit(table_of<Part>()[i].name, &value);
                                   }
                               }
                           },
                       .insert = [](void* member, const std::string& key, const Location& /*where*/) -> void* {
                           return &static_cast<Parts*>(member)->values[static_cast<std::size_t>(*value_of<Part>(key))];
                       },
                       .is_partial = true}};
}

constexpr const char* kHelp =
    "reports are written by `dodona report -o FILE.json`; dodona check --schemas writes their schema";

/// Conditions that its readers rely on, beyond the types of its members.
class ReportCheck {
public:
    explicit ReportCheck(RecordFaults& faults) : faults_(faults) {}

    void check(const Report& report) {
        require(!report.scalings.empty(), "scalings", "one at least is expected");
        require(!report.inputs.counts.empty(), "inputs.gpus", "one number at least is expected");
        for (std::size_t i = 0; i < report.scalings.size(); ++i) {
            check_scaling(report.scalings[i], fmt::format("scalings[{}]", i));
        }
        for (std::size_t i = 0; i < report.measured.size(); ++i) {
            const ReportMeasured& run = report.measured[i];
            const std::string path = fmt::format("measured[{}]", i);
            require(run.devices > 0, path + ".gpus", "a number above 0 is expected");
            require(run.batch > 0, path + ".batch", "a number above 0 is expected");
            require(run.measured > Seconds{}, path + ".measured_s", "a time above 0 is expected");
            check_time(run.predicted, path + ".predicted_s");
        }
        if (report.best && report.best->sensitivity) {
            const ReportTable& table = report.best->sensitivity->table;
            for (std::size_t i = 0; i < table.rows.size(); ++i) {
                require(table.rows[i].size() <= table.columns.size(), fmt::format("best.sensitivity.table.rows[{}]", i),
                        fmt::format("at most {} cells are expected", table.columns.size()));
            }
        }
        if (report.best && report.best->timeline) {
            check_timeline(*report.best->timeline);
        }
    }
    void check_point(const ReportPoint& point, const std::string& path) {
        require(point.devices > 0, path + "gpus", "a number above 0 is expected");
        require(point.batch > 0, path + "batch", "a number above 0 is expected");
        if (point.plan) {
            check_time(point.plan->step, path + "plan.step_time_s");
            require(point.plan->samples_per_second > 0, path + "plan.samples_per_s", "a number above 0 is expected");
            require(point.plan->tokens_per_second.value_or(1) > 0, path + "plan.tokens_per_s",
                    "a number above 0 is expected");
        }
    }

private:
    void require(bool holds, const std::string& path, const std::string& message) {
        if (!holds) {
            faults_.add(path, message);
        }
    }
    void check_time(const Estimate& time, const std::string& path) {
        require(time.value > Seconds{} && time.lo >= Seconds{} && time.lo <= time.value && time.value <= time.hi, path,
                "a time above 0 within its interval is expected");
    }
    void check_points(const ReportScaling& scaling, const std::vector<ReportPoint>& points, const std::string& path) {
        for (std::size_t i = 0; i < points.size(); ++i) {
            const std::string at = fmt::format("{}[{}].", path, i);
            const std::int64_t batch = scaling.batch.value_or(scaling.batch_per_gpu * points[i].devices);
            check_point(points[i], at);
            require(i == 0 || points[i - 1].devices < points[i].devices, at + "gpus",
                    "a number above that of the point before is expected");
            require(points[i].batch == batch, at + "batch", fmt::format("{} is expected", batch));
        }
    }
    void check_scaling(const ReportScaling& scaling, const std::string& path) {
        require(scaling.batch.value_or(scaling.batch_per_gpu) > 0, path, "a batch above 0 is expected");
        check_points(scaling, scaling.answers, path + ".answers");
        for (std::size_t i = 0; i < scaling.strategies.size(); ++i) {
            check_points(scaling, scaling.strategies[i].points, fmt::format("{}.strategies[{}].points", path, i));
        }
    }
    void check_timeline(const ReportTimeline& timeline) {
        const std::string path = "best.timeline";
        require(timeline.end > Seconds{}, path + ".end_s", "a time above 0 is expected");
        for (std::size_t i = 0; i < timeline.bars.size(); ++i) {
            const ReportBar& bar = timeline.bars[i];
            const std::string at = fmt::format("{}.bars[{}].", path, i);
            require(bar.stage < static_cast<std::int64_t>(timeline.stages.size()), at + "stage",
                    fmt::format("one of {} stages, counted from 0, is expected", timeline.stages.size()));
            require(bar.start >= Seconds{} && bar.duration >= Seconds{} &&
                        bar.start + bar.duration <= (1 + kRounding) * timeline.end,
                    at + "start_s", "a bar within the step is expected");
            require(std::any_of(kComponentColours.begin(), kComponentColours.end(),
                                [&](const ComponentColour& colour) { return colour.component == bar.component; }) ||
                        bar.component == kOtherColour.component,
                    at + "component", "no part of a step is called that");
        }
    }

    static constexpr double kRounding = 2e-6;  ///< of bars to a millionth of the step
    RecordFaults& faults_;
};

}  // namespace

reports::Record report_record(const Report& report) { return answer_document(report).record; }

std::vector<reports::Record> point_rows(const Report& report) {
    std::vector<reports::Record> rows;
    for (const ReportScaling& scaling : report.scalings) {
        for (const ReportStrategy& strategy : scaling.strategies) {
            for (const ReportPoint& point : strategy.points) {
                const PointRow row{scaling_names()[scaling.batch ? 0 : 1], point};
                rows.push_back(row_of(point_row(), &row));
            }
        }
    }
    return rows;
}

reports::Record point_record(const ReportPoint& point) { return reports::described_record(point); }

ReportPoint point_from(const reports::Record& record, const std::string& name) {
    RecordFaults faults(name, kHelp);
    ReportPoint point;
    reports::read_described(record, files::description<ReportPoint>(), &point, "", faults);
    ReportCheck(faults).check_point(point, "");
    faults.throw_if_any();
    return point;
}

Report report_from(const reports::Record& record, const std::string& name) {
    RecordFaults faults(name, kHelp);
    Report report;
    read_answer(record, report, faults);
    faults.throw_if_any();
    ReportCheck(faults).check(report);
    faults.throw_if_any();
    return report;
}

}  // namespace dodona::questions::report

namespace dodona::files {

using questions::report::Report;
using questions::report::ReportBar;
using questions::report::ReportBest;
using questions::report::ReportInputs;
using questions::report::ReportMeasured;
using questions::report::ReportPlan;
using questions::report::ReportPoint;
using questions::report::ReportScaling;
using questions::report::ReportSensitivity;
using questions::report::ReportSetting;
using questions::report::ReportStrategy;
using questions::report::ReportTable;
using questions::report::ReportTimeline;

template <>
const Description& description<ReportPlan>() {
    static const Description described{
        .noun = "plan",
        .keys = {
            required<&ReportPlan::mesh>("mesh", ""), required<&ReportPlan::details>("details", ""),
            required<&ReportPlan::software>("software", "whose step it is"),
            required<&ReportPlan::step>("step_time", ""),
            required<&ReportPlan::samples_per_second>("samples_per_s", "", {.range = kNotNegative}),
            required<&ReportPlan::tokens_per_second>("tokens_per_s", "", {.range = kNotNegative}),
            required<&ReportPlan::mfu>("mfu", "", {.range = kNotNegative}),
            required_as<&ReportPlan::time>(questions::report::parts_above_zero<step::TimeParts, step::TimePart>(),
                                           "time", "exposed parts of the step; those of zero are left out"),
            required_as<&ReportPlan::memory>(questions::report::parts_above_zero<step::MemoryParts, step::MemoryPart>(),
                                             "memory", "of the fullest GPU; parts of zero are left out"),
            required<&ReportPlan::memory_limit>("memory_limit", ""),
            required<&ReportPlan::bottlenecks>("bottlenecks", ""),
            required<&ReportPlan::unusual>("unusual", "why nobody runs it; empty if it is usual")}};
    return described;
}

template <>
const Description& description<ReportPoint>() {
    static const Description described{.noun = "point", .keys = questions::report::point_keys()};
    return described;
}

template <>
const Description& description<ReportStrategy>() {
    static const Description described{
        .keys = {
            required<&ReportStrategy::name>("strategy", ""),
            required<&ReportStrategy::most>("most", "GPUs of this machine that it can use", {.range = at_least(1)}),
            required<&ReportStrategy::set_by>("set_by", ""),
            required<&ReportStrategy::axes>("axes", "of its mesh, and folds", {.range = kNotNegative}),
            required<&ReportStrategy::points>("points", "")}};
    return described;
}

template <>
const Description& description<ReportScaling>() {
    static const Description described{
        .keys = {
            required<&ReportScaling::batch>("batch", "strong scaling: samples of a step; null: weak scaling",
                                            {.range = at_least(1)}),
            required<&ReportScaling::batch_per_gpu>("batch_per_gpu", "weak scaling", {.range = at_least(1)}),
            required<&ReportScaling::strategies>("strategies", ""),
            required<&ReportScaling::answers>("answers", "what `dodona plan` answers: of all strategies together")}};
    return described;
}

template <>
const Description& description<ReportMeasured>() {
    static const Description described{.keys = {required<&ReportMeasured::id>("id", ""),
                                                required<&ReportMeasured::strategy>("strategy", ""),
                                                required<&ReportMeasured::devices>("gpus", "", {.range = at_least(1)}),
                                                required<&ReportMeasured::batch>("batch", "", {.range = at_least(1)}),
                                                required<&ReportMeasured::measured>("measured", ""),
                                                required<&ReportMeasured::predicted>("predicted", "")}};
    return described;
}

template <>
const Description& description<ReportTable>() {
    static const Description described{
        .keys = {required<&ReportTable::columns>("columns", ""), required<&ReportTable::rows>("rows", "")}};
    return described;
}

template <>
const Description& description<ReportSensitivity>() {
    static const Description described{.keys = {required<&ReportSensitivity::sentences>("sentences", ""),
                                                required<&ReportSensitivity::table>("table", ""),
                                                required<&ReportSensitivity::notes>("notes", "")}};
    return described;
}

template <>
const Description& description<ReportBar>() {
    static const Description described{
        .keys = {required<&ReportBar::stage>("stage", "", {.range = kNotNegative}),
                 required<&ReportBar::component>("component", ""), required<&ReportBar::label>("label", ""),
                 required<&ReportBar::start>("start", ""), required<&ReportBar::duration>("duration", "")}};
    return described;
}

template <>
const Description& description<ReportTimeline>() {
    static const Description described{
        .keys = {required<&ReportTimeline::stages>("stages", "shown; bars name them by their place here, from 0",
                                                   {.range = at_least(1)}),
                 required<&ReportTimeline::all_stages>("all_stages", "", {.range = at_least(1)}),
                 required<&ReportTimeline::end>("end", ""), required<&ReportTimeline::bars>("bars", ""),
                 required<&ReportTimeline::notes>("notes", "")}};
    return described;
}

template <>
const Description& description<ReportBest>() {
    static const Description described{.keys = {required<&ReportBest::devices>("gpus", "", {.range = at_least(1)}),
                                                required<&ReportBest::strategy>("strategy", ""),
                                                required<&ReportBest::evidence>("evidence", ""),
                                                required<&ReportBest::sensitivity>("sensitivity", ""),
                                                required<&ReportBest::timeline>("timeline", "")}};
    return described;
}

template <>
const Description& description<ReportSetting>() {
    static const Description described{
        .keys = {required<&ReportSetting::option>("option", ""), required<&ReportSetting::value>("value", "")}};
    return described;
}

template <>
const Description& description<ReportInputs>() {
    static const Description described{
        .keys = {required<&ReportInputs::model>("model", ""), required<&ReportInputs::machine>("machine", ""),
                 required<&ReportInputs::device>("device", ""),
                 required<&ReportInputs::machine_gpus>("machine_gpus", "", {.range = at_least(1)}),
                 required<&ReportInputs::precision>("precision", ""),
                 required<&ReportInputs::model_source>("model_source", ""),
                 required<&ReportInputs::machine_source>("machine_source", ""),
                 required<&ReportInputs::version>("version", "of dodona"),
                 required<&ReportInputs::parameters>("parameters", "", {.range = kNotNegative}),
                 required<&ReportInputs::settings>("settings", "options that change what is computed, as given"),
                 required<&ReportInputs::counts>("gpus", "numbers that were asked about", {.range = at_least(1)}),
                 required<&ReportInputs::price_per_gpu_hour>("price_per_gpu_hour", "", {.range = kNotNegative}),
                 required<&ReportInputs::currency>("currency", ""),
                 required<&ReportInputs::power_per_gpu_w>("power_per_gpu_w", "", {.range = kNotNegative}),
                 required<&ReportInputs::measured_from>(
                     "measured_from", "first day of the machine's measurements, ISO 8601; empty: not known"),
                 required<&ReportInputs::measured_to>("measured_to", "last day"),
                 required<&ReportInputs::assumptions>("assumptions", "what the user did not say")}};
    return described;
}

template <>
const Description& description<Report>() {
    static const Description described{
        .noun = "report",
        .summary =
            "SI base units, the unit in the key; what is absent is null. `dodona report --from` and `dodona diff` read "
            "it.",
        .keys = {required<&Report::inputs>("inputs", ""),
                 required<&Report::complete>("complete", "false: it was stopped, points are missing"),
                 required<&Report::thinned>("thinned", "true: numbers of GPUs were left out to keep a page small"),
                 required<&Report::scalings>("scalings", "the recommendation is of the first",
                                             {.none = "one at least is expected"}),
                 required<&Report::measured>("measured", ""),
                 required<&Report::measured_notes>("measured_notes", "runs that are not shown, and why"),
                 required<&Report::best>("best", "the recommended plan in detail; null: nothing fits, or stopped")}};
    return described;
}

}  // namespace dodona::files
