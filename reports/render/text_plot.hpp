// Charts in the characters of a terminal, as wide as the page.
#pragma once

#include <string>

#include "reports/document/document.hpp"
#include "reports/render/renderer.hpp"

namespace dodona::reports {

/// Lines over a grid, or stacked bars, one an x; then a legend.
std::string text_plot(const Chart& chart, const Page& page);
std::string text_plot(const TimelineChart& chart, const Page& page);

}  // namespace dodona::reports
