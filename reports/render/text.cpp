// A document as plain text for a terminal: lines wrapped to its width, aligned tables, bars of block characters.
//
//   ██████████████████▓▓▓▓▓▓▓▓▓▓▓▒▒▒░░░·····
//   █ forward 45.0 %   ▓ backward 25.1 %   ▒ pipeline bubble 8.0 %   ░ TP/CP/EP communication 5.2 %
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "reports/document/component_colours.hpp"
#include "reports/document/number_format.hpp"
#include "reports/render/chart_table.hpp"
#include "reports/render/plot_axis.hpp"
#include "reports/render/printable_document.hpp"
#include "reports/render/renderer.hpp"
#include "reports/render/terminal_colour.hpp"
#include "reports/render/text_layout.hpp"
#include "reports/render/text_plot.hpp"

namespace dodona::reports {

namespace {

constexpr std::string_view kIndent = "  ";
constexpr std::size_t kBarWidth = 72;
constexpr double kSmallPart = 0.01;  ///< parts of a bar below this share of it are added up to "other"

std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) {
        all += text;
    }
    return all;
}

// Bars.

/// One for each part of a bar, so that the legend is read without colour too: more than a step has parts.
constexpr std::array<std::string_view, 16> kFills{"█", "▓", "▒", "░", "▚", "▤", "▥", "▦",
                                                  "▧", "▨", "▩", "■", "□", "◆", "◇", "●"};

std::vector<BarPart> without_small_parts(const StackedBar& bar, double whole) {
    std::vector<BarPart> parts;
    BarPart other{.component = "other", .label = "other", .amount = 0};
    for (const BarPart& part : bar.parts) {
        if (part.amount >= kSmallPart * whole) {
            parts.push_back(part);
        } else {
            other.amount += part.amount;
        }
    }
    if (other.amount > 0) {
        parts.push_back(other);
    }
    return parts;
}

std::size_t bar_width(const Page& page) { return std::min(kBarWidth, page.width - kIndent.size()); }

/// Columns of each part, rounded so that they add up to the rounded sum of all.
std::vector<std::size_t> columns_of(const std::vector<BarPart>& parts, double whole, std::size_t width) {
    std::vector<std::size_t> columns;
    double sum = 0;
    std::size_t drawn = 0;
    for (const BarPart& part : parts) {
        sum += part.amount;
        const double exact = std::round(sum / whole * static_cast<double>(width));
        const std::size_t end = std::clamp(static_cast<std::size_t>(exact), drawn, width);
        columns.push_back(end - drawn);
        drawn = end;
    }
    return columns;
}

std::string legend(const std::vector<BarPart>& parts, double whole, const Page& page) {
    constexpr std::string_view kGap = "   ";
    std::string all(kIndent);
    std::size_t column = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string entry = fmt::format(" {} {}", parts[i].label, percent(parts[i].amount / whole));
        const std::size_t columns = display_columns(entry) + 1;
        if (column > 0 && column + kGap.size() + columns > page.width - kIndent.size()) {
            all.append("\n").append(kIndent);
            column = 0;
        } else if (column > 0) {
            all += kGap;
            column += kGap.size();
        }
        all += coloured(page.colour, colour_of(parts[i].component).terminal, kFills[i % kFills.size()]) + entry;
        column += columns;
    }
    return all;
}

std::string bar_text(const StackedBar& bar, const Page& page) {
    const double sum = std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0,
                                       [](double before, const BarPart& part) { return before + part.amount; });
    const double width = std::max(bar.whole, sum);
    std::string all = fmt::format("{}{}\n", kIndent, wrapped(bar.title, page.width - kIndent.size(), kIndent));
    if (!(width > 0) || !std::isfinite(width)) {
        return all;
    }
    const std::vector<BarPart> parts = without_small_parts(bar, width);
    const std::vector<std::size_t> columns = columns_of(parts, width, bar_width(page));
    all += kIndent;
    std::size_t used = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        all += coloured(page.colour, colour_of(parts[i].component).terminal,
                        repeated(kFills[i % kFills.size()], columns[i]));
        used += columns[i];
    }
    const std::size_t free = bar_width(page) - used;
    all += emphasized(page.colour && free > 0, Emphasis::dim, repeated("·", free));
    return all + "\n" + legend(parts, bar.whole > 0 ? bar.whole : width, page) + "\n";
}

