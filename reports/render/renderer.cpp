#include "reports/render/renderer.hpp"

#include "base/ranges.hpp"

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
    return found_in(all, &Renderer::name, name);
}

const Renderer* renderer_of_suffix(std::string_view suffix) {
    const auto all = renderers();
    return found_in(all, [&](const Renderer& one) { return contains(one.suffixes, suffix); });
}

}  // namespace dodona::reports
