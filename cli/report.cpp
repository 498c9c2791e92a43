#include "cli/report.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/whole_file.hpp"
#include "build_config.hpp"
#include "cli/asking_part.hpp"
#include "cli/chart_scripts.hpp"
#include "cli/device_counts.hpp"
#include "cli/exit_code.hpp"
#include "cli/explain.hpp"
#include "cli/files.hpp"
#include "cli/goals.hpp"
#include "cli/growth.hpp"
#include "cli/interrupt.hpp"
#include "cli/job_space.hpp"
#include "cli/measured_runs.hpp"
#include "cli/note.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/report_file.hpp"
#include "cli/workload.hpp"
#include "play/simulated_step.hpp"
#include "reports/collect/machine_kernels.hpp"
#include "reports/collect/machine_report.hpp"
#include "reports/collect/report_analysis.hpp"
#include "reports/collect/report_document.hpp"
#include "reports/collect/report_of.hpp"
#include "search/crossover_search.hpp"
#include "search/sensitivity.hpp"
#include "search/sweep.hpp"

namespace dodona::cli {

namespace {

std::vector<Option> question_options() {
    std::vector<Option> all = workload_options();
    for (Option& option : all) {
        if (option.long_name() == "--gpus") {
            option.value = "A..B|N,N,...";
            option.description =
                "powers of two and whole nodes from A to B; A..B:8 every 8; or\n"
                "those listed; default: 1 to all that the machine has";
        }
    }
    add_growth_options(all);
    for (Option& option : job_space_options(true)) {
        if (option.long_name() == "--strategy") {
            option.old_name = "--strategies";
        }
        all.push_back(std::move(option));
    }
    for (Option& option : goal_options()) {
        if (option.long_name() == "--price") {
            all.push_back(std::move(option));
        }
    }
    all.push_back({.names = "--power",
                   .value = "P",
                   .description = "of one GPU while it trains, such as 700W: the energy of plans",
                   .group = "Goals"});
    for (Option& option : measured_options()) {
        all.push_back(std::move(option));
    }
    return all;
}

std::vector<Option> report_command_options() {
    std::vector<Option> all = question_options();
    all.push_back({.names = "--from",
                   .value = "FILE",
                   .description = "show this report again, of an earlier -o FILE.json or FILE.html",
                   .group = "Output"});
    all.push_back({.names = "--resume",
                   .value = "",
                   .description = "compute only what the file of -o does not have yet",
                   .group = "Output"});
    all.push_back({.names = "--interactive",
                   .value = "",
                   .description = "an HTML page in which its reader asks again, with other GPUs, another batch,\n"
                                  "a pinned axis or another bandwidth: the search is in it (about 2 MB)",
                   .group = "Output"});
    all.push_back(explain_option("at which value of each parameter another plan is better\n(several searches)"));
    for (Option& option : output_options()) {
        all.push_back(std::move(option));
    }
    return all;
}

/// The question of a report, as the oracle takes it.
struct ReportQuestion {
    Workload workload;
    search::SweepQuestion sweep;
    std::optional<Power> power;
    std::vector<std::string> assumptions;
    bool explains = false;
};

std::vector<search::Growth> growths_of(Arguments& arguments, const Workload& workload,
                                       std::vector<std::string>& assumptions) {
    const search::Growth usual = usual_growth(workload);
    const auto batch = arguments.count("--batch");
    const auto each = arguments.count("--batch-per-gpu");
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

ReportQuestion read_question(Arguments& arguments, const Output& output) {
    const DeviceCounts counts = read_device_counts(arguments);
    const GoalSettings goals = read_goals(arguments);
    ReportQuestion question{.workload = {}, .sweep = {}, .power = arguments.power("--power"), .assumptions = {}};
    question.explains = read_explain(arguments, output);
    std::vector<Workload> workloads{read_workload(arguments)};
    set_prices(arguments, goals, workloads);
    question.workload = std::move(workloads.front());
    question.sweep.counts = counts_on(arguments, counts, question.workload.cluster);
    question.sweep.growths = growths_of(arguments, question.workload, question.assumptions);
    arguments.throw_if_faults();
    question.sweep.space = job_space(arguments, question.workload);
    arguments.throw_if_faults();
    const plan::Framework& framework = question.sweep.space.framework;
    if (!arguments.has("--framework")) {
        question.assumptions.push_back(
            fmt::format("software: {}", framework.name.empty() ? "bare kernels and links" : framework.label()));
    }
    if (!arguments.has("--optimizer")) {
        question.assumptions.push_back(fmt::format("optimizer {}", plan::name(question.sweep.space.optimizer)));
    }
    return question;
}

reports::ReportInputs inputs_of(const Arguments& arguments, const ReportQuestion& question) {
    const cluster::Cluster& cluster = question.workload.cluster;
    reports::ReportInputs inputs{.model = question.workload.model,
                                 .machine = question.workload.machine,
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

/// The strategies of a growth, without points.
reports::ReportScaling empty_scaling(const ReportQuestion& question, const search::Growth& growth) {
    reports::ReportScaling scaling{.batch = growth.batch, .batch_per_gpu = growth.samples_per_device, .strategies = {}};
    for (const plan::Strategy& strategy : question.sweep.space.strategies) {
        search::Space one = question.sweep.space;
        one.strategies = {strategy};
        scaling.strategies.push_back(reports::report_strategy(
            search::reach_of(question.workload.graph, question.workload.cluster, one, growth)));
    }
    return scaling;
}

search::Sweep sweep_with_progress(const ReportQuestion& question, const std::vector<search::SweepKey>& asked) {
    listen_for_interrupt();
    ProgressLine line("points");
    search::Sweep sweep = search::sweep(question.workload.graph, question.workload.cluster, question.sweep, asked,
                                        [&](std::int64_t seen, std::int64_t all) {
                                            line.show(seen, all);
                                            return !interrupted();
                                        });
    line.clear();
    if (!sweep.complete) {
        note("stopped; {} of {} points are in the report", sweep.points.size(), asked.size());
    }
    return sweep;
}

void put(reports::Report& report, const search::SweepPoint& found) {
    reports::ReportStrategy& strategy = report.scalings.at(found.key.growth).strategies.at(found.key.strategy);
    const auto place =
        std::lower_bound(strategy.points.begin(), strategy.points.end(), found.key.devices,
                         [](const reports::ReportPoint& point, std::int64_t n) { return point.devices < n; });
    strategy.points.insert(place, reports::report_point(found.point, strategy.name));
}

/// Looks at the recommended plan in detail: searched once more, played, and varied.
std::optional<reports::ReportBest> best_of(const ReportQuestion& question, const reports::Report& report) {
    const auto placed = reports::recommended(report.scalings.front());
    if (!placed) {
        return std::nullopt;
    }
    const graph::Graph& graph = question.workload.graph;
    const cluster::Cluster& cluster = question.workload.cluster;
    search::Space space = question.sweep.space;
    const auto strategy = std::find_if(space.strategies.begin(), space.strategies.end(),
                                       [&](const plan::Strategy& one) { return one.name == placed->strategy->name; });
    const search::ScalingPoint point =
        search::scaling_point(graph, cluster, space, *strategy, placed->point->devices, placed->point->batch);
    reports::ReportBest best = reports::report_best(*point.best);
    best.timeline = reports::report_timeline(play::simulate_step(graph, cluster, point.best->plan));
    search::Explanation explanation = search::sensitivity(graph, cluster, *point.best);
    if (question.explains && !interrupted()) {
        space.devices = placed->point->devices;
        space.batch = placed->point->batch;
        space.top = search::kCompetitors;
        search::Answer answer = search::search(graph, cluster, space);
        explain({graph, cluster, space}, answer);
        if (answer.explanation) {
            best.sensitivity = reports::report_sensitivity(*answer.explanation, answer.plans.front());
            return best;
        }
    }
    best.sensitivity = reports::report_sensitivity(explanation, *point.best);
    return best;
}

std::vector<search::SweepKey> missing_points(const ReportQuestion& question, const reports::Report& report) {
    std::vector<search::SweepKey> missing;
    for (const search::SweepKey& key : search::keys(question.sweep)) {
        const reports::ReportStrategy& strategy = report.scalings[key.growth].strategies[key.strategy];
        if (reports::point_on(strategy, key.devices) == nullptr) {
            missing.push_back(key);
        }
    }
    return missing;
}

/// Computes one of the points that were finished before once more: models, machines and strategies are files that may have
/// changed since.
void check_a_finished_point(Arguments& arguments, const ReportQuestion& question, const std::string& file,
                            const reports::Report& report) {
    for (const search::SweepKey& key : search::keys(question.sweep)) {
        const reports::ReportStrategy& strategy = report.scalings[key.growth].strategies[key.strategy];
        const reports::ReportPoint* known = reports::point_on(strategy, key.devices);
        if (known == nullptr || !known->plan) {
            continue;
        }
        const search::ScalingPoint now =
            search::scaling_point(question.workload.graph, question.workload.cluster, question.sweep.space,
                                  question.sweep.space.strategies[key.strategy], known->devices, known->batch);
        if (!now.best || now.best->step.value != known->plan->step.value) {
            arguments.fault("--resume",
                            fmt::format("the time of {} on {} GPUs in {} is not what is computed now", strategy.name,
                                        known->devices, as_typed(file)),
                            "a model, machine or strategy has changed since: leave --resume out to write it anew");
        }
        return;
    }
}

reports::Report made(Arguments& arguments, const Output& output) {
    const bool resumes = arguments.has("--resume");
    if (resumes && output.file.empty()) {
        arguments.fault("--resume", "which file has the points that were finished?",
                        "name it: -o report.json or -o report.html");
    }
    const ReportQuestion question = read_question(arguments, output);
    reports::Report report{
        .inputs = inputs_of(arguments, question), .scalings = {}, .measured = {}, .measured_notes = {}, .best = {}};
    for (const search::Growth& growth : question.sweep.growths) {
        report.scalings.push_back(empty_scaling(question, growth));
    }
    if (resumes) {
        take_finished_points(arguments, output.file, report);
        check_a_finished_point(arguments, question, output.file, report);
        arguments.throw_if_faults();
    }
    read_measured(arguments, question.workload.model, question.workload.machine, report);
    arguments.throw_if_faults();
    const search::Sweep sweep = sweep_with_progress(question, missing_points(question, report));
    for (const search::SweepPoint& point : sweep.points) {
        put(report, point);
    }
    report.complete = sweep.complete;
    if (!interrupted()) {
        report.best = best_of(question, report);
    }
    return report;
}

/// The report of --from, which no other option changes.
reports::Report shown_again(Arguments& arguments, const std::string& file) {
    for (const Option& option : question_options()) {
        if (arguments.has(option.long_name())) {
            arguments.fault(option.long_name(), "--from shows a report as it was made", "leave one of them out");
        }
    }
    for (const char* option : {"MODEL", "--resume", "--explain"}) {
        if (arguments.has(option)) {
            arguments.fault(option, "--from shows a report as it was made", "leave one of them out");
        }
    }
    arguments.throw_if_faults();
    return load_report(file);
}

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Of all that a question may name, only a model and a machine are taken into a page. Throws InputError.
void refuse_files(Arguments& arguments, const Settings& given) {
    for (const auto& [option, value] : given) {
        for (const std::string& part : between_commas(value)) {
            std::error_code ignored;
            if (std::filesystem::is_regular_file(part, ignored)) {
                arguments.fault("--interactive",
                                fmt::format("the page cannot read {}, which {} names", as_typed(part), option),
                                "leave one of the two out");
            }
        }
    }
    arguments.throw_if_faults();
}

/// What --interactive opens with: the recommended plan's question, in the words of the report.
AskingOpening opening_of(Arguments& arguments, const reports::Report& report) {
    const reports::ReportInputs& inputs = report.inputs;
    AskingOpening opening;
    set_model(opening, taken_as(arguments, files::NameOf::model, inputs.model));
    set_machine(opening, taken_as(arguments, files::NameOf::cluster, inputs.machine));
    if (const auto best = reports::recommended(report.scalings.front())) {
        opening.question["gpus"] = best->point->devices;
        opening.question["batch"] = best->point->batch;
    } else {
        opening.question["gpus"] = inputs.counts.back();
    }
    Settings given;
    for (const reports::ReportSetting& setting : inputs.settings) {
        given.emplace_back(setting.option, setting.value);
    }
    refuse_files(arguments, given);
    opening.question["options"] = asked_options(given);
    return opening;
}

/// Before anything is computed: whether there can be such a page.
void check_interactive(Arguments& arguments, const Output& output) {
    if (!arguments.has("--interactive")) {
        return;
    }
    if (output.renderer->name != "html") {
        arguments.fault("--interactive", fmt::format("{} has no reader who asks", output.renderer->name),
                        "write a page: -o report.html");
    }
    refuse_files(arguments, settings_given(arguments));
    require_module();
}

int run_report(Arguments& arguments) {
    Output output = read_output(arguments);
    require_chart_scripts(output);
    check_interactive(arguments, output);
    const auto from = arguments.text("--from");
    const reports::Report report = from ? shown_again(arguments, *from) : made(arguments, output);
    if (arguments.has("--interactive")) {
        output.page.asking = asking_part(opening_of(arguments, report), true);
    }
    write_report(output, report);
    return interrupted() ? kInterrupted : reports::recommended(report.scalings.front()) ? kAnswered : kNo;
}

}  // namespace

Command report_command() {
    return {.name = "report",
            .summary = "a page about a model on more and more GPUs: what to use, how it scales, and why",
            .usage = "--machine M",
            .positionals = {{.name = "MODEL",
                             .description = "a built-in model or a file",
                             .required = false,
                             .completes = Names::models}},
            .options = report_command_options(),
            .examples =
                "Each strategy's fastest plan is searched on each number of GPUs. With both --batch and\n"
                "--batch-per-gpu the report has strong and weak scaling; the recommendation is of the first.\n"
                "Ctrl-C writes what is finished; --resume goes on.\n\n"
                "Examples:\n"
                "  dodona report resnet50 --machine abci --gpus 1..1024\n"
                "  dodona report gpt3-175b --machine selene --gpus 64..4096 --batch 1536 -o gpt3.md\n"
                "  dodona report llama-3.1-405b --machine dgx-h100 --gpus 512,1024,2048 -o llama.json\n"
                "  dodona report --from llama.json -o llama.md",
            .run = run_report};
}

}  // namespace dodona::cli