// Tables.

constexpr std::size_t kNarrowest = 12;  ///< that a column of words is made

/// A table whose cells are texts, without the columns that a terminal has no room for.
struct TextTable {
    std::vector<Column> columns;
    std::vector<std::vector<std::string>> rows;
    std::vector<std::size_t> widths;
    std::vector<std::size_t> least_widths;  ///< of which no word is broken, nor a cell to the right
    std::vector<std::size_t> word_widths;   ///< of their longest words, or cells to the right
};

std::size_t longest_word(const std::string& text) {
    std::size_t longest = 0;
    for (const std::string& line : lines_of(text, 1)) {
        longest = std::max(longest, display_columns(line));
    }
    return longest;
}

TextTable text_table(const Table& table) {
    TextTable result;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (!table.columns[i].detail) {
            result.columns.push_back(table.columns[i]);
            result.widths.push_back(display_columns(table.columns[i].title));
            result.word_widths.push_back(longest_word(table.columns[i].title));
        }
    }
    for (const std::vector<Cell>& row : table.rows) {
        std::vector<std::string>& cells = result.rows.emplace_back();
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (!table.columns[i].detail) {
                cells.push_back(text(row[i]));
                std::size_t& width = result.widths[cells.size() - 1];
                width = std::max(width, display_columns(cells.back()));
                std::size_t& least = result.word_widths[cells.size() - 1];
                least = std::max(least, table.columns[i].align == Align::right ? display_columns(cells.back())
                                                                               : longest_word(cells.back()));
            }
        }
    }
    for (std::size_t i = 0; i < result.columns.size(); ++i) {
        const bool has_words = result.columns[i].align == Align::left;
        result.least_widths.push_back(std::max(has_words ? kNarrowest : 0, result.word_widths[i]));
    }
    return result;
}

std::size_t width_of(const TextTable& table) {
    return std::accumulate(table.widths.begin(), table.widths.end(), 2 * (table.columns.size() - 1));
}

/// Makes the widest columns of an alignment narrower until the table fits; their cells or titles then take several lines.
void fit_to(TextTable& table, std::size_t width, Align align, const std::vector<std::size_t>& least) {
    while (width_of(table) > width) {
        std::size_t* widest = nullptr;
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const bool can_shrink = table.columns[i].align == align && table.widths[i] > least[i];
            if (can_shrink && (widest == nullptr || table.widths[i] > *widest)) {
                widest = &table.widths[i];
            }
        }
        if (widest == nullptr) {
            return;
        }
        --*widest;
    }
}

/// Lines that each row takes in each column.
using Heights = std::vector<std::vector<std::size_t>>;

std::vector<std::size_t> heights_of(const TextTable& table, std::size_t column, std::size_t width) {
    return mapped<std::size_t>(table.rows, [&](const std::vector<std::string>& row) {
        return display_columns(row[column]) <= width ? 1 : lines_of(row[column], width).size();
    });
}

std::size_t height_of(const Heights& heights) {
    std::size_t lines = 0;
    for (std::size_t row = 0; row < heights.front().size(); ++row) {
        std::size_t highest = 1;
        for (const std::vector<std::size_t>& column : heights) {
            highest = std::max(highest, column[row]);
        }
        lines += highest;
    }
    return lines;
}

