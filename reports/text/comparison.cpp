#include "reports/text/comparison.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/figures.hpp"
#include "reports/table.hpp"
#include "reports/text/section.hpp"

namespace dodona::reports {

namespace {

constexpr std::size_t kMostReasons = 25;

std::string whole(std::int64_t count) { return reports::whole(static_cast<double>(count)); }
std::string ratio(const std::optional<double>& value) { return value ? percent(*value) : ""; }
std::string signed_ratio(const std::optional<double>& value) {
    return value ? (*value > 0 ? "+" : "") + percent(*value) : "";
}

/// "2 of 3 runs predicted, 1 refused".
std::string headline(const std::string& table, const validate::Comparison& comparison) {
    const validate::Statistics& all = comparison.overall;
    std::string line =
        fmt::format("{}: {} of {} predicted", table, whole(all.rows), counted(all.rows + all.skipped, "run"));
    if (all.skipped > 0) {
        line += fmt::format(", {} refused", whole(all.skipped));
    }
    if (all.mape) {
        line += fmt::format("; mean error {}, median {}, bias {}", percent(*all.mape), percent(*all.median_ape),
                            signed_ratio(all.bias));
    }
    return line;
}

struct StatisticsColumn {
    Column column;
    std::string (*cell)(const validate::Statistics& line);
};

/// The first seven are for a terminal.
const std::vector<StatisticsColumn> kColumns{
    {{"group"}, [](const validate::Statistics& line) { return line.group; }},
    {{"runs", Align::right}, [](const validate::Statistics& line) { return whole(line.rows); }},
    {{"refused", Align::right}, [](const validate::Statistics& line) { return whole(line.skipped); }},
    {{"mean", Align::right}, [](const validate::Statistics& line) { return ratio(line.mape); }},
    {{"median", Align::right}, [](const validate::Statistics& line) { return ratio(line.median_ape); }},
    {{"bias", Align::right}, [](const validate::Statistics& line) { return signed_ratio(line.bias); }},
    {{"inside", Align::right}, [](const validate::Statistics& line) { return ratio(line.coverage); }},
    {{"p90", Align::right}, [](const validate::Statistics& line) { return ratio(line.p90); }},
    {{"pairs", Align::right}, [](const validate::Statistics& line) { return ratio(line.pair_accuracy); }},
    {{"regret", Align::right}, [](const validate::Statistics& line) { return ratio(line.top1_regret); }},
    {{"memory", Align::right}, [](const validate::Statistics& line) { return ratio(line.memory_mape); }},
};
constexpr std::ptrdiff_t kTerminalColumns = 7;

Table errors(const validate::Comparison& comparison, std::ptrdiff_t most) {
    const auto end = kColumns.begin() + most;
    std::vector<Column> columns;
    std::transform(kColumns.begin(), end, std::back_inserter(columns), [](const auto& entry) { return entry.column; });
    Table table(columns);
    const auto add = [&](const validate::Statistics& line) {
        std::vector<std::string> cells;
        std::transform(kColumns.begin(), end, std::back_inserter(cells),
                       [&](const auto& entry) { return entry.cell(line); });
        table.row(cells);
    };
    for (const validate::Statistics& group : comparison.groups) {
        add(group);
    }
    add(comparison.overall);
    return table;
}

/// Reasons with their runs, the most frequent first.
std::vector<std::pair<std::string, std::int64_t>> reasons(const validate::Comparison& comparison) {
    std::vector<std::pair<std::string, std::int64_t>> found;
    for (const validate::RunResult& row : comparison.rows) {
        if (row.refusal.empty()) {
            continue;
        }
        const auto known =
            std::find_if(found.begin(), found.end(), [&](const auto& entry) { return entry.first == row.refusal; });
        if (known == found.end()) {
            found.emplace_back(row.refusal, 1);
        } else {
            ++known->second;
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return found;
}

Table refusals(const std::vector<std::pair<std::string, std::int64_t>>& reasons, std::size_t most) {
    Table table({{"runs", Align::right}, {"refused because"}});
    for (std::size_t i = 0; i < std::min(most, reasons.size()); ++i) {
        table.row({whole(reasons[i].second), reasons[i].first});
    }
    return table;
}

constexpr std::string_view kLegend =
    "error = predicted / measured - 1; mean and median are of its size, bias keeps its sign; inside: measured times in "
    "the interval";
constexpr std::string_view kLongLegend =
    "; pairs: plans for one job that are ordered as measured; regret: how much longer the plan predicted best took "
    "than "
    "the best; memory: mean size of the error of peak memory";

}  // namespace

std::string comparison_text(const std::string& table, const validate::Comparison& comparison, Style style) {
    std::string text = painted(style, Paint::bold, headline(table, comparison)) + "\n";
    text += heading(style, "Errors by group") + errors(comparison, kTerminalColumns).to_text(style);
    text += "  " + wrapped(kLegend, kTextWidth - 2, "  ") + "\n";
    const auto found = reasons(comparison);
    if (!found.empty()) {
        text += heading(style, "Refused") + refusals(found, kMostReasons).to_text(style);
        if (found.size() > kMostReasons) {
            text += fmt::format("  and {} more reasons; --format csv has every run\n", found.size() - kMostReasons);
        }
    }
    return text;
}

std::string comparison_markdown(const std::string& table, const validate::Comparison& comparison) {
    std::string text = headline(table, comparison) + "\n\n" + errors(comparison, std::ssize(kColumns)).to_markdown();
    text += "\n" + std::string(kLegend) + std::string(kLongLegend) + "\n";
    const auto found = reasons(comparison);
    if (!found.empty()) {
        text += "\n" + refusals(found, found.size()).to_markdown();
    }
    return text;
}

}  // namespace dodona::reports
