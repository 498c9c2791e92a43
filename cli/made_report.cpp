#include "cli/made_report.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/explain.hpp"
#include "cli/interrupt.hpp"
#include "cli/measured_runs.hpp"
#include "cli/note.hpp"
#include "cli/progress.hpp"
#include "cli/report_file.hpp"
#include "play/simulated_step.hpp"
#include "reports/collect/report_analysis.hpp"
#include "reports/collect/report_of.hpp"
#include "search/crossover_search.hpp"
#include "search/sensitivity.hpp"

namespace dodona::cli {

namespace {

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

}  // namespace

void put_point(reports::Report& report, const search::SweepKey& key, reports::ReportPoint found) {
    reports::ReportStrategy& strategy = report.scalings.at(key.growth).strategies.at(key.strategy);
    const auto place =
        std::lower_bound(strategy.points.begin(), strategy.points.end(), key.devices,
                         [](const reports::ReportPoint& point, std::int64_t n) { return point.devices < n; });
    strategy.points.insert(place, std::move(found));
}

bool computed_here(const ReportQuestion& question, const std::vector<search::SweepKey>& asked,
                   reports::Report& report) {
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
    for (const search::SweepPoint& found : sweep.points) {
        const std::string& strategy = question.sweep.space.strategies.at(found.key.strategy).name;
        put_point(report, found.key, reports::report_point(found.point, strategy));
    }
    return sweep.complete;
}

reports::Report made_report(Arguments& arguments, const Output& output, const PointSource& points) {
    const bool resumes = arguments.has("--resume");
    if (resumes && output.file.empty()) {
        arguments.fault("--resume", "which file has the points that were finished?",
                        "name it: -o report.json or -o report.html");
    }
    const ReportQuestion question = read_report_question(arguments, output);
    reports::Report report = empty_report(arguments, question);
    if (resumes) {
        take_finished_points(arguments, output.file, report);
        check_a_finished_point(arguments, question, output.file, report);
        arguments.throw_if_faults();
    }
    read_measured(arguments, question.workload.model, question.workload.machine, report);
    arguments.throw_if_faults();
    report.complete = points(question, missing_points(question, report), report);
    if (!interrupted()) {
        report.best = best_of(question, report);
    }
    return report;
}

}  // namespace dodona::cli
