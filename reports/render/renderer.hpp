// The formats that a report can have: one row of a table each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/document/document.hpp"

namespace dodona::reports {

/// What a report is printed on.
struct Page {
    std::size_t width = 100;  ///< columns that lines are wrapped to
    bool colour = false;
    std::size_t most_lines = 0;  ///< of text: the first blocks that fit, the first one in any case; 0: all
    bool full = false;           ///< of text: with sections and notes of detail
    /// What the files of a Markdown page's images begin with, beside the page; empty: tables stand for them.
    std::string images = {};
    /// Vega, Vega-Lite and Vega-Embed, one after another, for an HTML page with charts; empty: it has only their tables.
    std::string scripts = {};
    /// Elements in which the reader of an HTML page asks again, before its first section; empty: none.
    std::string form = {};
};

struct Renderer {
    std::string_view name;                   ///< the word of --format
    std::vector<std::string_view> suffixes;  ///< of files in this format, without the point
    std::string_view meaning;                ///< one phrase, for --help
    std::string (*render)(const Document& document, const Page& page);
    bool rows_only = false;  ///< lists the rows of an answer and has no place for the rest
};

/// The first is the default.
std::span<const Renderer> renderers();

/// By name or suffix; null where there is none.
const Renderer* renderer_named(std::string_view name);
const Renderer* renderer_of_suffix(std::string_view suffix);

std::string render_text(const Document& document, const Page& page);
std::string render_json(const Document& document, const Page& page);
std::string render_csv(const Document& document, const Page& page);
std::string render_ndjson(const Document& document, const Page& page);
std::string render_html(const Document& document, const Page& page);
std::string render_markdown(const Document& document, const Page& page);

}  // namespace dodona::reports
