#include "reports/render/text_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "reports/document/component_colours.hpp"
#include "reports/document/number_format.hpp"
#include "reports/render/plot_axis.hpp"
#include "reports/render/terminal_colour.hpp"
#include "reports/render/text_layout.hpp"

namespace dodona::reports {

namespace {

constexpr std::string_view kPlotIndent = "  ";
constexpr std::size_t kPlotRows = 16;
constexpr std::size_t kWidestPlot = 110;

/// Neighbours look different without colour too.
constexpr std::array<std::string_view, 7> kSeriesMarks{"●", "▲", "■", "◆", "○", "△", "□"};
constexpr std::array<std::string_view, 8> kPartFills{"█", "▓", "▒", "░", "▚", "▤", "▞", "▥"};

/// Characters in rows and columns, each with a colour of the terminal; -1: none.
class Canvas {
public:
    Canvas(std::size_t rows, std::size_t columns) : columns_(columns), cells_(rows * columns, {" ", -1}) {}
    void put(std::size_t row, std::size_t column, std::string_view text, int colour) {
        cells_[row * columns_ + column] = {text, colour};
    }
    [[nodiscard]] bool is_free(std::size_t row, std::size_t column) const {
        return cells_[row * columns_ + column].first == " ";
    }
    [[nodiscard]] std::string line(std::size_t row, bool coloured_page) const {
        std::string all;
        std::size_t end = columns_;
        while (end > 0 && is_free(row, end - 1)) {
            --end;
        }
        for (std::size_t column = 0; column < end; ++column) {
            const auto& [text, colour] = cells_[row * columns_ + column];
            all += colour < 0 ? std::string(text) : coloured(coloured_page, colour, text);
        }
        return all;
    }

private:
    std::size_t columns_;
    std::vector<std::pair<std::string_view, int>> cells_;
};

std::string padded_left(const std::string& text, std::size_t width) {
    const std::size_t columns = display_columns(text);
    return std::string(width > columns ? width - columns : 0, ' ') + text;
}

/// "  ● data   ▲ zero1", in lines of the page's width.
std::string plot_legend(const std::vector<std::pair<std::string, std::string>>& entries, std::size_t width) {
    std::string all(kPlotIndent);
    std::size_t column = 0;
    for (const auto& [mark, label] : entries) {
        const std::size_t columns = display_columns(label) + 2;
        if (column > 0 && column + 3 + columns > width - kPlotIndent.size()) {
            all.append("\n").append(kPlotIndent);
            column = 0;
        } else if (column > 0) {
            all += "   ";
            column += 3;
        }
        all.append(mark).append(" ").append(label);
        column += columns;
    }
    return all + "\n";
}

/// The row of a value, 0 at the top; the column, 0 at the left.
std::size_t scaled(double place, std::size_t size) {
    return static_cast<std::size_t>(
        std::clamp(std::lround(place * static_cast<double>(size - 1)), 0L, static_cast<long>(size) - 1));
}

/// Labels below an axis, those that would touch their neighbour left out.
std::string axis_labels(const PlotAxis& axis, std::size_t columns, std::size_t indent) {
    std::string line(indent + columns + 8, ' ');
    std::size_t free = 0;
    for (const double tick : axis.ticks) {
        const std::string text = axis.tick_text(tick);
        const std::size_t centre = indent + scaled(axis.place(tick), columns);
        const std::size_t start = centre > text.size() / 2 ? centre - text.size() / 2 : 0;
        if (start >= free && start + text.size() <= line.size()) {
            line.replace(start, text.size(), text);
            free = start + text.size() + 1;
        }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

std::string lines_plot(const Chart& chart, const Page& page) {
    const PlotAxis y = y_axis(chart, 6);
    std::size_t margin = 0;
    for (const double tick : y.ticks) {
        margin = std::max(margin, display_columns(y.tick_text(tick)));
    }
    const std::size_t columns = std::min(page.width, kWidestPlot) - kPlotIndent.size() - margin - 2;
    const PlotAxis x = x_axis(chart, columns / 7);
    Canvas canvas(kPlotRows, columns);
    const std::vector<SeriesColour> colours = series_colours(chart);
    std::vector<std::pair<std::string, std::string>> legend;
    std::size_t marks = 0;
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
        const Series& series = chart.series[s];
        const std::string_view mark = series.stroke == Stroke::dashed ? "·"
                                      : !series.like.empty()          ? "×"
                                                                      : kSeriesMarks[marks++ % kSeriesMarks.size()];
        for (std::size_t i = 0; i < chart.x.size(); ++i) {
            const auto at = number_of(chart.x[i].value);
            const auto value = number_of(series.points[i].value);
            if (!at || !value || (y.logarithmic && *value <= 0)) {
                continue;
            }
            const std::size_t row = kPlotRows - 1 - scaled(y.place(*value), kPlotRows);
            const std::size_t column = scaled(x.place(*at), columns);
            if (series.stroke != Stroke::dashed || canvas.is_free(row, column)) {
                canvas.put(row, column, mark, colours[s].terminal);
            }
        }
        legend.emplace_back(coloured(page.colour, colours[s].terminal, mark), series.label);
    }
    std::string all = fmt::format("{}{} [{}]\n", kPlotIndent, chart.title, chart.y_title);
    for (std::size_t row = 0; row < kPlotRows; ++row) {
        std::string label;
        for (const double tick : y.ticks) {
            if (kPlotRows - 1 - scaled(y.place(tick), kPlotRows) == row) {
                label = y.tick_text(tick);
            }
        }
        std::string line = fmt::format("{}{} {}{}", kPlotIndent, padded_left(label, margin), label.empty() ? "│" : "┤",
                                       canvas.line(row, page.colour));
        all += line + "\n";
    }
    std::string rule;
    for (std::size_t i = 0; i < columns; ++i) {
        rule += "─";
    }
    all += fmt::format("{}{} └{}\n", kPlotIndent, std::string(margin, ' '), rule);
    all += axis_labels(x, columns, kPlotIndent.size() + margin + 2) + " " + chart.x_title + "\n";
    return all + plot_legend(legend, page.width);
}

std::string stacked_plot(const Chart& chart, const Page& page) {
    const PlotAxis y = y_axis(chart, 6);
    std::size_t margin = display_columns(chart.x_title);
    for (const Cell& cell : chart.x) {
        margin = std::max(margin, display_columns(text(cell)));
    }
    const std::size_t columns = std::min(page.width, kWidestPlot) - kPlotIndent.size() - margin - 3;
    const std::vector<SeriesColour> colours = series_colours(chart);
    std::string all =
        fmt::format("{}{} [{}]\n{}{}\n", kPlotIndent, chart.title, y.unit.name.empty() ? chart.y_title : y.unit.name,
                    kPlotIndent, padded_left(chart.x_title, margin));
    for (std::size_t i = 0; i < chart.x.size(); ++i) {
        Canvas canvas(1, columns + 1);
        double sum = 0;
        std::size_t from = 0;
        for (std::size_t s = 0; s < chart.series.size(); ++s) {
            sum += number_of(chart.series[s].points[i].value).value_or(0);
            const auto to = static_cast<std::size_t>(std::lround(y.place(sum) * static_cast<double>(columns)));
            for (; from < std::min(to, columns); ++from) {
                canvas.put(0, from, kPartFills[s % kPartFills.size()], colours[s].terminal);
            }
        }
        if (chart.level) {
            const double level = number_of(chart.level->value.value).value_or(0);
            canvas.put(
                0,
                std::min(static_cast<std::size_t>(std::lround(y.place(level) * static_cast<double>(columns))), columns),
                "│", -1);
        }
        all +=
            fmt::format("{}{} {}\n", kPlotIndent, padded_left(text(chart.x[i]), margin), canvas.line(0, page.colour));
    }
    all += axis_labels(y, columns, kPlotIndent.size() + margin + 1) + "\n";
    std::vector<std::pair<std::string, std::string>> legend;
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
        legend.emplace_back(coloured(page.colour, colours[s].terminal, kPartFills[s % kPartFills.size()]),
                            chart.series[s].label);
    }
    if (chart.level) {
        legend.emplace_back("│", fmt::format("{} {}", chart.level->label, text(chart.level->value)));
    }
    return all + plot_legend(legend, page.width);
}

}  // namespace

std::string text_plot(const Chart& chart, const Page& page) {
    return chart.form == ChartForm::stacked ? stacked_plot(chart, page) : lines_plot(chart, page);
}

std::string text_plot(const TimelineChart& chart, const Page& page) {
    std::size_t margin = 0;
    for (const std::string& row : chart.rows) {
        margin = std::max(margin, display_columns(row));
    }
    const std::size_t columns = std::min(page.width, kWidestPlot) - kPlotIndent.size() - margin - 2;
    const PlotAxis time = time_axis(chart.end, columns / 12);
    // In each character the component that takes most of it.
    std::vector<std::string> components;
    for (const TimelineBar& bar : chart.bars) {
        if (std::find(components.begin(), components.end(), bar.component) == components.end()) {
            components.push_back(bar.component);
        }
    }
    const double width = chart.end.in(unit::second) / static_cast<double>(columns);
    std::vector<std::vector<double>> share(chart.rows.size() * columns, std::vector<double>(components.size()));
    for (const TimelineBar& bar : chart.bars) {
        const auto which = static_cast<std::size_t>(std::find(components.begin(), components.end(), bar.component) -
                                                    components.begin());
        const double from = bar.start.in(unit::second) / width;
        const double to = (bar.start + bar.duration).in(unit::second) / width;
        for (auto column = static_cast<std::size_t>(from); column < columns && static_cast<double>(column) < to;
             ++column) {
            const auto left = static_cast<double>(column);
            share[bar.row * columns + column][which] += std::min(to, left + 1) - std::max(from, left);
        }
    }
    Canvas canvas(chart.rows.size(), columns);
    for (std::size_t row = 0; row < chart.rows.size(); ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
            const std::vector<double>& parts = share[row * columns + column];
            const auto most = std::max_element(parts.begin(), parts.end());
            const auto busy = sum_of<double>(parts, [](const double part) { return part; });
            if (busy >= 0.5) {
                const auto which = static_cast<std::size_t>(most - parts.begin());
                canvas.put(row, column, kPartFills[which % kPartFills.size()], colour_of(components[which]).terminal);
            }
        }
    }
    std::string all = fmt::format("{}{} [{}]\n", kPlotIndent, chart.title, time.unit.name);
    for (std::size_t row = 0; row < chart.rows.size(); ++row) {
        all +=
            fmt::format("{}{} {}\n", kPlotIndent, padded_left(chart.rows[row], margin), canvas.line(row, page.colour));
    }
    all += axis_labels(time, columns, kPlotIndent.size() + margin + 1) + "\n";
    std::vector<std::pair<std::string, std::string>> legend;
    for (std::size_t which = 0; which < components.size(); ++which) {
        legend.emplace_back(
            coloured(page.colour, colour_of(components[which]).terminal, kPartFills[which % kPartFills.size()]),
            components[which]);
    }
    return all + plot_legend(legend, page.width);
}

}  // namespace dodona::reports
