#include "reports/render/svg.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "reports/document/component_colours.hpp"
#include "reports/document/number_format.hpp"
#include "reports/render/plot_axis.hpp"
#include "reports/render/text_layout.hpp"

namespace dodona::reports {

namespace {

constexpr double kWidth = 760;
constexpr double kLeft = 64;
constexpr double kRight = 20;
constexpr double kTop = 34;
constexpr double kPlotHeight = 270;
constexpr double kLegendLine = 18;
constexpr double kLetter = 6.4;  ///< mean width of a letter of the legend

/// Pixels of a plot's inner rectangle.
struct PlotArea {
    double left = kLeft;
    double right = kWidth - kRight;
    double top = kTop;
    double bottom = kTop + kPlotHeight;
    [[nodiscard]] double x(const PlotAxis& axis, double value) const {
        return left + axis.place(value) * (right - left);
    }
    [[nodiscard]] double y(const PlotAxis& axis, double value) const {
        return bottom - axis.place(value) * (bottom - top);
    }
};

struct LegendEntry {
    std::string colour;
    std::string label;
    Stroke stroke = Stroke::solid;
    bool filled = false;  ///< a square, else a line with its mark
};

std::string head(double height, const std::string& title) {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" height=\"{1:.0f}\" "
        "role=\"img\" aria-label=\"{2}\">\n"
        "<style>text{{font:12px system-ui,sans-serif;fill:#333}}.t{{font-weight:600}}.g{{stroke:#ddd}}.a{{stroke:#888}}"
        ".l{{stroke:#333}}.b{{fill:#fff}}@media(prefers-color-scheme:dark){{text{{fill:#ddd}}.g{{stroke:#3a3f44}}"
        ".l{{stroke:#ddd}}.b{{fill:#16191d}}}}</style>\n"
        "<rect class=\"b\" width=\"{0}\" height=\"{1:.0f}\" rx=\"6\"/>\n<text class=\"t\" x=\"16\" "
        "y=\"20\">{2}</text>\n",
        kWidth, height, escaped_markup(title));
}

std::string at_text(double x, double y, std::string_view anchor, const std::string& text) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                       escaped_markup(text));
}

std::string rule(double x1, double y1, double x2, double y2, std::string_view kind) {
    return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kind, x1, y1,
                       x2, y2);
}

/// Lines of entries that the legend takes.
std::vector<std::vector<LegendEntry>> legend_lines(const std::vector<LegendEntry>& entries) {
    std::vector<std::vector<LegendEntry>> lines(1);
    double used = 0;
    for (const LegendEntry& entry : entries) {
        const double width = 34 + kLetter * static_cast<double>(display_columns(entry.label));
        if (used > 0 && used + width > kWidth - 32) {
            lines.emplace_back();
            used = 0;
        }
        lines.back().push_back(entry);
        used += width;
    }
    return lines;
}

std::string mark_svg(double x, double y, const std::string& colour, Stroke stroke) {
    return stroke == Stroke::none
               ? fmt::format(
                     "<path d=\"M{0:.1f} {1:.1f}l7 7m0-7l-7 7\" stroke=\"{2}\" stroke-width=\"2\" fill=\"none\"/>\n",
                     x - 3.5, y - 3.5, colour)
               : fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x, y, colour);
}

std::string legend_svg(const std::vector<std::vector<LegendEntry>>& lines, double top) {
    std::string all;
    for (std::size_t line = 0; line < lines.size(); ++line) {
        double x = 16;
        const double y = top + kLegendLine * static_cast<double>(line) + 12;
        for (const LegendEntry& entry : lines[line]) {
            if (entry.filled) {
                all += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x + 4,
                                   y - 10, entry.colour);
            } else if (entry.stroke == Stroke::none) {
                all += mark_svg(x + 10, y - 4, entry.colour, entry.stroke);
            } else {
                all += fmt::format(
                    "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
                    "stroke-width=\"2\"{}/>\n",
                    x, y - 4, x + 20, y - 4, entry.colour,
                    entry.stroke == Stroke::dashed ? " stroke-dasharray=\"4 4\"" : "");
            }
            all += at_text(x + 25, y, "start", entry.label);
            x += 34 + kLetter * static_cast<double>(display_columns(entry.label));
        }
    }
    return all;
}

std::string y_grid(const PlotArea& area, const PlotAxis& axis, const std::string& title) {
    std::string all;
    for (const double tick : axis.ticks) {
        const double y = area.y(axis, tick);
        all += rule(area.left, y, area.right, y, "g");
        all += at_text(area.left - 6, y + 4, "end", axis.tick_text(tick));
    }
    return all + at_text(kWidth - kRight, 20, "end", title);
}

