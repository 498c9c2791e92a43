#include "files/number.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/decimal.hpp"

namespace dodona::files {

std::variant<std::int64_t, NotANumber> whole_from(std::string_view text) {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec == std::errc::result_out_of_range) {
        return NotANumber{"is too large for a whole number"};
    }
    if (text.empty() || result.ec != std::errc{} || result.ptr != end) {
        return NotANumber{"is not a whole number"};
    }
    return value;
}

std::variant<double, NotANumber> decimal_from(std::string_view text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto result = decimal_at(text.data(), end, value);
    if (result.ec == std::errc::result_out_of_range) {
        return NotANumber{std::string(kOutOfRange)};
    }
    if (text.empty() || result.ec != std::errc{} || result.ptr != end) {
        return NotANumber{"is not a number"};
    }
    if (!std::isfinite(value)) {
        return NotANumber{"is not a finite number"};
    }
    return value;
}

bool looks_numeric(std::string_view text) {
    return !text.empty() && std::string_view("0123456789+-.").find(text[0]) != std::string_view::npos;
}

std::string shortest(double value) { return fmt::format("{}", value); }

}  // namespace dodona::files
