#include "questions/report/measured.hpp"

#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "questions/report/charts.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::report {

namespace {

using namespace reports;

using RunsOnCount = std::vector<const ReportMeasured*>;

RunsOnCount runs_on(const std::vector<ReportMeasured>& runs, const std::string& strategy, std::int64_t devices) {
    RunsOnCount found;
    for (const ReportMeasured& run : runs) {
        if (run.strategy == strategy && run.devices == devices) {
            found.push_back(&run);
        }
    }
    return found;
}

double samples_per_second(const ReportMeasured& run, Seconds time) {
    return static_cast<double>(run.batch) / time.in(unit::second);
}

/// Predictions of the runs' own plans; the interval of a mean is not known.
Cell predicted_rate(const RunsOnCount& runs, const std::optional<double>& tokens) {
    const auto sum =
        sum_of<double>(runs, [](const ReportMeasured* run) { return samples_per_second(*run, run->predicted.value); });
    Cell cell(throughput_rate(sum / static_cast<double>(runs.size()), tokens));
    const Estimate& first = runs.front()->predicted;
    if (runs.size() == 1 && first.lo < first.hi && first.lo > Seconds{}) {
        cell.interval = Interval{throughput_rate(samples_per_second(*runs.front(), first.hi), tokens),
                                 throughput_rate(samples_per_second(*runs.front(), first.lo), tokens)};
    }
    return cell;
}

Series predicted_series(const std::vector<ReportMeasured>& runs, const std::string& strategy,
                        const std::vector<std::int64_t>& counts, const std::optional<double>& tokens) {
    Series series{.label = strategy};
    for (const std::int64_t count : counts) {
        const RunsOnCount there = runs_on(runs, strategy, count);
        series.points.push_back(there.empty() ? Cell() : predicted_rate(there, tokens));
    }
    return series;
}

Chart measured_chart(const Report& report) {
    std::set<std::int64_t> counts;
    std::set<std::string> strategies;
    for (const ReportMeasured& run : report.measured) {
        counts.insert(run.devices);
        strategies.insert(run.strategy);
    }
    const std::vector<std::int64_t> each(counts.begin(), counts.end());
    const std::optional<double> tokens = tokens_of_sample(report.scalings.front());
    Chart chart{.title = "Throughput as predicted, and as measured",
                .x_title = "GPUs",
                .logarithmic = true,
                .form = ChartForm::lines,
                .y_title = tokens ? "tokens/s" : "samples/s",
                .name = "measured"};
    for (const std::int64_t count : each) {
        chart.x.emplace_back(Count{count});
    }
    for (const std::string& strategy : strategies) {
        chart.series.push_back(predicted_series(report.measured, strategy, each, tokens));
    }
    for (const std::string& strategy : strategies) {
        chart.series.push_back(measured_series(report.measured, strategy, each, tokens));
    }
    return chart;
}

Table measured_table(const Report& report) {
    Table table({{"run"},
                 {"strategy"},
                 {"GPUs", Align::right},
                 {"batch", Align::right},
                 {"measured", Align::right},
                 {"predicted", Align::right},
                 {"error", Align::right}});
    for (const ReportMeasured& run : report.measured) {
        table.row({run.id, run.strategy, Count{run.devices}, Count{run.batch}, run.measured, run.predicted,
                   Percent{.ratio = run.predicted.value / run.measured - 1, .sign = true}});
    }
    return table;
}

std::string measured_summary(const Report& report) {
    double sum = 0;
    std::int64_t inside = 0;
    for (const ReportMeasured& run : report.measured) {
        sum += std::abs(run.predicted.value / run.measured - 1);
        inside += run.predicted.lo <= run.measured && run.measured <= run.predicted.hi ? 1 : 0;
    }
    const auto runs = static_cast<std::int64_t>(report.measured.size());
    return fmt::format("{}, each predicted with its own plan: mean error {}, {} inside the {} interval",
                       counted(runs, "run"), percent(sum / static_cast<double>(runs)), whole(inside),
                       percent(kIntervalLevel));
}

}  // namespace

std::vector<ReportMeasured> measured_of(const Report& report, const ReportScaling& scaling) {
    return filtered<ReportMeasured>(report.measured, [&](const ReportMeasured& run) {
        return run.batch == scaling.batch.value_or(scaling.batch_per_gpu * run.devices);
    });
}

Series measured_series(const std::vector<ReportMeasured>& runs, const std::string& strategy,
                       const std::vector<std::int64_t>& counts, const std::optional<double>& tokens_of_sample) {
    Series series{.label = strategy + ", measured", .stroke = Stroke::none, .like = strategy};
    for (const std::int64_t count : counts) {
        const RunsOnCount there = runs_on(runs, strategy, count);
        const auto sum =
            sum_of<double>(there, [](const ReportMeasured* run) { return samples_per_second(*run, run->measured); });
        series.points.push_back(
            there.empty() ? Cell() : Cell(throughput_rate(sum / static_cast<double>(there.size()), tokens_of_sample)));
    }
    return series;
}

void add_measured(Document& document, const Report& report) {
    std::vector<Block> blocks;
    if (!report.measured.empty()) {
        blocks.emplace_back(Paragraph{measured_summary(report)});
        if (Chart chart = measured_chart(report); chart.x.size() > 1) {
            blocks.emplace_back(std::move(chart));
        }
        blocks.emplace_back(measured_table(report));
    }
    blocks.emplace_back(List{report.measured_notes});
    add_section(document, {"Measured runs"}, std::move(blocks));
}

}  // namespace dodona::questions::report