std::string series_svg(const Chart& chart, const Series& series, const std::string& colour, const PlotArea& area,
                       const PlotAxis& x, const PlotAxis& y) {
    std::string band_up;
    std::string band_down;
    std::string line;
    std::string points;
    for (std::size_t i = 0; i < chart.x.size(); ++i) {
        const auto at = number_of(chart.x[i].value);
        const auto value = number_of(series.points[i].value);
        if (!at || !value || (y.logarithmic && *value <= 0)) {
            continue;
        }
        const double px = area.x(x, *at);
        const double py = area.y(y, *value);
        line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", px, py);
        if (series.stroke != Stroke::dashed) {
            points += mark_svg(px, py, colour, series.stroke);
        }
        if (series.points[i].interval) {
            const double lo = number_of(series.points[i].interval->lo).value_or(*value);
            const double hi = number_of(series.points[i].interval->hi).value_or(*value);
            band_up += fmt::format("{}{:.1f} {:.1f}", band_up.empty() ? "M" : "L", px, area.y(y, hi));
            band_down = fmt::format("L{:.1f} {:.1f}", px, area.y(y, lo)) + band_down;
        }
    }
    std::string all;
    if (!band_up.empty()) {
        all += fmt::format("<path d=\"{}{}Z\" fill=\"{}\" opacity=\"0.13\"/>\n", band_up, band_down, colour);
    }
    if (series.stroke != Stroke::none && !line.empty()) {
        all += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n", line, colour,
                           series.stroke == Stroke::dashed ? " stroke-dasharray=\"4 4\"" : "");
    }
    return all + points;
}

std::string lines_svg(const Chart& chart) {
    const PlotAxis x = x_axis(chart, 13);
    const PlotAxis y = y_axis(chart, 7);
    const PlotArea area;
    const std::vector<SeriesColour> colours = series_colours(chart);
    std::vector<LegendEntry> entries;
    std::string plot;
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
        plot += series_svg(chart, chart.series[s], colours[s].hex, area, x, y);
        entries.push_back({colours[s].hex, chart.series[s].label, chart.series[s].stroke});
    }
    std::string axis;
    for (const double tick : x.ticks) {
        axis += rule(area.x(x, tick), area.top, area.x(x, tick), area.bottom, "g");
        axis += at_text(area.x(x, tick), area.bottom + 16, "middle", x.tick_text(tick));
    }
    axis += y_grid(area, y, chart.y_title);
    axis += rule(area.left, area.bottom, area.right, area.bottom, "a");
    axis += at_text((area.left + area.right) / 2, area.bottom + 33, "middle", chart.x_title);
    const auto lines = legend_lines(entries);
    return head(area.bottom + 46 + kLegendLine * static_cast<double>(lines.size()), chart.title) + axis + plot +
           legend_svg(lines, area.bottom + 40) + "</svg>\n";
}

std::string stacked_svg(const Chart& chart) {
    const PlotAxis y = y_axis(chart, 7);
    const PlotArea area;
    const std::vector<SeriesColour> colours = series_colours(chart);
    const double slot = (area.right - area.left) / static_cast<double>(chart.x.size());
    std::size_t widest = 0;
    for (const Cell& cell : chart.x) {
        widest = std::max(widest, display_columns(text(cell)));
    }
    const auto every = static_cast<std::size_t>(std::ceil(kLetter * static_cast<double>(widest + 2) / slot));
    std::string plot = y_grid(area, y, y.unit.name.empty() ? chart.y_title : y.unit.name);
    for (std::size_t i = 0; i < chart.x.size(); ++i) {
        const double left = area.left + slot * (static_cast<double>(i) + 0.15);
        double sum = 0;
        for (std::size_t s = 0; s < chart.series.size(); ++s) {
            const double part = number_of(chart.series[s].points[i].value).value_or(0);
            const double bottom = area.y(y, sum);
            sum += part;
            const double top = area.y(y, std::min(sum, y.hi));
            if (bottom - top > 0.05) {
                plot += fmt::format(
                    "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"><title>{}"
                    "</title></rect>\n",
                    left, top, slot * 0.7, bottom - top, colours[s].hex,
                    escaped_markup(fmt::format("{}: {}", chart.series[s].label, text(chart.series[s].points[i]))));
            }
        }
        if (i % every == 0) {
            plot += at_text(left + slot * 0.35, area.bottom + 16, "middle", text(chart.x[i]));
        }
    }
    plot += rule(area.left, area.bottom, area.right, area.bottom, "a");
    plot += at_text((area.left + area.right) / 2, area.bottom + 33, "middle", chart.x_title);
    if (chart.level) {
        const double level = area.y(y, number_of(chart.level->value.value).value_or(0));
        plot += rule(area.left, level, area.right, level, "l");
        if (is_above_stacks(chart, *chart.level)) {
            const std::string name = fmt::format("{} {}", chart.level->label, text(chart.level->value));
            plot += at_text(area.right, level - 4, "end", name);
        }
    }
    std::vector<LegendEntry> entries;
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
        entries.push_back({colours[s].hex, chart.series[s].label, Stroke::solid, true});
    }
    const auto lines = legend_lines(entries);
    return head(area.bottom + 46 + kLegendLine * static_cast<double>(lines.size()), chart.title) + plot +
           legend_svg(lines, area.bottom + 40) + "</svg>\n";
}

