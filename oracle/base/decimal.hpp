// The decimal number at the front of a text.
#pragma once

#include <charconv>

namespace dodona {

/// As std::from_chars(begin, end, value), for a library that has it for whole numbers only (libc++ before 20).
std::from_chars_result decimal_at(const char* begin, const char* end, double& value);

/// The same by std::strtod, which rounds correctly too: what decimal_at is on such a library. A test holds that both agree.
std::from_chars_result decimal_by_strtod(const char* begin, const char* end, double& value);

}  // namespace dodona
