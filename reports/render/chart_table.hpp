// A chart as a table, for formats without drawings: a column for x and one for each series.
#pragma once

#include "reports/document/document.hpp"

namespace dodona::reports {

Table chart_table(const Chart& chart);

}  // namespace dodona::reports
