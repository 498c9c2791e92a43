#include "reports/render/chart_table.hpp"

#include "base/ranges.hpp"

namespace dodona::reports {

Table chart_table(const Chart& chart) {
    std::vector<Column> columns{{chart.x_title, Align::right}};
    for (const Series& series : chart.series) {
        columns.push_back({series.label, Align::right});
    }
    Table table(columns);
    for (std::size_t i = 0; i < chart.x.size(); ++i) {
        std::vector<Cell> cells{chart.x[i]};
        append(cells, chart.series, [&](const Series& series) { return series.points.at(i); });
        table.row(std::move(cells));
    }
    return table;
}

}  // namespace dodona::reports
