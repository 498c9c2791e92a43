// The keys of a report, once for writing and reading: `fields(io, value)` calls `io(key, member)` for each.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>

#include "reports/collect/report.hpp"

namespace dodona::reports {

template <class Self, class Of>
concept IsA = std::same_as<std::remove_const_t<Self>, Of>;

void fields(auto& io, IsA<ReportPlan> auto& plan) {
    io("mesh", plan.mesh);
    io("details", plan.details);
    io("software", plan.software);
    io("step_time_s", plan.step);
    io("samples_per_s", plan.samples_per_second);
    io("tokens_per_s", plan.tokens_per_second);
    io("mfu", plan.mfu);
    io("time_s", plan.time);
    io("memory_bytes", plan.memory);
    io("memory_limit_bytes", plan.memory_limit);
    io("bottlenecks", plan.bottlenecks);
    io("unusual", plan.unusual);
}

void fields(auto& io, IsA<ReportPoint> auto& point) {
    io("strategy", point.strategy);
    io("gpus", point.devices);
    io("batch", point.batch);
    io("plan", point.plan);
    io("why_not", point.why_not);
}

void fields(auto& io, IsA<ReportStrategy> auto& strategy) {
    io("strategy", strategy.name);
    io("most", strategy.most);
    io("set_by", strategy.set_by);
    io("axes", strategy.axes);
    io("points", strategy.points);
}

void fields(auto& io, IsA<ReportScaling> auto& scaling) {
    io("batch", scaling.batch);
    io("batch_per_gpu", scaling.batch_per_gpu);
    io("strategies", scaling.strategies);
    io("answers", scaling.answers);
}

void fields(auto& io, IsA<ReportMeasured> auto& run) {
    io("id", run.id);
    io("strategy", run.strategy);
    io("gpus", run.devices);
    io("batch", run.batch);
    io("measured_s", run.measured);
    io("predicted_s", run.predicted);
}

void fields(auto& io, IsA<ReportTable> auto& table) {
    io("columns", table.columns);
    io("rows", table.rows);
}

void fields(auto& io, IsA<ReportSensitivity> auto& sensitivity) {
    io("sentences", sensitivity.sentences);
    io("table", sensitivity.table);
    io("notes", sensitivity.notes);
}

void fields(auto& io, IsA<ReportBar> auto& bar) {
    io("stage", bar.stage);
    io("component", bar.component);
    io("label", bar.label);
    io("start_s", bar.start);
    io("duration_s", bar.duration);
}

void fields(auto& io, IsA<ReportTimeline> auto& timeline) {
    io("stages", timeline.stages);
    io("all_stages", timeline.all_stages);
    io("end_s", timeline.end);
    io("bars", timeline.bars);
    io("notes", timeline.notes);
}

void fields(auto& io, IsA<ReportBest> auto& best) {
    io("gpus", best.devices);
    io("strategy", best.strategy);
    io("evidence", best.evidence);
    io("sensitivity", best.sensitivity);
    io("timeline", best.timeline);
}

void fields(auto& io, IsA<ReportSetting> auto& setting) {
    io("option", setting.option);
    io("value", setting.value);
}

void fields(auto& io, IsA<ReportInputs> auto& inputs) {
    io("model", inputs.model);
    io("machine", inputs.machine);
    io("device", inputs.device);
    io("machine_gpus", inputs.machine_gpus);
    io("precision", inputs.precision);
    io("model_source", inputs.model_source);
    io("machine_source", inputs.machine_source);
    io("version", inputs.version);
    io("parameters", inputs.parameters);
    io("settings", inputs.settings);
    io("gpus", inputs.counts);
    io("price_per_gpu_hour", inputs.price_per_gpu_hour);
    io("currency", inputs.currency);
    io("power_per_gpu_w", inputs.power_per_gpu_w);
    io("measured_from", inputs.measured_from);
    io("measured_to", inputs.measured_to);
    io("assumptions", inputs.assumptions);
}

void fields(auto& io, IsA<Report> auto& report) {
    io("inputs", report.inputs);
    io("complete", report.complete);
    io("thinned", report.thinned);
    io("scalings", report.scalings);
    io("measured", report.measured);
    io("measured_notes", report.measured_notes);
    io("best", report.best);
}

}  // namespace dodona::reports
