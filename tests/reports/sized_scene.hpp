// Answers of `size` and `largest` made by hand, so that what a report prints changes only when the report does.
#pragma once

#include "questions/largest/largest.hpp"
#include "questions/size/size.hpp"
#include "scene.hpp"

namespace dodona::reports::testing {

using questions::size::SizedMachine;
using SizeAnswer = questions::size::Answer;
using LargestAnswer = questions::largest::Answer;

/// A step of 10 s and 1,536 samples on so many devices, as fast as they are many.
inline step::Prediction on_devices(std::int64_t devices) {
    step::Prediction p = pipelined();
    p.plan.mesh = {{"tensor", 8}, {"data", devices / 64}, {"pipeline", 8}};
    const double faster = static_cast<double>(devices) / 1024;
    p.step = 1 / faster * p.step;
    p.samples_per_second *= faster;
    p.tokens_per_second = *p.tokens_per_second * faster;
    return p;
}

inline const cluster::Price kPrice{
    .device = 2 * unit::money / unit::hour, .currency = "USD", .source = "our own example, 2026-11"};

inline search::Attempt attempted(std::int64_t devices, const search::Goals& goals) {
    search::Attempt attempt{.value = devices, .devices = devices, .batch = 1536, .goals = goals};
    attempt.plan = on_devices(devices);
    attempt.missed = search::missed(goals, *attempt.plan, kPrice);
    if (goals.samples) {
        attempt.run = search::run_of(*attempt.plan, *goals.samples, kPrice);
    }
    attempt.configurations = 100;
    return attempt;
}

inline search::Attempt without_plan(std::int64_t devices) {
    search::Attempt attempt{.value = devices, .devices = devices, .batch = 1536};
    attempt.missed = search::Goal::fits;
    attempt.why_not = step::MemoryShortage{.needed = 96_GiB, .available = 80_GiB};
    attempt.configurations = 50;
    return attempt;
}

/// 300 billion tokens of 2,048 a sample.
inline search::Goals a_run(Seconds deadline) {
    return {.samples = 3e11 / 2048, .deadline = deadline, .samples_per_second = {}, .budget = 2e6 * unit::money};
}

inline SizedMachine sized_machine(const std::string& name, const std::vector<std::int64_t>& counts, Seconds deadline) {
    SizedMachine machine{.machine = name, .source = "Narayanan et al., SC 2021", .price = kPrice};
    search::Sizing& sizing = machine.sizing;
    sizing.attempts.push_back(without_plan(64));
    for (const std::int64_t devices : counts) {
        sizing.attempts.push_back(attempted(devices, a_run(deadline)));
        if (!sizing.found && !sizing.attempts.back().missed) {
            sizing.found = sizing.attempts.size() - 1;
        }
    }
    sizing.bound = {.least_memory = 2445_GB, .memory_of_one = 80_GB, .least_sample = 5_s};
    sizing.ruled_out = {{1, 24, 6, search::Goal::fits}, {32, 48, 3, search::Goal::deadline}};
    sizing.counts = 101;
    sizing.least = 1;
    sizing.most = 4480;
    return machine;
}

inline questions::GoalInputs backward(const search::Goals& goals) {
    return {.model = "gpt3-175b",
            .model_source = "Brown et al., arXiv:2005.14165",
            .tokens_a_sample = 2048,
            .goals = goals,
            .settings = {{"--set", "name=it's mine"}}};
}

inline SizeAnswer sized() {
    const Seconds deadline = 30 * unit::day;
    SizeAnswer report{.inputs = backward(a_run(deadline)), .parameters = 174'615'846'912, .machines = {}, .best = 0};
    report.machines = {sized_machine("selene", {192, 256, 384, 512, 768}, deadline)};
    return report;
}

/// The second machine is dearer.
inline SizeAnswer compared_machines() {
    SizeAnswer report = sized();
    report.find = search::Find::cheapest;
    report.machines.push_back(sized_machine("eos", {256, 512}, 30 * unit::day));
    report.machines[1].price->device = 3 * unit::money / unit::hour;
    for (search::Attempt& attempt : report.machines[1].sizing.attempts) {
        if (attempt.run) {
            attempt.run = search::run_of(*attempt.plan, attempt.run->samples, report.machines[1].price);
        }
    }
    report.best = questions::size::best_machine(report.machines, report.find);
    return report;
}

inline SizeAnswer too_late() {
    const Seconds deadline = unit::day;
    SizeAnswer report{.inputs = backward(a_run(deadline)), .parameters = 174'615'846'912, .machines = {}, .best = {}};
    report.machines = {sized_machine("selene", {256, 512}, deadline)};
    return report;
}

/// Ctrl-C before anything was found.
inline SizeAnswer stopped_early() {
    SizeAnswer report = too_late();
    report.machines[0].sizing.complete = false;
    return report;
}

inline LargestAnswer largest_depth() {
    LargestAnswer report{.inputs = backward({}), .parameter = "layers", .given = 96};
    report.machine = "selene";
    report.machine_source = "Narayanan et al., SC 2021";
    report.devices = 512;
    report.largest.step = 4;
    report.largest.most = 98304;
    report.largest.parameters = 3.2e11;
    for (const std::int64_t layers : {96, 176}) {
        search::Attempt attempt = attempted(512, {});
        attempt.value = layers;
        report.largest.attempts.push_back(attempt);
    }
    for (const std::int64_t layers : {180, 192, 384}) {
        search::Attempt attempt = without_plan(512);
        attempt.value = layers;
        report.largest.attempts.push_back(attempt);
    }
    report.largest.none = {{184, "layers: not to be had in this example"}};
    report.largest.found = 1;
    return report;
}

inline LargestAnswer no_depth() {
    LargestAnswer report = largest_depth();
    report.largest.attempts.erase(report.largest.attempts.begin(), report.largest.attempts.begin() + 2);
    report.largest.found.reset();
    return report;
}

}  // namespace dodona::reports::testing
