// Remarks on standard error, beside the answer.
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/printable.hpp"

namespace dodona::cli {

/// "note: ..." on a line of its own, with names of files and of what is in them as a terminal may show them.
template <class... Arguments>
void note(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    const std::string line = "note: " + fmt::format(text, std::forward<Arguments>(arguments)...) + "\n";
    std::fputs(printable(line).c_str(), stderr);
}

inline void print_notes(const std::vector<std::string>& notes) {
    for (const std::string& one : notes) {
        note("{}", one);
    }
}

}  // namespace dodona::cli
