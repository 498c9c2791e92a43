#include "reports/render/html.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "reports/document/component_colours.hpp"
#include "reports/document/number_format.hpp"
#include "reports/render/chart_table.hpp"
#include "reports/render/gzip.hpp"
#include "reports/render/html_page.hpp"
#include "reports/render/json.hpp"
#include "reports/render/json_reader.hpp"
#include "reports/render/plot_axis.hpp"
#include "reports/render/svg.hpp"
#include "reports/render/text_layout.hpp"
#include "reports/render/vega_lite.hpp"

namespace dodona::reports {

namespace {

/// JSON inside an element: no `<` that could end it.
std::string json_in_page(const Record& record) {
    return concatenated(json_line(record),
                        [](const char c) { return c == '<' ? std::string("\\u003c") : std::string(1, c); });
}

/// A text as markup, whose lines do not end between a number and its unit; nor between a word and a number, unless numbers
/// follow each other for too long.
std::string markup(const std::string& text) {
    constexpr std::size_t kLongest = 24;
    std::string all;
    for (const std::string& piece : lines_of(text, 1)) {  // kept on one line each
        all += all.empty() ? "" : " ";
        for (std::size_t i = 0; i < piece.size(); ++i) {
            const bool is_kept =
                piece[i] == ' ' && (piece.size() <= kLongest || (i > 0 && '0' <= piece[i - 1] && piece[i - 1] <= '9'));
            all += is_kept ? "\u00a0" : std::string(1, piece[i]);
        }
    }
    return escaped_markup(all);
}

/// Columns of names and figures, whose lines are not broken.
std::vector<bool> kept_whole(const Table& table) {
    constexpr std::size_t kLongest = 30;
    std::vector<bool> whole(table.columns.size(), true);
    for (const std::vector<Cell>& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            whole[i] = whole[i] && text(row[i]).size() <= kLongest;
        }
    }
    return whole;
}

/// `name`: what a screen reader calls it. A table wider than the page is scrolled with the keyboard too.
std::string html_table(const Table& table, const std::string& name) {
    std::string all = fmt::format(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table aria-label=\"{0}\"><thead><tr>",
        escaped_markup(name));
    for (const Column& column : table.columns) {
        all += fmt::format("<th scope=\"col\"{}>{}</th>", column.align == Align::right ? " class=\"r\"" : "",
                           escaped_markup(column.title));
    }
    all += "</tr></thead><tbody>\n";
    const std::vector<bool> whole = kept_whole(table);
    for (const std::vector<Cell>& row : table.rows) {
        all += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i) {
            const auto number = number_of(row[i].value);
            all += fmt::format("<td{}{}>{}</td>",
                               table.columns[i].align == Align::right ? " class=\"r\""
                               : whole[i]                             ? " class=\"n\""
                                                                      : "",
                               number ? fmt::format(" data-v=\"{:.6g}\"", *number) : "", markup(text(row[i])));
        }
        all += "</tr>\n";
    }
    return all + "</tbody></table></div>\n";
}

std::string list_items(const std::vector<std::string>& items) {
    std::string all = "<ul>\n";
    for (const std::string& item : items) {
        all += fmt::format("<li>{}</li>\n", markup(item));
    }
    return all + "</ul>\n";
}

std::string_view tone_class(Tone tone) {
    return tone == Tone::good ? " class=\"good\"" : tone == Tone::bad ? " class=\"bad\"" : "";
}

std::string section_id(std::size_t number) { return fmt::format("section-{}", number); }

/// Blocks as elements; charts leave their specification in `charts`.
class HtmlBlocks {
public:
    std::string operator()(const Headline& block) const { return fmt::format("<h1>{}</h1>\n", markup(block.text)); }
    std::string operator()(const Paragraph& block) const {
        return fmt::format("<p{}>{}</p>\n", tone_class(block.tone), markup(block.text));
    }
    std::string operator()(const Note& block) const {
        return fmt::format("<p class=\"note\">{}</p>\n", markup(block.text));
    }
    std::string operator()(const Section& block) {
        sections_.push_back(block.title);
        return fmt::format("{}<section{}>\n<h2 id=\"{}\">{}</h2>\n", sections_.size() > 1 ? "</section>\n" : "",
                           block.detail ? " class=\"detail\"" : "", section_id(sections_.size()), markup(block.title));
    }
    std::string operator()(const Table& block) const {
        return "<div>" + html_table(block, sections_.empty() ? "table" : sections_.back()) + "</div>\n";
    }
    std::string operator()(const List& block) const { return list_items(block.items); }
    std::string operator()(const Code& block) const {
        std::string all = "<pre><code>";
        for (const std::string& line : block.lines) {
            all += escaped_markup(line) + "\n";
        }
        return all + "</code></pre>\n";
    }
    std::string operator()(const KeyFigures& block) const {
        std::string all = "<dl>\n";
        for (const KeyFigure& figure : block.figures) {
            Cell value = figure.value;
            value.interval.reset();
            const std::string interval =
                figure.value.interval
                    ? fmt::format("{:.0f} % interval {}", 100 * kIntervalLevel, text(*figure.value.interval))
                    : "";
            all +=
                fmt::format("<div><dt>{}</dt><dd{}>{} <small>{} {}</small></dd></div>\n", escaped_markup(figure.label),
                            tone_class(figure.tone), markup(text(value)), markup(figure.note), markup(interval));
        }
        return all + "</dl>\n";
    }
    std::string operator()(const StackedBar& block) const {
        const double sum = std::accumulate(block.parts.begin(), block.parts.end(), 0.0,
                                           [](double before, const BarPart& part) { return before + part.amount; });
        const double whole = std::max(block.whole, sum);
        std::string bar;
        std::string key;
        std::string said;
        for (const BarPart& part : block.parts) {
            if (part.amount > 0) {
                const std::string_view colour = colour_of(part.component).hex;
                bar += fmt::format("<span style=\"width:{:.3f}%;background:{}\"></span>", 100 * part.amount / whole,
                                   colour);
                const std::string share = fmt::format("{} {}", escaped_markup(part.label),
                                                      percent(part.amount / (block.whole > 0 ? block.whole : whole)));
                key += fmt::format("<i style=\"background:{}\"></i>{}", colour, share);
                said += ", " + share;
            }
        }
        return fmt::format(
            "<figure><figcaption>{0}</figcaption><div class=\"bar\" role=\"img\" aria-label=\"{0}{3}\">{1}</div>"
            "<div class=\"key\" aria-hidden=\"true\">{2}</div></figure>\n",
            escaped_markup(block.title), bar, key, said);
    }
    std::string operator()(const Chart& block) {
        const std::string numbers = html_table(chart_table(block), block.title);
        if (!is_drawn(block)) {
            return fmt::format("<figure><figcaption>{}</figcaption>{}</figure>\n", escaped_markup(block.title),
                               numbers);
        }
        Record spec = vega_lite(block);
        if (sections_.empty()) {
            constexpr int kHeightInARow = 230;
            spec["height"] = kHeightInARow;
        }
        return figure(block.title, std::move(spec),
                      fmt::format("<details><summary>The numbers</summary><div>{}</div></details>", numbers));
    }
    std::string operator()(const TimelineChart& block) {
        Table table({{"row"}, {"task"}, {"from", Align::right}, {"duration", Align::right}});
        constexpr std::size_t kMaxRows = 200;
        for (const TimelineBar& bar : block.bars) {
            if (table.rows.size() < kMaxRows) {
                table.row({block.rows.at(bar.row), bar.label, bar.start, bar.duration});
            }
        }
        return figure(
            block.title, vega_lite(block),
            fmt::format("<details><summary>The {}{}</summary><div>{}</div></details>",
                        block.bars.size() > kMaxRows ? fmt::format("first {} of ", kMaxRows) : "",
                        counted(static_cast<std::int64_t>(block.bars.size()), "task"), html_table(table, block.title)));
    }

