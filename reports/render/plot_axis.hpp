// An axis of a plot: which values it spans, where its ticks are, and what they are called. For renderers that draw.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/document/document.hpp"

namespace dodona::reports {

/// The number behind a value, in base units; none where it is a text or nothing.
std::optional<double> number_of(const Value& value);
/// What its axis counts in: GiB for bytes, per cent for shares, s or ms for times up to `most`.
struct PlotUnit {
    double per = 1;    ///< base units in one
    std::string name;  ///< "GiB"; may be empty
};
PlotUnit unit_of(const Value& value, double most);

struct PlotAxis {
    bool logarithmic = false;
    double lo = 0;  ///< in base units, as all values here
    double hi = 1;
    std::vector<double> ticks;
    PlotUnit unit;

    /// 0 at `lo`, 1 at `hi`.
    [[nodiscard]] double place(double value) const;
    [[nodiscard]] std::string tick_text(double tick) const;
};

/// The axes of a chart that is drawn. A logarithmic axis has powers of two as ticks where it counts devices, else of ten.
PlotAxis x_axis(const Chart& chart, std::size_t most_ticks);
/// With room for intervals, levels and stacks.
PlotAxis y_axis(const Chart& chart, std::size_t most_ticks);
/// From zero to the end of a timeline.
PlotAxis time_axis(Seconds end, std::size_t most_ticks);

/// The colour of each series of a chart: of its component, else in turn; series that are like others have theirs.
struct SeriesColour {
    std::string hex;
    int terminal = 0;
};
std::vector<SeriesColour> series_colours(const Chart& chart);

/// Whether the chart is drawn and has something to draw.
bool is_drawn(const Chart& chart);

/// Whether no stack reaches the level, so that there is room for its name above the line.
bool is_above_stacks(const Chart& chart, const Level& level);

}  // namespace dodona::reports
