// A document as Markdown: headings, lists and tables as GitHub reads them.
#include "reports/render/markdown.hpp"

#include <fmt/format.h>

#include "reports/document/number_format.hpp"
#include "reports/render/chart_table.hpp"
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

struct MarkdownBlock {
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
    std::string operator()(const Chart& block) const { return block.title + "\n\n" + markdown(chart_table(block)); }
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

std::string render_markdown(const Document& document, const Page&) {
    std::string all;
    for (const Block& block : document.blocks) {
        if (!is_empty(block)) {
            all += (all.empty() ? "" : "\n") + std::visit(MarkdownBlock{}, block);
        }
    }
    return all;
}

}  // namespace dodona::reports
