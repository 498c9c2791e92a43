// A document as Markdown: headings, lists and tables as GitHub reads them.
#include "reports/render/markdown.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/ranges.hpp"
#include "reports/document/number_format.hpp"
#include "reports/render/chart_table.hpp"
#include "reports/render/plot_axis.hpp"
#include "reports/render/renderer.hpp"

namespace dodona::reports {

namespace {

/// Whether what stands there would be markup of more than looks: an escape, the start of HTML, the end of a link's text.
bool is_markup(std::string_view text, std::size_t at) {
    const std::string_view after = text.substr(at + 1);
    switch (text[at]) {
        case '\\': return true;
        case '<':
            return !after.empty() && (std::isalpha(static_cast<unsigned char>(after[0])) != 0 || after[0] == '/' ||
                                      after[0] == '!' || after[0] == '?');
        case ']': return !after.empty() && (after[0] == '(' || after[0] == '[' || after[0] == ':');
        default: return false;
    }
}

/// The mark of a code block that none of its lines ends: one backtick more than they have in a row. Source: CommonMark 0.31,
/// section 4.5: a closing fence is at least as long as the opening one.
std::string fence_around(const std::vector<std::string>& lines) {
    std::size_t longest = 2;
    for (const std::string& line : lines) {
        std::size_t row = 0;
        for (const char c : line) {
            row = c == '`' ? row + 1 : 0;
            longest = std::max(longest, row);
        }
    }
    return std::string(longest + 1, '`');
}

/// A text of one line in which nothing is HTML, a link or an image.
std::string markdown_text(std::string_view text) {
    const std::string shown = printable(text);
    std::string escaped;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        escaped += is_markup(shown, i) ? "\\" : "";
        escaped += shown[i] == '\n' ? ' ' : shown[i];
    }
    return escaped;
}

/// The same in a table, where a bar would end the cell.
std::string markdown_cell(std::string_view cell) {
    return concatenated(markdown_text(cell), [](const char c) { return c == '|' ? "\\|" : std::string(1, c); });
}

std::string markdown_list(const std::vector<std::string>& items) {
    return concatenated(items, [](const std::string& item) { return "- " + markdown_text(item) + "\n"; });
}

/// A link's target: no character of it ends the link.
std::string link_target(std::string_view path) {
    std::string all;
    for (const char c : path) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("-._~/").find(c) != std::string_view::npos;
        all += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return all;
}

struct MarkdownBlock {
    const Page& page;

    [[nodiscard]] std::string image(const std::string& title, const std::string& name) const {
        return fmt::format("![{}]({})\n", markdown_text(title),
                           link_target(fmt::format("{}-{}.svg", page.images, name)));
    }
    /// With its numbers below it.
    [[nodiscard]] std::string drawn(const Chart& block) const {
        return image(block.title, block.name) +
               fmt::format("\n<details><summary>{}: the numbers</summary>\n\n{}\n</details>\n",
                           markdown_text(block.title), markdown(chart_table(block)));
    }
    std::string operator()(const Headline& block) const { return "**" + markdown_text(block.text) + "**\n"; }
    std::string operator()(const Paragraph& block) const { return markdown_text(block.text) + "\n"; }
    std::string operator()(const Note& block) const { return markdown_text(block.text) + "\n"; }
    std::string operator()(const Section& block) const { return "### " + markdown_text(block.title) + "\n"; }
    std::string operator()(const Table& block) const { return markdown(block); }
    std::string operator()(const List& block) const { return markdown_list(block.items); }
    std::string operator()(const KeyFigures& block) const {
        const auto items =
            mapped<std::string>(block.figures, [&](const KeyFigure& figure) { return key_figure_text(figure); });
        return markdown_list(items);
    }
    std::string operator()(const StackedBar& block) const {
        std::string all = markdown_text(block.title) + ": ";
        bool first = true;
        for (const BarPart& part : block.parts) {
            if (part.amount > 0) {
                all += fmt::format("{}{} {}", first ? "" : ", ", markdown_text(part.label),
                                   percent(part.amount / block.whole));
                first = false;
            }
        }
        return all + "\n";
    }
    std::string operator()(const Chart& block) const {
        return is_drawn(block) && !page.images.empty()
                   ? drawn(block)
                   : markdown_text(block.title) + "\n\n" + markdown(chart_table(block));
    }
    std::string operator()(const TimelineChart& block) const {
        return page.images.empty() ? "" : image(block.title, block.name);
    }
    std::string operator()(const Code& block) const {
        const std::string fence = fence_around(block.lines);
        std::string all =
            fence + "sh\n" + concatenated(block.lines, [&](const std::string& line) { return printable(line) + "\n"; });
        return all + fence + "\n";
    }

    static std::string key_figure_text(const KeyFigure& figure) {
        return fmt::format("{}: {}{}{}", figure.label, text_with_interval(figure.value), figure.note.empty() ? "" : " ",
                           figure.note);
    }
};

}  // namespace

std::string markdown(const Table& table) {
    std::string all = "|";
    std::string rule = "|";
    for (const Column& column : table.columns) {
        all += " " + markdown_cell(column.title) + " |";
        rule += column.align == Align::right ? "---:|" : "---|";
    }
    all += "\n" + rule + "\n";
    for (const std::vector<Cell>& cells : table.rows) {
        all += "|";
        for (const Cell& cell : cells) {
            all += " " + markdown_cell(text(cell)) + " |";
        }
        all += "\n";
    }
    return all;
}

std::string render_markdown(const Document& document, const Page& page) {
    std::string all;
    for (const Block& block : document.blocks) {
        if (is_empty(block)) {
            continue;
        }
        if (const std::string text = std::visit(MarkdownBlock{page}, block); !text.empty()) {
            all += (all.empty() ? "" : "\n") + text;
        }
    }
    return all;
}

}  // namespace dodona::reports
