#include "reports/render/text_layout.hpp"

#include <algorithm>

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

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Where the first piece of the text ends that must stay on one line: a word, with the numbers and units around it.
std::size_t piece_end(std::string_view text) {
    std::size_t end = std::min(text.find(' '), text.size());
    while (end > 0 && end + 1 < text.size()) {
        const char before = text[end - 1];
        const bool number_follows = is_digit(text[end + 1]) && before != ',' && before != ';' && before != ':';
        if (!is_digit(before) && !number_follows) {
            return end;
        }
        end = std::min(text.find(' ', end + 1), text.size());
    }
    return end;
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

std::vector<std::string> lines_of(std::string_view text, std::size_t width) {
    std::vector<std::string> lines;
    std::size_t used = 0;
    while (!text.empty()) {
        const std::string_view piece = text.substr(0, piece_end(text));
        const std::size_t columns = display_columns(piece);
        if (lines.empty() || used + 1 + columns > width) {
            lines.emplace_back(piece);
            used = columns;
        } else {
            lines.back().append(" ").append(piece);
            used += 1 + columns;
        }
        text.remove_prefix(std::min(piece.size() + 1, text.size()));
    }
    return lines;
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent) {
    std::string all;
    // All lines keep the width that is left of the later ones, but for a text that needs one line only.
    const std::size_t narrow = width > indent.size() ? width - indent.size() : 1;
    for (const std::string& line : lines_of(text, display_columns(text) <= width ? width : narrow)) {
        all.append(all.empty() ? "" : "\n").append(all.empty() ? "" : indent).append(line);
    }
    return all;
}

}  // namespace dodona::reports
