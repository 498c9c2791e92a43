// Commands that lead on from an answer, ready to paste into a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/answer.hpp"

namespace dodona::reports {

/// A word as a POSIX shell reads it back.
std::string shell_word(std::string_view word);

/// `saved`: the file that holds the best plan, or empty.
std::vector<std::string> next_commands(const search::Answer& answer, const std::string& saved);

}  // namespace dodona::reports