    [[nodiscard]] const std::vector<std::string>& sections() const { return sections_; }
    [[nodiscard]] const Record::List& charts() const { return charts_; }

private:
    std::string figure(const std::string& title, Record spec, const std::string& numbers) {
        charts_.push_back(std::move(spec));
        return fmt::format(
            "<figure><figcaption>{0}</figcaption><div class=\"chart\" id=\"chart-{1}\" role=\"group\" "
            "aria-label=\"{0}\"></div>"
            "{2}</figure>\n",
            escaped_markup(title), charts_.size() - 1, numbers);
    }

    std::vector<std::string> sections_;
    Record::List charts_;
};

std::string title_of(const Document& document) {
    for (const Block& block : document.blocks) {
        if (const auto* headline = std::get_if<Headline>(&block)) {
            return headline->text;
        }
    }
    return "dodona";
}

std::string contents(const std::vector<std::string>& sections) {
    std::string all = "<nav aria-label=\"contents\">";
    for (std::size_t i = 0; i < sections.size(); ++i) {
        all += fmt::format("<a href=\"#{}\">{}</a> ", section_id(i + 1), escaped_markup(sections[i]));
    }
    return all + "</nav>\n";
}

}  // namespace

std::string base64(const std::string& bytes) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string all;
    all.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t there = std::min<std::size_t>(bytes.size() - i, 3);
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            three = three << 8U | (k < there ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            all += k <= there ? kDigits[three >> (18 - 6 * k) & 63U] : '=';
        }
    }
    return all;
}

bool has_drawn_charts(const Document& document) {
    return std::any_of(document.blocks.begin(), document.blocks.end(), [](const Block& block) {
        const auto* chart = std::get_if<Chart>(&block);
        return std::holds_alternative<TimelineChart>(block) || (chart != nullptr && is_drawn(*chart));
    });
}

std::string render_html(const Document& document, const Page& page) {
    HtmlBlocks blocks;
    std::string head;  // up to the first section
    std::string body;
    bool in_a_row = false;  // charts before the first section stand side by side
    for (const Block& block : document.blocks) {
        if (is_empty(block)) {
            continue;
        }
        const std::string element = std::visit(blocks, block);
        if (const bool is_next = std::holds_alternative<Chart>(block) && blocks.sections().empty();
            is_next != in_a_row) {
            head += is_next ? "<div class=\"row\">\n" : "</div>\n";
            in_a_row = is_next;
        }
        (blocks.sections().empty() ? head : body) += element;
    }
    head += in_a_row ? "</div>\n" : "";
    body += blocks.sections().empty() ? "" : "</section>\n";
    const std::string title = escaped_markup(title_of(document));
    std::string all = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" "
        "href=\"data:,\">\n"
        "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}{}{}{}</main>\n",
        page.form.empty() ? kPagePolicy : kInteractivePagePolicy, title, kPageStyle, head,
        blocks.sections().size() > 2 ? contents(blocks.sections()) : "", page.form, body);
    all += fmt::format("{}{}</script>\n", kResultElement, json_in_page(document.record));
    if (!blocks.charts().empty() && !page.scripts.empty()) {
        all += fmt::format("<script type=\"text/plain\" id=\"dodona-charts\">{}</script>\n",
                           base64(gzipped(json_line(Record(blocks.charts())))));
        all += fmt::format("<script type=\"text/plain\" id=\"dodona-scripts\">{}</script>\n",
                           base64(gzipped(page.scripts)));
    }
    return all + fmt::format("<script>{}</script>\n</body>\n</html>\n", kPageScript);
}

}  // namespace dodona::reports
