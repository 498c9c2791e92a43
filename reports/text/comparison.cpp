#include "reports/text/comparison.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "reports/figures.hpp"
#include "reports/table.hpp"
#include "reports/text/run_tables.hpp"
#include "reports/text/section.hpp"

namespace dodona::reports {

namespace {

constexpr std::size_t kMostReasons = 25;

std::string whole_text(std::int64_t count) { return reports::whole(static_cast<double>(count)); }

/// "2 of 3 runs predicted, 1 refused".
std::string headline(const std::string& table, const validate::Comparison& comparison) {
    const validate::Statistics& all = comparison.overall;
    std::string line =
        fmt::format("{}: {} of {} predicted", table, whole_text(all.rows), counted(all.rows + all.skipped, "run"));
    if (all.skipped > 0) {
        line += fmt::format(", {} refused", whole_text(all.skipped));
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
    {{"runs", Align::right}, [](const validate::Statistics& line) { return whole_text(line.rows); }},
    {{"refused", Align::right}, [](const validate::Statistics& line) { return whole_text(line.skipped); }},
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

constexpr std::string_view kLegend =
    "error = predicted / measured - 1; mean and median are of its size, bias keeps its sign; inside: measured times in "
    "the interval";
constexpr std::string_view kLongLegend =
    "; pairs: plans for one job that are ordered as measured; regret: how much longer the plan predicted best took "
    "than "
    "the best; memory: mean size of the error of peak memory";

constexpr std::string_view kWorstTitle = "Worst runs";
constexpr std::string_view kParts = "Computation and communication apart";
constexpr std::string_view kAssumptions = "Runs by what is known of them";
constexpr std::string_view kMemory = "Memory";
constexpr std::string_view kRefused = "Refused";

struct ComparisonSection {
    std::string_view title;
    Table table;
    std::string more = {};  ///< below the table
};

/// In the order in which they are shown; empty ones are left out.
std::vector<ComparisonSection> sections(const ComparisonView& view, const validate::Comparison& comparison,
                                        std::size_t most_reasons) {
    std::vector<ComparisonSection> all;
    all.push_back({kParts, part_table(comparison), "sizes of errors, means"});
    all.push_back({kAssumptions, assumption_table(comparison.overall)});
    const std::optional<double>& memory = comparison.overall.memory_mape;
    all.push_back({kMemory, fit_table(comparison.overall.fit),
                   memory ? fmt::format("mean size of the error of peak memory: {}", percent(*memory)) : ""});
    all.push_back({kWorstTitle, worst_runs(comparison, view.worst)});
    all.push_back({kRefused, refusal_table(comparison, most_reasons)});
    std::erase_if(all, [](const ComparisonSection& section) { return section.table.empty(); });
    return all;
}

}  // namespace

std::string comparison_text(const ComparisonView& view, const validate::Comparison& comparison) {
    std::string text = painted(view.style, Paint::bold, headline(view.table, comparison)) + "\n";
    text += heading(view.style, "Errors by group") + errors(comparison, kTerminalColumns).to_text(view.style);
    text += "  " + wrapped(kLegend, kTextWidth - 2, "  ") + "\n";
    for (const ComparisonSection& section : sections(view, comparison, kMostReasons)) {
        text += heading(view.style, section.title) + section.table.to_text(view.style);
        text += section.more.empty() ? "" : fmt::format("  {}\n", section.more);
    }
    return text;
}

std::string comparison_markdown(const ComparisonView& view, const validate::Comparison& comparison) {
    std::string text =
        headline(view.table, comparison) + "\n\n" + errors(comparison, std::ssize(kColumns)).to_markdown();
    text += "\n" + std::string(kLegend) + std::string(kLongLegend) + "\n";
    for (const ComparisonSection& section : sections(view, comparison, comparison.rows.size())) {
        text += fmt::format("\n### {}\n\n{}", section.title, section.table.to_markdown());
        text += section.more.empty() ? "" : fmt::format("\n{}\n", section.more);
    }
    return text;
}

}  // namespace dodona::reports
