#include "base/csv_cell.hpp"

#include <string_view>

#include "base/decimal.hpp"
#include "base/printable.hpp"

namespace dodona {

namespace {

bool is_number(const std::string& text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto read = decimal_at(text.data(), end, value);
    return read.ec == std::errc() && read.ptr == end;
}

}  // namespace

/// What a spreadsheet would take for a formula has an apostrophe before it, which shows as nothing there.
/// Source: OWASP, "CSV Injection".
std::string csv_text(const std::string& text) {
    const bool starts_one = !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
    const bool is_formula = starts_one && !is_number(text);
    return printable(is_formula ? "'" + text : text);
}

std::string csv_cell(const std::string& content) {
    if (content.find_first_of(",\"\r\n") == std::string::npos) {
        return content;
    }
    std::string result = "\"";
    for (const char c : content) {
        result += c;
        if (c == '"') {
            result += c;
        }
    }
    return result + "\"";
}

}  // namespace dodona
