#include "calibrate/imports/log_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "files/text.hpp"

namespace dodona::calibrate {

namespace {

constexpr char kEscape = '\x1b';

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// "\x1b[4m", "[0m" (pasted without the escape): its length, 0 where there is none.
std::size_t escape_length(std::string_view text) {
    std::size_t at = text.front() == kEscape ? 1 : 0;
    if (at == text.size() || text[at] != '[') {
        return at;
    }
    ++at;
    while (at < text.size() && (is_digit(text[at]) || text[at] == ';')) {
        ++at;
    }
    return at < text.size() && (text[at] == 'm' || text[at] == 'K') ? at + 1 : (text.front() == kEscape ? 1 : 0);
}

/// Of "[1,0]<stdout>:", "  3: ", "> ": its length, 0 where there is none.
std::size_t mark_length(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size() && text[at] == ' ') {
        ++at;
    }
    const std::size_t start = at;
    if (text.substr(at).starts_with('[')) {
        const std::size_t end = text.find(">:", at);
        const bool tagged =
            end != std::string_view::npos && text.substr(at, end - at).find("]<std") != std::string::npos;
        return tagged ? end + 2 : 0;
    }
    if (text.substr(at).starts_with("> ")) {
        return at + 1;
    }
    while (at < text.size() && is_digit(text[at])) {
        ++at;
    }
    return at > start && at < text.size() && text[at] == ':' && (at + 1 == text.size() || text[at + 1] == ' ') ? at + 1
                                                                                                               : 0;
}

std::vector<LogWord> split(std::string_view text, std::size_t blanks) {
    std::vector<LogWord> words;
    std::size_t at = 0;
    while (at < text.size()) {
        if (is_space(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        std::size_t gap = 0;  // of white space behind the word so far
        for (std::size_t i = at; i < text.size() && gap < blanks; ++i) {
            gap = is_space(text[i]) ? (text[i] == '\t' ? blanks : gap + 1) : 0;
            end = gap == 0 ? i + 1 : end;
        }
        words.push_back({text.substr(at, end - at), static_cast<int>(at) + 1});
        at = end;
    }
    return words;
}

}  // namespace

LogLine::LogLine(std::string_view raw, int number) : text_(raw), number_(number) {
    for (std::size_t at = 0; at < text_.size();) {
        const std::size_t length = escape_length(std::string_view(text_).substr(at));
        std::fill_n(text_.begin() + static_cast<std::ptrdiff_t>(at), length, ' ');
        at += std::max<std::size_t>(length, 1);
    }
    for (std::size_t length = mark_length(text_); length > 0; length = mark_length(text_)) {
        std::fill_n(text_.begin(), length, ' ');
    }
}

void LogLine::leave_out(std::string_view tag) {
    const auto alike = [](char a, char b) {
        return a == b || (is_digit(a) && is_digit(b)) ||
               (std::isalpha(static_cast<unsigned char>(a)) != 0 && std::isalpha(static_cast<unsigned char>(b)) != 0);
    };
    if (tag.empty() || text_.size() < tag.size() || !std::equal(tag.begin(), tag.end(), text_.begin(), alike)) {
        return;
    }
    const std::string own = text_.substr(0, tag.size());
    std::size_t at = 0;
    do {
        std::fill_n(text_.begin() + static_cast<std::ptrdiff_t>(at), own.size(), ' ');
        at = own.starts_with('[') ? text_.find(own) : std::string::npos;
    } while (at != std::string::npos);
}

std::vector<LogWord> LogLine::words() const { return split(text_, 1); }
std::vector<LogWord> LogLine::cells() const { return split(text_, 2); }

LogText::LogText(std::string_view text, const std::string& name) {
    std::string plain(text);  // escapes are no text to whoever reads files
    std::replace(plain.begin(), plain.end(), kEscape, ' ');
    source_ =
        files::read_text(std::move(plain), name, {.is = "a log, text", .too_large = "cut the log into several files"})
            .source;
    lines_.reserve(source_->lines.size());
    for (const std::string& line : source_->lines) {
        lines_.emplace_back(line, static_cast<int>(lines_.size()) + 1);
    }
}

LogText LogText::without(std::string_view tag) const {
    LogText rest = *this;
    for (LogLine& line : rest.lines_) {
        line.leave_out(tag);
    }
    return rest;
}

Location LogText::at(const LogLine& line) const {
    const std::size_t start = line.text().find_first_not_of(" \t\r");
    const std::size_t end = line.text().find_last_not_of(" \t\r");
    if (start == std::string::npos) {
        return {source_, line.number(), 1, 1};
    }
    return {source_, line.number(), static_cast<int>(start) + 1, static_cast<int>(end - start) + 1};
}

Location LogText::at(const LogLine& line, const LogWord& word) const {
    return {source_, line.number(), word.column, std::max(static_cast<int>(word.text.size()), 1)};
}

std::optional<Printed> printed(std::string_view text) {
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
        return std::nullopt;
    }
    const std::size_t exponent = std::min(text.find_first_of("eE"), text.size());
    const std::size_t point = text.find('.');
    const std::size_t digits = point < exponent ? exponent - point - 1 : 0;
    int scale = 0;
    if (exponent < text.size()) {
        const std::string_view tail = text.substr(exponent + (text.substr(exponent + 1).starts_with('+') ? 2 : 1));
        std::from_chars(tail.data(), tail.data() + tail.size(), scale);
    }
    return Printed{value, 0.5 * std::pow(10.0, scale - static_cast<int>(digits))};
}

std::optional<std::int64_t> whole(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{} || end != text.data() + text.size() || text.empty() || !is_digit(text.front())) {
        return std::nullopt;
    }
    return value;
}

std::vector<std::int64_t> numbers_in(std::string_view text) {
    std::vector<std::int64_t> all;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        std::int64_t value = 0;
        const auto [next, fault] = std::from_chars(at, end, value);
        if (fault == std::errc{}) {
            all.push_back(value);
        }
        at = fault == std::errc{} ? next : at + 1;
    }
    return all;
}

}  // namespace dodona::calibrate
