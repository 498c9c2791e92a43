#include "reports/render/renderer.hpp"

#include <algorithm>

namespace dodona::reports {

std::span<const Renderer> renderers() {
    static const std::vector<Renderer> all{
        {"text", {"txt", "text"}, "for a terminal", render_text},
        {"json", {"json"}, "all of the answer, numbers in SI units", render_json},
        {"csv", {"csv"}, "the rows of the answer", render_csv, true},
        {"ndjson", {"ndjson", "jsonl"}, "the rows of the answer, a JSON record a line", render_ndjson, true},
        {"md", {"md", "markdown"}, "for a page or a pull request", render_markdown},
        {"html", {"html", "htm"}, "one page for a browser, with charts", render_html},
    };
    return all;
}

const Renderer* renderer_named(std::string_view name) {
    const auto all = renderers();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Renderer& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

const Renderer* renderer_of_suffix(std::string_view suffix) {
    const auto all = renderers();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Renderer& one) {
        return std::find(one.suffixes.begin(), one.suffixes.end(), suffix) != one.suffixes.end();
    });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace dodona::reports
