#include "reports/table.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace dodona::reports {

namespace {

/// The code point at `at`, which moves behind it; a byte that starts none counts as one of its own.
char32_t next_code_point(std::string_view text, std::size_t& at) {
    const auto lead = static_cast<unsigned char>(text[at++]);
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    char32_t point = more == 3 ? lead & 0x07U : more == 2 ? lead & 0x0FU : more == 1 ? lead & 0x1FU : lead;
    for (int i = 0; i < more && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; ++i) {
        point = (point << 6U) | (static_cast<unsigned char>(text[at++]) & 0x3FU);
    }
    return point;
}

bool is_combining(char32_t c) { return (c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200F) || c == 0xFE0F; }

bool is_wide(char32_t c) {
    return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
           (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
}

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

}  // namespace

std::size_t display_columns(std::string_view text) {
    std::size_t columns = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char32_t point = next_code_point(text, at);
        columns += is_combining(point) ? 0 : is_wide(point) ? 2 : 1;
    }
    return columns;
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent) {
    std::string lines;
    std::size_t used = 0;
    while (!text.empty()) {
        std::size_t end = std::min(text.find(' '), text.size());
        // A number stays with what follows it, its unit most likely.
        while (end > 0 && end < text.size() && text[end - 1] >= '0' && text[end - 1] <= '9') {
            end = std::min(text.find(' ', end + 1), text.size());
        }
        const std::string_view word = text.substr(0, end);
        const std::size_t columns = display_columns(word);
        if (used > 0 && used + 1 + columns > width) {
            lines.append("\n").append(indent);
            used = 0;
        } else if (used > 0) {
            lines += ' ';
            ++used;
        }
        lines += word;
        used += columns;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

void Table::row(std::vector<std::string> cells) {
    check(cells.size() == columns_.size(), "a table row needs one cell a column");
    rows_.push_back(std::move(cells));
}

std::string Table::to_text(Style style, std::string_view indent) const {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::size_t width = display_columns(columns_[i].title);
        for (const auto& cells : rows_) {
            width = std::max(width, display_columns(cells[i]));
        }
        widths.push_back(width);
    }
    const auto line = [&](auto cell) {
        std::string result(indent);
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::string content = cell(i);
            const std::string blanks(widths[i] - display_columns(content), ' ');
            result += i == 0 ? "" : "  ";
            result += columns_[i].align == Align::right ? blanks + content : content + blanks;
        }
        result.erase(result.find_last_not_of(' ') + 1);
        return result;
    };
    std::string all = painted(style, Paint::dim, line([&](std::size_t i) { return columns_[i].title; })) + "\n";
    for (const auto& cells : rows_) {
        all += line([&](std::size_t i) { return cells[i]; }) + "\n";
    }
    return all;
}

std::string Table::to_markdown() const {
    std::string all = "|";
    std::string rule = "|";
    for (const Column& column : columns_) {
        all += " " + markdown_cell(column.title) + " |";
        rule += column.align == Align::right ? "---:|" : "---|";
    }
    all += "\n" + rule + "\n";
    for (const auto& cells : rows_) {
        all += "|";
        for (const std::string& cell : cells) {
            all += " " + markdown_cell(cell) + " |";
        }
        all += "\n";
    }
    return all;
}

}  // namespace dodona::reports
