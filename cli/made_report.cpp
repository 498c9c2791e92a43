#include "cli/made_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "cli/explain.hpp"
#include "cli/interrupt.hpp"
#include "cli/measured_runs.hpp"
#include "cli/note.hpp"
#include "cli/progress.hpp"
#include "cli/report_file.hpp"
#include "play/simulated_step.hpp"
#include "questions/report/analysis.hpp"
#include "questions/report/parts.hpp"
#include "search/crossover_search.hpp"
#include "search/sensitivity.hpp"

namespace dodona::cli {

namespace {

/// Looks at the recommended plan in detail: searched once more, played, and varied.
std::optional<questions::report::ReportBest> best_of(const ReportQuestion& question,
                                                     const questions::report::Report& report) {
    const auto placed = questions::report::recommended(report.scalings.front());
    if (!placed) {
        return std::nullopt;
    }
    const graph::Graph& graph = question.workload.graph;
    const cluster::Cluster& cluster = question.workload.cluster;
    search::Space space = question.sweep.space;
    const search::ScalingPoint point =
        search::scaling_point(graph, cluster, space, space.strategies, placed->point->devices, placed->point->batch);
    questions::report::ReportBest best = questions::report::report_best(*point.best);
    best.timeline = questions::report::report_timeline(play::simulate_step(graph, cluster, point.best->plan));
    search::Explanation explanation = search::sensitivity(graph, cluster, *point.best);
    if (question.explains && !interrupted()) {
        space.devices = placed->point->devices;
        space.batch = placed->point->batch;
        space.top = search::kCompetitors;
        search::Answer answer = search::search(graph, cluster, space);
        explain({graph, cluster, space}, answer);
        if (answer.explanation) {
            best.sensitivity = questions::report::report_sensitivity(*answer.explanation, answer.plans.front());
            return best;
        }
    }
    best.sensitivity = questions::report::report_sensitivity(explanation, *point.best);
    return best;
}

using Points = std::vector<questions::report::ReportPoint>;

/// Where the points of a key stand.
const Points& points_of(const questions::report::Report& report, const search::SweepKey& key) {
    const questions::report::ReportScaling& scaling = report.scalings.at(key.growth);
    return key.strategy < scaling.strategies.size() ? scaling.strategies[key.strategy].points : scaling.answers;
}

std::vector<search::SweepKey> missing_points(const ReportQuestion& question, const questions::report::Report& report) {
    return filtered<search::SweepKey>(search::keys(question.sweep), [&](const search::SweepKey& key) {
        return questions::report::point_on(points_of(report, key), key.devices) == nullptr;
    });
}

/// Computes one of the points that were finished before once more: models, machines and strategies are files that may have
/// changed since.
void check_a_finished_point(Arguments& arguments, const ReportQuestion& question, const std::string& file,
                            const questions::report::Report& report) {
    for (const search::SweepKey& key : search::keys(question.sweep)) {
        const questions::report::ReportPoint* known = questions::report::point_on(points_of(report, key), key.devices);
        if (known == nullptr || !known->plan) {
            continue;
        }
        const search::ScalingPoint now =
            search::scaling_point(question.workload.graph, question.workload.cluster, question.sweep.space,
                                  search::strategies_of(question.sweep.space, key), known->devices, known->batch);
        if (!now.best || now.best->step.value != known->plan->step.value) {
            arguments.fault("--resume",
                            fmt::format("the time of {} on {} GPUs in {} is not what is computed now", known->strategy,
                                        known->devices, as_typed(file)),
                            "a model, machine or strategy has changed since: leave --resume out to write it anew");
        }
        return;
    }
}

}  // namespace

void put_point(questions::report::Report& report, const search::SweepKey& key,
               const questions::report::ReportPoint& found) {
    const auto put = [&](Points& points) {
        const auto place = std::lower_bound(
            points.begin(), points.end(), key.devices,
            [](const questions::report::ReportPoint& point, std::int64_t n) { return point.devices < n; });
        points.insert(place, found);
    };
    questions::report::ReportScaling& scaling = report.scalings.at(key.growth);
    const bool is_of_one = key.strategy < scaling.strategies.size();
    if (is_of_one) {
        put(scaling.strategies[key.strategy].points);
    }
    if (!is_of_one || scaling.strategies.size() == 1) {
        put(scaling.answers);
    }
}

bool computed_here(const ReportQuestion& question, const std::vector<search::SweepKey>& asked,
                   questions::report::Report& report) {
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
        put_point(report, found.key,
                  questions::report::report_point(found.point, search::strategies_of(question.sweep.space, found.key)));
    }
    return sweep.complete;
}

questions::report::Report made_report(Arguments& arguments, const Output& output, const PointSource& points) {
    const bool resumes = arguments.has("--resume");
    if (resumes && output.file.empty()) {
        arguments.fault("--resume", "which file has the points that were finished?",
                        "name it: -o report.json or -o report.html");
    }
    const ReportQuestion question = read_report_question(arguments, output);
    questions::report::Report report = empty_report(arguments, question);
    if (resumes) {
        take_finished_points(arguments, output.file, report);
        check_a_finished_point(arguments, question, output.file, report);
        arguments.throw_if_faults();
    }
    read_measured(arguments, question.workload.subject.model, question.workload.subject.machine, report);
    arguments.throw_if_faults();
    report.complete = points(question, missing_points(question, report), report);
    if (!interrupted()) {
        report.best = best_of(question, report);
    }
    return report;
}

}  // namespace dodona::cli
