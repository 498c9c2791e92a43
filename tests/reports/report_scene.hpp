// A small report made by hand: two strategies on 1 to 8 GPUs that cross over, a measured run, a step of two stages.
#pragma once

#include "questions/report/parts.hpp"
#include "questions/report/report.hpp"
#include "simulated_scene.hpp"

namespace dodona::reports::testing {

using namespace questions::report;

/// `seconds`: of a step; a quarter of it is exposed gradient reduction.
inline ReportPoint point_with(const std::string& strategy, std::int64_t devices, double seconds, Bytes memory) {
    using step::MemoryPart;
    using step::TimePart;
    ReportPlan plan{
        .mesh = "data " + std::to_string(devices),
        .details = "micro-batch 1 x 8, no recompute",
        .software = "torch-test",
        .step = {Seconds::of_base(seconds), Seconds::of_base(0.9 * seconds), Seconds::of_base(1.25 * seconds)},
        .samples_per_second = 64 / seconds,
        .tokens_per_second = std::nullopt,
        .mfu = 0.4,
        .time = {},
        .memory = {},
        .memory_limit = 16_GiB,
        .bottlenecks = {"gradient exchange: gradients take 25 % of the step"},
        .unusual = {}};
    plan.time[TimePart::forward] = Seconds::of_base(0.25 * seconds);
    plan.time[TimePart::backward] = Seconds::of_base(0.5 * seconds);
    plan.time[TimePart::gradients] = Seconds::of_base(0.25 * seconds);
    plan.memory[MemoryPart::weights] = 0.25 * memory;
    plan.memory[MemoryPart::activations] = 0.75 * memory;
    return {.strategy = strategy, .devices = devices, .batch = 64, .plan = plan, .why_not = {}};
}

/// data: 8, 4, 2.5 and 2 s; sharded: does not fit on 1, then 4.5, 2.49 (equally fast, and the answer) and 1 s.
inline Report small_report() {
    ReportStrategy data{
        .name = "data", .most = 64, .set_by = "data <= 64: the batch has 64 samples", .axes = 1, .points = {}};
    data.points = {point_with("data", 1, 8, 12_GiB), point_with("data", 2, 4, 12_GiB),
                   point_with("data", 4, 2.5, 12_GiB), point_with("data", 8, 2, 12_GiB)};
    ReportStrategy sharded{.name = "sharded", .most = 8, .set_by = "the machine has 8", .axes = 2, .points = {}};
    sharded.points = {
        {.strategy = "sharded", .devices = 1, .batch = 64, .plan = {}, .why_not = "sharded cannot use 1 device"},
        point_with("sharded", 2, 4.5, 8_GiB),
        point_with("sharded", 4, 2.49, 6_GiB),
        point_with("sharded", 8, 1, 4_GiB)};
    Report report;
    report.inputs = {.model = "tiny",
                     .machine = "box",
                     .device = "card",
                     .machine_gpus = 8,
                     .precision = "bf16",
                     .model_source = "a paper",
                     .machine_source = "a data sheet",
                     .version = "1.2.3",
                     .parameters = 1e6,
                     .settings = {{"--seq", "128"}},
                     .counts = {1, 2, 4, 8},
                     .price_per_gpu_hour = 2,
                     .currency = "USD",
                     .power_per_gpu_w = 400,
                     .measured_from = "2026-01-02",
                     .measured_to = "2026-03-04",
                     .assumptions = {"optimizer adam"}};
    report.scalings = {{.batch = 64, .batch_per_gpu = 1, .strategies = {data, sharded}, .answers = {}}};
    report.scalings[0].answers = {data.points[0], data.points[1], sharded.points[2], sharded.points[3]};
    report.measured = {{.id = "run-1",
                        .strategy = "data",
                        .devices = 4,
                        .batch = 64,
                        .measured = 2.4_s,
                        .predicted = {2.5_s, 2.25_s, 3_s}}};
    report.measured_notes = {"1 of 2 runs in runs.csv are of other models or machines"};
    report.best =
        ReportBest{.devices = 8,
                   .strategy = "sharded",
                   .evidence = {"compute: card (a data sheet)"},
                   .sensitivity = ReportSensitivity{.sentences = {"memory headroom: 4.00 GiB per device"},
                                                    .table = {{"parameter", "now"}, {{"bandwidth", "25 GB/s"}}},
                                                    .notes = {"a note"}},
                   .timeline = report_timeline(simulated())};
    return report;
}

}  // namespace dodona::reports::testing
