#include "reports/accuracy_page.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "reports/collect/comparison_tables.hpp"
#include "reports/render/json.hpp"
#include "reports/render/markdown.hpp"

namespace dodona::reports {

namespace {

constexpr std::size_t kWorst = 10;

constexpr std::string_view kHeading =
    "# How far predictions are off\n\n"
    "Measured runs against what is predicted of them, by group: runs that share source and conditions. error = "
    "predicted / measured - 1.\nmean, median and p90 are of its size, bias keeps its sign. inside: measured times in "
    "the 90 % interval; pairs: plans for one job (same\nmodel, machine, GPUs and batch) that are ordered as measured; "
    "regret: how much longer the plan predicted best took than the best;\nmemory: mean size of the error of peak "
    "memory.\n";

constexpr std::string_view kHow =
    "`dodona validate RUNS... --gate FILE` fails where a group gets worse than the page FILE records; `--record FILE` "
    "writes such a page.\n";

Table groups(const AccuracyPage& page, const validate::Comparison& comparison) {
    std::vector<Column> columns{{"group"},
                                {"runs", Align::right},
                                {"refused", Align::right},
                                {"mean", Align::right},
                                {"median", Align::right},
                                {"bias", Align::right},
                                {"p90", Align::right},
                                {"inside", Align::right},
                                {"pairs", Align::right},
                                {"regret", Align::right},
                                {"memory", Align::right}};
    append(columns, page.columns, &AccuracyPage::GroupColumn::column);
    Table table(columns);
    const auto add = [&](const validate::Statistics& line) {
        std::vector<Cell> cells{line.group,
                                Count{line.rows},
                                Count{line.skipped},
                                ratio(line.mape),
                                ratio(line.median_ape),
                                signed_ratio(line.bias),
                                ratio(line.p90),
                                ratio(line.coverage),
                                ratio(line.pair_accuracy),
                                ratio(line.top1_regret),
                                ratio(line.memory_mape)};
        for (const AccuracyPage::GroupColumn& more : page.columns) {
            const auto cell = more.cells.find(line.group);
            cells.emplace_back(cell == more.cells.end() ? "" : cell->second);
        }
        table.row(cells);
    };
    for (const validate::Statistics& group : comparison.groups) {
        add(group);
    }
    add(comparison.overall);
    return table;
}

std::string section(std::string_view title, const Table& table) {
    return table.empty() ? "" : fmt::format("\n## {}\n\n{}", title, markdown(table));
}

/// Rounded up, so that the figure itself passes.
std::string recorded(const std::optional<double>& value) {
    return value ? fmt::format("{:.4f}", std::ceil(*value * 1e4) / 1e4) : "";
}

std::string record(const validate::Comparison& comparison) {
    std::string text =
        "\n## Record\n\nWhat `--gate` compares with: runs predicted and mean errors, as fractions. A group may be a "
        "tenth of a point worse.\n\n```yaml\nrecorded: mean errors by group\ngroups:\n";
    for (const validate::Statistics& group : comparison.groups) {
        text += fmt::format("  {}: {{rows: {}", json_line(group.group), group.rows);
        text += group.mape ? ", mape: " + recorded(group.mape) : "";
        text += group.memory_mape ? ", memory_mape: " + recorded(group.memory_mape) : "";
        text += "}\n";
    }
    return text + "```\n";
}

}  // namespace

std::string accuracy_page(const AccuracyPage& page, const validate::Comparison& comparison) {
    std::string text = std::string(kHeading) + page.about + "\nTables: ";
    for (std::size_t i = 0; i < page.tables.size(); ++i) {
        text += fmt::format("{}`{}`", i == 0 ? "" : ", ", page.tables[i]);
    }
    text += ".\n\n" + std::string(kHow) + page.how + "\n## Groups\n\n" + markdown(groups(page, comparison));
    text += page.after_groups;
    text += section("Does it fit?", fit_table(comparison.overall.fit));
    text += section("Runs by what is known of them", assumption_table(comparison.overall));
    text += section("Worst runs", worst_runs(comparison, kWorst));
    text += section("Refused", refusal_table(comparison, comparison.rows.size()));
    return text + page.before_record + record(comparison);
}

}  // namespace dodona::reports
