#include "files/logs/log_lines.hpp"

#include <algorithm>
#include <array>

#include "files/utf8.hpp"

namespace dodona::files {

namespace {

constexpr char kEscape = '\x1B';

/// Where the escape sequence that starts at `at` ends: ECMA-48, ESC [ parameters and one final character, or ESC and
/// one character.
std::size_t end_of_escape(std::string_view text, std::size_t at) {
    std::size_t end = at + 1;
    if (end >= text.size() || text[end] != '[') {
        return std::min(end + 1, text.size());
    }
    for (++end; end < text.size(); ++end) {
        if (text[end] >= '@' && text[end] <= '~') {
            return end + 1;
        }
        if (text[end] < ' ' || text[end] > '?') {
            return end;
        }
    }
    return end;
}

bool is_control(char c) {
    return c == '\x7F' || (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r');
}

std::string without_escapes(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == kEscape) {
            at = end_of_escape(text, at);
        } else {
            const std::size_t length = sequence_length(text.substr(at));
            if (!is_control(text[at])) {
                plain.append(text, at, length);
            }
            at += std::max<std::size_t>(length, 1);
        }
    }
    return plain;
}

}  // namespace

bool is_log_name(std::string_view path) {
    constexpr std::array<std::string_view, 4> kEndings{".log", ".out", ".err", ".txt"};
    return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view end) { return path.ends_with(end); });
}

Text read_log_text(const std::string& text, const std::string& name, std::string_view too_large) {
    return read_text(text.size() > kMaxBytes ? text : without_escapes(text), name,
                     {.is = "the text of a log", .too_large = too_large});
}

std::vector<std::string_view> overprinted(std::string_view line) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = line.find('\r');
        parts.push_back(line.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        line.remove_prefix(end + 1);
    }
}

std::string_view label_of(std::string_view line) {
    const std::size_t rank =
        line.starts_with("[rank") || line.starts_with("[default") ? line.find("]:") : std::string_view::npos;
    if (rank != std::string_view::npos) {
        return line.substr(0, rank + 2);
    }
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    return digits > 0 && line.substr(digits).starts_with(": ") ? line.substr(0, digits + 2) : std::string_view();
}

}  // namespace dodona::files
