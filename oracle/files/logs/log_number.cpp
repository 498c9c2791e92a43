#include "files/logs/log_number.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "base/decimal.hpp"

namespace dodona::files {

namespace {

constexpr std::size_t kMaxDigits = 40;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Does the character at `at` belong to a number that has `digits` so far?
bool continues(std::string_view rest, std::size_t at, const std::string& digits) {
    const char c = rest[at];
    const char next = at + 1 < rest.size() ? rest[at + 1] : ' ';
    if (is_digit(c) || c == '.') {
        return true;
    }
    if (c == 'e' || c == 'E') {
        return !digits.empty() && (is_digit(next) || next == '-' || next == '+');
    }
    return (c == '-' || c == '+') && !digits.empty() && (digits.back() == 'e' || digits.back() == 'E');
}

/// 1e3 for the K of 1.23K; 1 where there is none, as in 1.23GiB.
double scale_at(std::string_view rest, std::size_t at) {
    if (at >= rest.size() || (at + 1 < rest.size() && std::isalpha(static_cast<unsigned char>(rest[at + 1])) != 0)) {
        return 1;
    }
    switch (rest[at]) {
        case 'K': return 1e3;
        case 'M': return 1e6;
        case 'G': return 1e9;
        case 'T': return 1e12;
        default: return 1;
    }
}

std::string_view without(std::string_view text, std::string_view characters) {
    return text.substr(std::min(text.find_first_not_of(characters), text.size()));
}

}  // namespace

std::optional<LogNumber> number_after(std::string_view line, std::string_view key) {
    const std::size_t found = line.find(key);
    if (key.empty() || found == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view rest = without(line.substr(found + key.size()), " \t=:'\"");
    if (rest.starts_with("..")) {
        rest = without(without(rest, "."), " \t");
    }
    std::string digits;
    std::size_t at = 0;
    for (; at < rest.size() && digits.size() < kMaxDigits; ++at) {
        const bool is_grouping = rest[at] == ',' && at + 1 < rest.size() && is_digit(rest[at + 1]);
        if (continues(rest, at, digits)) {
            digits += rest[at];
        } else if (!is_grouping) {
            break;
        }
    }
    double value = 0;
    const auto read = decimal_at(digits.data(), digits.data() + digits.size(), value);
    if (read.ec != std::errc() || digits.empty()) {
        return std::nullopt;
    }
    const double scale = scale_at(rest, at);
    return LogNumber{.value = value * scale, .is_rounded = scale > 1};
}

}  // namespace dodona::files
