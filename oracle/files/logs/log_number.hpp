// Numbers in the lines of a log, by the words before them.
#pragma once

#include <optional>
#include <string_view>

namespace dodona::files {

struct LogNumber {
    double value = 0;
    bool is_rounded = false;  ///< nanotron's 1.23K: three digits of it are known
};

/// The number after a key; nothing where there is none. Blanks, `=`, `:`, quotes and dots that lead to it may stand
/// between; 1,234 and 1.23K are numbers.
std::optional<LogNumber> number_after(std::string_view line, std::string_view key);

}  // namespace dodona::files
