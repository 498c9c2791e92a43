// A document as Markdown: headings, lists and tables as GitHub reads them.
#include "reports/render/markdown.hpp"

#include <fmt/format.h>

#include "reports/document/number_format.hpp"
#include "reports/render/chart_table.hpp"
#include "reports/render/plot_axis.hpp"
#include "reports/render/renderer.hpp"

namespace dodona::reports {

namespace {

std::string markdown_cell(std::string_view cell) {
    std::string escaped;
    for (const char c : cell) {
        if (c == '|') {
            escaped += '\\';
        }
        escaped += c == '\n' ? ' ' : c;
    }
    return escaped;
}

std::string markdown_list(const std::vector<std::string>& items) {
    std::string all;
    for (const std::string& item : items) {
        all += "- " + item + "\n";
    }
    return all;
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
        return fmt::format("![{}]({})\n", title, link_target(fmt::format("{}-{}.svg", page.images, name)));
    }
    /// With its numbers below it.
    [[nodiscard]] std::string drawn(const Chart& block) const {
        return image(block.title, block.name) +
               fmt::format("\n<details><summary>{}: the numbers</summary>\n\n{}\n</details>\n", block.title,
                           markdown(chart_table(block)));
    }
    std::string operator()(const Headline& block) const { return "**" + block.text + "**\n"; }
    std::string operator()(const Paragraph& block) const { return block.text + "\n"; }
    std::string operator()(const Note& block) const { return block.text + "\n"; }
    std::string operator()(const Section& block) const { return "### " + block.title + "\n"; }
    std::string operator()(const Table& block) const { return markdown(block); }
    std::string operator()(const List& block) const { return markdown_list(block.items); }
    std::string operator()(const KeyFigures& block) const {
        std::vector<std::string> items;
        for (const KeyFigure& figure : block.figures) {
            items.push_back(key_figure_text(figure));
        }
        return markdown_list(items);
    }
    std::string operator()(const StackedBar& block) const {
        std::string all = block.title + ": ";
        bool first = true;
        for (const BarPart& part : block.parts) {
            if (part.amount > 0) {
                all += fmt::format("{}{} {}", first ? "" : ", ", part.label, percent(part.amount / block.whole));
                first = false;
            }
        }
        return all + "\n";
    }
    std::string operator()(const Chart& block) const {
        return is_drawn(block) && !page.images.empty() ? drawn(block)
                                                       : block.title + "\n\n" + markdown(chart_table(block));
    }
    std::string operator()(const TimelineChart& block) const {
        return page.images.empty() ? "" : image(block.title, block.name);
    }
    std::string operator()(const Code& block) const {
        std::string all = "```sh\n";
        for (const std::string& line : block.lines) {
            all += line + "\n";
        }
        return all + "```\n";
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
