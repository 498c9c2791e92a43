#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "questions/described.hpp"
#include "questions/validate/validate.hpp"
#include "reports/collect/comparison_tables.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::validate {

namespace {

using namespace reports;

constexpr std::size_t kMaxReasons = 25;

/// "2 of 3 runs predicted, 1 refused".
std::string comparison_headline(const std::string& table, const dodona::validate::Comparison& comparison) {
    const dodona::validate::Statistics& all = comparison.overall;
    std::string line =
        fmt::format("{}: {} of {} predicted", table, whole(all.rows), counted(all.rows + all.skipped, "run"));
    if (comparison.anchors > 0) {
        line += fmt::format(", {} used to adjust the frameworks of their groups", whole(comparison.anchors));
    }
    if (all.skipped > 0) {
        line += fmt::format(", {} refused", whole(all.skipped));
    }
    if (all.mape) {
        line += fmt::format("; mean error {}, median {}, bias {}", percent(*all.mape), percent(*all.median_ape),
                            signed_percent(*all.bias));
    }
    return line;
}

struct StatisticsColumn {
    Column column;
    Cell (*cell)(const dodona::validate::Statistics& line);
};

const std::vector<StatisticsColumn> kColumns{
    {{"group"}, [](const dodona::validate::Statistics& line) { return Cell(line.group); }},
    {{"runs", Align::right}, [](const dodona::validate::Statistics& line) { return Cell(Count{line.rows}); }},
    {{"refused", Align::right}, [](const dodona::validate::Statistics& line) { return Cell(Count{line.skipped}); }},
    {{"mean", Align::right}, [](const dodona::validate::Statistics& line) { return ratio(line.mape); }},
    {{"median", Align::right}, [](const dodona::validate::Statistics& line) { return ratio(line.median_ape); }},
    {{"bias", Align::right}, [](const dodona::validate::Statistics& line) { return signed_ratio(line.bias); }},
    {{"inside", Align::right}, [](const dodona::validate::Statistics& line) { return ratio(line.coverage); }},
    {{"p90", Align::right, true}, [](const dodona::validate::Statistics& line) { return ratio(line.p90); }},
    {{"pairs", Align::right, true}, [](const dodona::validate::Statistics& line) { return ratio(line.pair_accuracy); }},
    {{"regret", Align::right, true}, [](const dodona::validate::Statistics& line) { return ratio(line.top1_regret); }},
    {{"memory", Align::right, true}, [](const dodona::validate::Statistics& line) { return ratio(line.memory_mape); }},
};

Table error_table(const dodona::validate::Comparison& comparison) {
    std::vector<Column> columns;
    std::transform(kColumns.begin(), kColumns.end(), std::back_inserter(columns),
                   [](const auto& entry) { return entry.column; });
    Table table(columns);
    const auto add_line = [&](const dodona::validate::Statistics& line) {
        std::vector<Cell> cells;
        std::transform(kColumns.begin(), kColumns.end(), std::back_inserter(cells),
                       [&](const auto& entry) { return entry.cell(line); });
        table.row(cells);
    };
    for (const dodona::validate::Statistics& group : comparison.groups) {
        add_line(group);
    }
    add_line(comparison.overall);
    return table;
}

constexpr std::string_view kLegend =
    "error = predicted / measured - 1; mean and median are of its size, bias keeps its sign; inside: measured times in "
    "the interval";
constexpr std::string_view kDetailLegend =
    "pairs: plans for one job that are ordered as measured; regret: how much longer the plan predicted best took than "
    "the best; memory: mean size of the error of peak memory";

}  // namespace

Document document(const View& view, const dodona::validate::Comparison& comparison) {
    Document document = answer_document(comparison);
    add(document, Headline{comparison_headline(view.table, comparison)});
    add_section(document, {"Errors by group"},
                {error_table(comparison), Note{std::string(kLegend)}, Note{std::string(kDetailLegend), true}});
    if (Table parts = part_table(comparison); !parts.empty()) {
        add_section(document, {"Computation and communication apart"},
                    {std::move(parts), Note{"mean sizes of the errors"}});
    }
    add_section(document, {"Runs by what is known of them"}, {assumption_table(comparison.overall)});
    if (Table fits = fit_table(comparison.overall.fit); !fits.empty()) {
        const std::optional<double>& memory = comparison.overall.memory_mape;
        add_section(document, {"Memory"},
                    {std::move(fits),
                     Note{memory ? fmt::format("mean size of the error of peak memory: {}", percent(*memory)) : ""}});
    }
    add_section(document, {"Worst runs"}, {worst_runs(comparison, view.worst)});
    add_section(document, {"Refused"}, {refusal_table(comparison, kMaxReasons)});
    return document;
}

}  // namespace dodona::questions::validate
