#include "cli/report_question.hpp"

#include <utility>

#include <fmt/format.h>

#include "build_config.hpp"
#include "cli/device_counts.hpp"
#include "cli/explain.hpp"
#include "cli/goals.hpp"
#include "cli/growth.hpp"
#include "cli/job_space.hpp"
#include "cli/measured_runs.hpp"
#include "cli/question.hpp"
#include "questions/growth.hpp"
#include "questions/report/parts.hpp"
#include "reports/collect/machine_kernels.hpp"
#include "reports/collect/machine_report.hpp"

namespace dodona::cli {

namespace {

std::vector<search::Growth> growths_of(const questions::GrowthOptions& asked, const Workload& workload,
                                       std::vector<std::string>& assumptions) {
    const search::Growth usual = questions::default_growth(workload.graph, workload.cluster);
    const auto& [batch, each] = asked;
    std::vector<search::Growth> growths;
    if (batch) {
        growths.push_back(usual);
        growths.back().batch = batch;
    }
    if (each) {
        growths.push_back(usual);
        growths.back().batch = {};
        growths.back().samples_per_device = *each;
    }
    if (growths.empty()) {
        growths.push_back(usual);
        assumptions.push_back(
            usual.batch ? fmt::format("batch {}: about 4 million tokens (--batch)", *usual.batch)
                        : fmt::format("batch {} on each GPU (--batch-per-gpu, --batch)", usual.samples_per_device));
    }
    return growths;
}

/// The strategies of a growth, without points.
questions::report::ReportScaling empty_scaling(const ReportQuestion& question, const search::Growth& growth) {
    questions::report::ReportScaling scaling{
        .batch = growth.batch, .batch_per_gpu = growth.samples_per_device, .strategies = {}};
    for (const plan::Strategy& strategy : question.sweep.space.strategies) {
        search::Space one = question.sweep.space;
        one.strategies = {strategy};
        scaling.strategies.push_back(questions::report::report_strategy(
            search::reach_of(question.workload.graph, question.workload.cluster, one, growth)));
    }
    return scaling;
}

}  // namespace

std::vector<Option> report_question_options() {
    std::vector<Option> all = workload_options();
    for (Option& option : all) {
        if (option.long_name() == "--gpus") {
            option.value = "A..B|N,N,...";
            option.description =
                "powers of two and whole nodes from A to B; A..B:8 every 8; or\n"
                "those listed; default: 1 to all that the machine has";
        }
    }
    add_growth_options(all, question_options(files::description<questions::report::Options>(), "Job", false));
    for (Option& option : job_space_options(true)) {
        if (option.long_name() == "--strategy") {
            option.old_name = "--strategies";
        }
        all.push_back(std::move(option));
    }
    append(all, question_options(files::description<questions::report::Options>(), "Goals", false));
    append(all, measured_options());
    return all;
}

ReportQuestion read_report_question(Arguments& arguments, const Output& output) {
    const DeviceCounts counts = read_device_counts(arguments);
    questions::report::Options options;
    read_options(arguments, files::description<questions::report::Options>(), &options);
    options.growth.batch = arguments.count("--batch");
    resolve_machines(options.goals);
    const bool explains = read_explain(arguments, output);
    ReportQuestion question{.workload = read_workload(arguments),
                            .sweep = {},
                            .power = options.power,
                            .assumptions = {},
                            .explains = explains};
    questions::Faults faults;
    question.workload.cluster =
        questions::priced({{question.workload.subject.machine, question.workload.cluster}}, options.goals, faults)
            .front()
            .cluster;
    add_faults(arguments, faults);
    question.sweep.counts = counts_on(arguments, counts, question.workload.cluster);
    question.sweep.growths = growths_of(options.growth, question.workload, question.assumptions);
    arguments.throw_if_faults();
    question.sweep.space = job_space(arguments, question.workload);
    arguments.throw_if_faults();
    if (!arguments.has("--software")) {
        std::vector<std::string> names;
        for (const search::Software& software : question.sweep.space.software) {
            const std::string label = software.framework.label();
            names.push_back(label.empty() ? "bare kernels and links" : label);
        }
        question.assumptions.push_back(fmt::format("software: {}", fmt::join(names, ", ")));
    }
    if (!arguments.has("--optimizer")) {
        question.assumptions.push_back(fmt::format("optimizer {}", plan::name(question.sweep.space.optimizer)));
    }
    return question;
}

questions::report::ReportInputs report_inputs(const Arguments& arguments, const ReportQuestion& question) {
    const cluster::Cluster& cluster = question.workload.cluster;
    questions::report::ReportInputs inputs{.model = question.workload.subject.model,
                                           .machine = question.workload.subject.machine,
                                           .device = reports::device_names(cluster),
                                           .machine_gpus = cluster.devices(),
                                           .precision = std::string(name(question.sweep.space.precision)),
                                           .model_source = question.workload.graph.source,
                                           .machine_source = cluster.source,
                                           .version = std::string(kVersion),
                                           .parameters = graph::count(question.workload.graph).parameters,
                                           .settings = {},
                                           .counts = question.sweep.counts,
                                           .price_per_gpu_hour = {},
                                           .currency = {},
                                           .power_per_gpu_w = {},
                                           .measured_from = {},
                                           .measured_to = {},
                                           .assumptions = question.assumptions};
    for (const auto& [option, value] : settings_given(arguments)) {
        inputs.settings.push_back({option, value});
    }
    if (cluster.price) {
        inputs.price_per_gpu_hour = (cluster.price->device * unit::hour).in(Money::of_base(1));
        inputs.currency = cluster.price->currency;
    }
    if (question.power) {
        inputs.power_per_gpu_w = question.power->in(unit::watt);
    }
    if (const auto days = reports::measured_days(cluster)) {
        inputs.measured_from = days->first;
        inputs.measured_to = days->last;
    }
    return inputs;
}

questions::report::Report empty_report(const Arguments& arguments, const ReportQuestion& question) {
    questions::report::Report report{
        .inputs = report_inputs(arguments, question), .scalings = {}, .measured = {}, .measured_notes = {}, .best = {}};
    for (const search::Growth& growth : question.sweep.growths) {
        report.scalings.push_back(empty_scaling(question, growth));
    }
    return report;
}

}  // namespace dodona::cli