/// Gives room of one column of words to another as long as the table has fewer lines for it.
void balance(TextTable& table, const std::vector<std::size_t>& least) {
    Heights heights;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        heights.push_back(heights_of(table, i, table.widths[i]));
    }
    for (std::size_t to = 0; to < table.columns.size(); ++to) {
        for (std::size_t from = 0; from < table.columns.size(); ++from) {
            const bool is_pair =
                from != to && table.columns[from].align == Align::left && table.columns[to].align == Align::left;
            const std::size_t most = is_pair && table.widths[from] > least[from] ? table.widths[from] - least[from] : 0;
            Heights tried = heights;
            std::size_t best = height_of(heights);
            std::size_t moved = 0;
            for (std::size_t room = 1; room <= most; ++room) {
                tried[from] = heights_of(table, from, table.widths[from] - room);
                tried[to] = heights_of(table, to, table.widths[to] + room);
                if (const std::size_t height = height_of(tried); height < best) {
                    best = height;
                    moved = room;
                    heights[from] = tried[from];
                    heights[to] = tried[to];
                }
            }
            table.widths[from] -= moved;
            table.widths[to] += moved;
        }
    }
}

std::string aligned(const std::vector<std::string>& cells, const TextTable& table) {
    std::vector<std::vector<std::string>> lines;
    std::size_t height = 1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        lines.push_back(display_columns(cells[i]) <= table.widths[i] ? std::vector<std::string>{cells[i]}
                                                                     : lines_of(cells[i], table.widths[i]));
        height = std::max(height, lines.back().size());
    }
    std::string all;
    for (std::size_t at = 0; at < height; ++at) {
        std::string line(kIndent);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::string content = at < lines[i].size() ? lines[i][at] : "";
            const std::size_t columns = display_columns(content);
            const std::string blanks(table.widths[i] > columns ? table.widths[i] - columns : 0, ' ');
            line += i == 0 ? "" : "  ";
            line += table.columns[i].align == Align::right ? blanks + content : content + blanks;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        all += line + "\n";
    }
    return all;
}

/// Each row as lines of "title  cell", for a page that is too narrow for the columns.
std::string rows_one_by_one(const TextTable& table, const Page& page) {
    std::size_t width = 0;
    for (const Column& column : table.columns) {
        width = std::max(width, display_columns(column.title));
    }
    const std::string indent(width + 4, ' ');
    const std::size_t room = page.width > indent.size() + kNarrowest ? page.width - indent.size() : kNarrowest;
    std::string all;
    for (const std::vector<std::string>& row : table.rows) {
        all += all.empty() ? "" : "\n";
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (row[i].empty()) {
                continue;
            }
            const std::string& title = table.columns[i].title;
            bool first = true;
            for (const std::string& line : lines_of(row[i], room)) {
                const std::string label = title + std::string(width - display_columns(title) + 2, ' ');
                all += (first ? std::string(kIndent) + emphasized(page.colour, Emphasis::dim, label) : indent) + line +
                       "\n";
                first = false;
            }
        }
    }
    return all;
}

std::string table_text(const Table& of, const Page& page) {
    TextTable table = text_table(of);
    const bool is_brief = of.brief_rows > 0 && !page.full && table.rows.size() > of.brief_rows + 1;
    const std::size_t more = is_brief ? table.rows.size() - of.brief_rows : 0;
    table.rows.resize(table.rows.size() - more);
    const std::size_t room = page.width - kIndent.size();
    if (width_of(table) > room) {
        fit_to(table, room, Align::left, table.least_widths);
        fit_to(table, room, Align::right, table.least_widths);
        const bool has_words = width_of(table) > room && page.width < Page{}.width;
        const std::vector<std::size_t>& least = has_words ? table.word_widths : table.least_widths;
        fit_to(table, room, Align::left, least);
        if (has_words && width_of(table) > room) {
            return rows_one_by_one(table, page);
        }
        balance(table, least);
    }
    const auto titles = mapped<std::string>(table.columns, &Column::title);
    std::string header = aligned(titles, table);
    header.pop_back();
    std::string all = emphasized(page.colour, Emphasis::dim, header) + "\n";
    for (const std::vector<std::string>& row : table.rows) {
        all += aligned(row, table);
    }
    if (more > 0) {
        all += fmt::format("{}and {} more: --full\n", kIndent, more);
    }
    return all;
}

// The other blocks.

