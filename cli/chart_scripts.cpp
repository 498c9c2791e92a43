#include "cli/chart_scripts.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "cli/data_folder.hpp"
#include "cli/missing.hpp"

namespace dodona::cli {

namespace {

namespace fs = std::filesystem;

/// In the order in which they need each other.
constexpr std::array kChartScripts{"vega.min.js", "vega-lite.min.js", "vega-embed.min.js"};

std::string scripts_in(const fs::path& folder) {
    std::string all;
    for (const char* name : kChartScripts) {
        std::ifstream stream(folder / name, std::ios::binary);
        if (!stream) {
            return "";
        }
        all.append(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
        all += "\n";
    }
    return all;
}

}  // namespace

std::string chart_scripts() {
    std::vector<fs::path> folders;
    if (const char* given = std::getenv("DODONA_REPORT_SCRIPTS"); given != nullptr && *given != '\0') {
        folders.emplace_back(given);
    } else {
        std::error_code ignored;
        folders.push_back(fs::read_symlink("/proc/self/exe", ignored).parent_path() / "reports" / "assets");
        folders.push_back(data_folder() / "reports" / "assets");
    }
    for (const fs::path& folder : folders) {
        if (std::string all = scripts_in(folder); !all.empty()) {
            return all;
        }
    }
    return "";
}

void require_chart_scripts(const Output& output) {
    if (output.renderer->name == "html" && output.page.scripts.empty()) {
        throw Missing(
            "the charts of an HTML page need scripts that are not there; `./dodona report ... -o FILE.html` of a "
            "source tree "
            "fetches them where npm is installed, or write -o FILE.md, which needs none");
    }
}

}  // namespace dodona::cli