struct ImageOf {
    std::string operator()(const Chart& chart) const { return is_drawn(chart) ? svg(chart) : ""; }
    std::string operator()(const TimelineChart& chart) const { return svg(chart); }
    std::string operator()(const auto& /*block*/) const { return ""; }
};

struct ImageName {
    std::string operator()(const Chart& chart) const { return chart.name; }
    std::string operator()(const TimelineChart& chart) const { return chart.name; }
    std::string operator()(const auto& /*block*/) const { return ""; }
};

}  // namespace

std::string escaped_markup(std::string_view text) {
    std::string all;
    for (const char c : printable(text)) {
        switch (c) {
            case '&': all += "&amp;"; break;
            case '<': all += "&lt;"; break;
            case '>': all += "&gt;"; break;
            case '"': all += "&quot;"; break;
            case '\'': all += "&#39;"; break;
            default: all += c;
        }
    }
    return all;
}

std::string svg(const Chart& chart) { return chart.form == ChartForm::stacked ? stacked_svg(chart) : lines_svg(chart); }

std::string svg(const TimelineChart& chart) {
    constexpr double kRow = 20;
    PlotArea area;
    area.bottom = area.top + kRow * static_cast<double>(chart.rows.size());
    const PlotAxis time = time_axis(chart.end, 9);
    std::string plot;
    for (const double tick : time.ticks) {
        plot += rule(area.x(time, tick), area.top, area.x(time, tick), area.bottom, "g");
        plot += at_text(area.x(time, tick), area.bottom + 16, "middle", time.tick_text(tick));
    }
    for (std::size_t row = 0; row < chart.rows.size(); ++row) {
        plot += at_text(area.left - 6, area.top + kRow * static_cast<double>(row) + 14, "end", chart.rows[row]);
    }
    // One path a component: a page has thousands of bars.
    std::vector<LegendEntry> entries;
    std::vector<std::string> paths;
    for (const TimelineBar& bar : chart.bars) {
        const auto known = std::find_if(entries.begin(), entries.end(),
                                        [&](const LegendEntry& entry) { return entry.label == bar.component; });
        const auto which = static_cast<std::size_t>(known - entries.begin());
        if (known == entries.end()) {
            entries.push_back({std::string(colour_of(bar.component).hex), bar.component, Stroke::solid, true});
            paths.emplace_back();
        }
        const double from = area.x(time, bar.start.in(unit::second));
        const double to = area.x(time, (bar.start + bar.duration).in(unit::second));
        paths[which] +=
            fmt::format("M{:.1f} {:.0f}h{:.2f}v{:.0f}H{:.1f}z", from,
                        area.top + kRow * static_cast<double>(bar.row) + 2, std::max(to - from, 0.1), kRow - 4, from);
    }
    for (std::size_t which = 0; which < entries.size(); ++which) {
        plot += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", entries[which].colour, paths[which]);
    }
    plot += rule(area.left, area.bottom, area.right, area.bottom, "a");
    plot += at_text((area.left + area.right) / 2, area.bottom + 33, "middle", fmt::format("time [{}]", time.unit.name));
    const auto lines = legend_lines(entries);
    return head(area.bottom + 46 + kLegendLine * static_cast<double>(lines.size()), chart.title) + plot +
           legend_svg(lines, area.bottom + 40) + "</svg>\n";
}

std::vector<std::pair<std::string, std::string>> images(const Document& document, const std::string& prefix) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const Block& block : document.blocks) {
        if (std::string image = std::visit(ImageOf{}, block); !image.empty()) {
            all.emplace_back(fmt::format("{}-{}.svg", prefix, std::visit(ImageName{}, block)), std::move(image));
        }
    }
    return all;
}

}  // namespace dodona::reports