std::string in_tone(const Page& page, Tone tone, const std::string& text) {
    return tone == Tone::plain ? text
                               : emphasized(page.colour, tone == Tone::good ? Emphasis::good : Emphasis::bad, text);
}

std::string key_figures_text(const KeyFigures& block, const Page& page) {
    std::size_t width = 0;
    for (const KeyFigure& figure : block.figures) {
        width = std::max(width, display_columns(figure.label));
    }
    const std::string indent(width + 4, ' ');
    std::string all;
    for (const KeyFigure& figure : block.figures) {
        const std::string words = text_with_interval(figure.value) + (figure.note.empty() ? "" : " ") + figure.note;
        std::string label = figure.label + std::string(width - display_columns(figure.label), ' ');
        bool first = true;
        for (const std::string& line : lines_of(words, page.width - std::min(indent.size(), page.width / 2))) {
            all += (first ? fmt::format("{}{}  ", kIndent, label) : indent) + in_tone(page, figure.tone, line) + "\n";
            first = false;
        }
    }
    return all;
}

struct TextBlock {
    const Page& page;
    std::string_view indent;  ///< of paragraphs and notes

    std::string operator()(const Headline& block) const {
        return emphasized(page.colour, Emphasis::bold, wrapped(block.text, page.width, kIndent)) + "\n";
    }
    std::string operator()(const Paragraph& block) const {
        const std::string lines = wrapped(block.text, page.width - indent.size(), kIndent);
        return std::string(indent) + in_tone(page, block.tone, lines) + "\n";
    }
    std::string operator()(const Note& block) const {
        return concatenated(lines_of(block.text, page.width - kIndent.size()),
                            [](const std::string& line) { return fmt::format("{}{}\n", kIndent, line); });
    }
    std::string operator()(const Section& block) const {
        return emphasized(page.colour, Emphasis::bold, block.title) + "\n";
    }
    std::string operator()(const List& block) const {
        std::string all;
        for (const std::string& item : block.items) {
            bool first = true;
            for (const std::string& line : lines_of(item, page.width - 4)) {
                all += fmt::format("  {} {}\n", first ? "-" : " ", line);
                first = false;
            }
        }
        return all;
    }
    std::string operator()(const Code& block) const {
        return concatenated(block.lines, [](const std::string& line) { return fmt::format("{}{}\n", kIndent, line); });
    }
    std::string operator()(const KeyFigures& block) const { return key_figures_text(block, page); }
    std::string operator()(const Table& block) const { return table_text(block, page); }
    std::string operator()(const StackedBar& block) const { return bar_text(block, page); }
    std::string operator()(const Chart& block) const {
        return is_drawn(block) ? text_plot(block, page)
                               : fmt::format("{}{}\n", kIndent, block.title) + table_text(chart_table(block), page);
    }
    std::string operator()(const TimelineChart& block) const { return text_plot(block, page); }
};

std::size_t count_lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Dots stand for what the last line lacks.
std::string first_lines(const std::string& text, std::size_t most) {
    if (count_lines(text) <= most) {
        return text;
    }
    std::size_t end = text.find('\n');
    for (std::size_t line = 1; line < most; ++line) {
        end = text.find('\n', end + 1);
    }
    constexpr std::string_view kGoesOn = "    ";
    const bool goes_on = std::string_view(text).substr(end + 1).starts_with(kGoesOn);
    return text.substr(0, end) + (goes_on ? " ...\n" : "\n");
}

/// As many of the first rows as have room; empty if none has.
std::string first_rows(Table table, std::size_t most, const Page& page) {
    while (!table.empty()) {
        table.rows.pop_back();
        if (std::string text = table_text(table, page); !table.empty() && count_lines(text) <= most) {
            return text;
        }
    }
    return {};
}

std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t start = 0; start < text.size(); start = text.find('\n', start) + 1) {
        lines.push_back(text.substr(start, text.find('\n', start) - start));
    }
    return lines;
}

