#include "cli/chart_scripts.hpp"

#include <array>

#include "cli/built_parts.hpp"
#include "cli/missing.hpp"

namespace dodona::cli {

namespace {

/// In the order in which they need each other.
constexpr std::array kChartScripts{"vega.min.js", "vega-lite.min.js", "vega-embed.min.js"};

}  // namespace

std::string chart_scripts() {
    std::string all;
    for (const std::string& script :
         built_parts({.variable = "DODONA_REPORT_SCRIPTS", .folder = "reports/assets", .names = kChartScripts})) {
        all += script + "\n";
    }
    return all;
}

void require_chart_scripts(const Output& output) {
    if (output.renderer->name == "html" && output.page.scripts.empty()) {
        throw Missing(
            "the charts of an HTML page need scripts that are not there; `./dodona report ... -o FILE.html` of a "
            "source tree fetches them where npm is installed, or write -o FILE.md, which needs none");
    }
}

}  // namespace dodona::cli
