// Numbers as users write them: 64, -1, 0.5, 4.09e9. No hexadecimal, no digit separators, nothing that is not finite.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace dodona::files {

/// Why a text is no number, as the end of a sentence: `is too large`.
struct NotANumber {
    std::string why;
};

inline constexpr std::string_view kOutOfRange = "is out of range";

std::variant<std::int64_t, NotANumber> whole_from(std::string_view text);
std::variant<double, NotANumber> decimal_from(std::string_view text);

/// Starts as a number does: a digit, a sign or a point.
bool looks_numeric(std::string_view text);

/// The shortest text that reads back as the same number.
std::string shortest(double value);

}  // namespace dodona::files