/// One table to the left of another; empty where the page is too narrow.
std::string next_to_each_other(const Table& left, const Table& right, const Page& page) {
    Page measuring = page;
    measuring.colour = false;
    const std::vector<std::string> measured = split_lines(table_text(left, measuring));
    std::size_t width = 0;
    for (const std::string& line : measured) {
        width = std::max(width, display_columns(line));
    }
    constexpr std::size_t kGap = 4;
    width += kGap - kIndent.size();
    for (const std::string& line : split_lines(table_text(right, measuring))) {
        if (width + display_columns(line) > page.width) {
            return {};
        }
    }
    std::vector<std::string> lines = split_lines(table_text(left, page));
    const std::vector<std::string> others = split_lines(table_text(right, page));
    lines.resize(std::max(lines.size(), others.size()));
    std::string all;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::size_t used = i < measured.size() ? display_columns(measured[i]) : 0;
        all += lines[i] + (i < others.size() ? std::string(width - used, ' ') + others[i] : "") + "\n";
    }
    return all;
}

/// Whether an empty line comes before it, wherever it stands.
bool stands_apart(const Block& block) {
    return std::holds_alternative<Section>(block) || std::holds_alternative<Table>(block) ||
           std::holds_alternative<StackedBar>(block) || std::holds_alternative<Chart>(block);
}

}  // namespace

std::string render_text(const Document& document, const Page& page) {
    std::string all;
    std::size_t lines = 0;
    std::size_t whole = 0;  ///< end of the last block that is no title
    bool in_detail = false;
    bool in_section = false;
    bool after_title = true;
    bool has_figures = false;
    std::vector<std::string> left_out;  ///< titles of sections
    const std::vector<Block> blocks = printable_blocks(document);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const Block& block = blocks[i];
        const auto* section = std::get_if<Section>(&block);
        in_detail = section != nullptr ? section->detail : in_detail;
        in_section = in_section || section != nullptr;
        const auto* note = std::get_if<Note>(&block);
        const auto* bar = std::get_if<StackedBar>(&block);
        const bool is_detail = in_detail || (note != nullptr && note->detail) || (bar != nullptr && bar->detail);
        if (section != nullptr && section->detail && !page.full) {
            left_out.push_back(section->title.substr(0, section->title.find(':')));
            left_out.back().front() = static_cast<char>(std::tolower(left_out.back().front()));
        }
        if ((is_detail && !page.full) || is_empty(block)) {
            continue;
        }
        std::string text = (section != nullptr || (stands_apart(block) && !after_title)) && !all.empty() ? "\n" : "";
        const auto* left = std::get_if<Table>(&block);
        const auto* right = i + 1 < blocks.size() ? std::get_if<Table>(&blocks[i + 1]) : nullptr;
        const std::string pair =
            left != nullptr && right != nullptr && page.most_lines == 0 ? next_to_each_other(*left, *right, page) : "";
        text += pair.empty() ? std::visit(TextBlock{page, in_section ? kIndent : ""}, block) : pair;
        i += pair.empty() ? 0 : 1;
        const std::size_t before = lines;
        lines += count_lines(text);
        has_figures = has_figures || std::holds_alternative<KeyFigures>(block);
        if (page.most_lines > 0 && lines > page.most_lines && whole > 0) {
            const auto* table = std::get_if<Table>(&block);
            if (const std::string rows =
                    table != nullptr && !has_figures ? first_rows(*table, page.most_lines - before, page) : "";
                !rows.empty()) {
                all += rows;  // the answer is in the table
                break;
            }
            all.resize(whole);  // without the title of a section that has no room
            all += std::holds_alternative<KeyFigures>(block) ? text : "";
            break;
        }
        all += text;
        whole = section == nullptr ? all.size() : whole;
        after_title = section != nullptr;
    }
    if (page.most_lines > 0) {
        return first_lines(all, page.most_lines);
    }
    return left_out.empty()
               ? all
               : all + "\n" + wrapped(fmt::format("--full adds: {}", join(left_out)), page.width, "  ") + "\n";
}

}  // namespace dodona::reports
