// Charts as specifications of Vega-Lite 6: data, so that whoever reads them decides how they are drawn.
#pragma once

#include "reports/document/document.hpp"
#include "reports/document/record.hpp"

namespace dodona::reports {

/// Values are in the units of the axes (plot_axis.hpp), each with its text.
Record vega_lite(const Chart& chart);
Record vega_lite(const TimelineChart& chart);

}  // namespace dodona::reports
