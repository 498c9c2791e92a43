#include "base/decimal.hpp"

#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

namespace dodona {

namespace {

const char* after_digits(const char* at, const char* end) {
    while (at != end && *at >= '0' && *at <= '9') {
        ++at;
    }
    return at;
}

/// Behind "inf", "infinity", "nan" or "nan(...)" in capitals or not; `begin` where there is none of them.
const char* after_word(const char* begin, const char* end) {
    std::string lower;
    for (const char* at = begin; at != end; ++at) {
        lower += *at >= 'A' && *at <= 'Z' ? static_cast<char>(*at - 'A' + 'a') : *at;
    }
    for (const std::string_view word : {"infinity", "inf", "nan"}) {
        if (lower.starts_with(word)) {
            const char* const behind = begin + word.size();
            const std::size_t close = word == "nan" && behind != end && *behind == '('
                                          ? lower.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", 4)
                                          : std::string::npos;
            return close != std::string::npos && lower[close] == ')' ? begin + close + 1 : behind;
        }
    }
    return begin;
}

/// Behind digits with a point among them, behind them or before them; `begin` where there is no digit.
const char* after_mantissa(const char* begin, const char* end) {
    const char* const whole = after_digits(begin, end);
    const char* const fraction = whole != end && *whole == '.' ? after_digits(whole + 1, end) : whole;
    return fraction - begin > (fraction == whole ? 0 : 1) ? fraction : begin;
}

/// Behind "e+12"; `begin` where no digit follows the e.
const char* after_exponent(const char* begin, const char* end) {
    if (begin == end || (*begin != 'e' && *begin != 'E')) {
        return begin;
    }
    const char* const sign = begin + 1;
    const char* const digits = sign != end && (*sign == '+' || *sign == '-') ? sign + 1 : sign;
    const char* const behind = after_digits(digits, end);
    return behind == digits ? begin : behind;
}

}  // namespace

std::from_chars_result decimal_by_strtod(const char* begin, const char* end, double& value) {
    const char* const unsigned_begin = begin != end && *begin == '-' ? begin + 1 : begin;
    const char* const mantissa_end = after_mantissa(unsigned_begin, end);
    const bool is_word = mantissa_end == unsigned_begin;
    const char* const number_end = is_word ? after_word(unsigned_begin, end) : after_exponent(mantissa_end, end);
    if (number_end == unsigned_begin) {
        return {begin, std::errc::invalid_argument};
    }
    const double read = std::strtod(std::string(begin, number_end).c_str(), nullptr);
    const std::string_view mantissa(unsigned_begin, static_cast<std::size_t>(mantissa_end - unsigned_begin));
    const bool is_zero = mantissa.find_first_of("123456789") == std::string_view::npos;
    if (!is_word && (std::isinf(read) || (read == 0 && !is_zero))) {
        return {number_end, std::errc::result_out_of_range};
    }
    value = read;
    return {number_end, std::errc{}};
}

#ifdef __cpp_lib_to_chars
std::from_chars_result decimal_at(const char* begin, const char* end, double& value) {
    return std::from_chars(begin, end, value);
}
#else
std::from_chars_result decimal_at(const char* begin, const char* end, double& value) {
    return decimal_by_strtod(begin, end, value);
}
#endif

}  // namespace dodona
