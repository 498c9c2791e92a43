// Colours and weights of a terminal, as escape sequences. Whether there are any is the command line's decision.
#pragma once

#include <string>
#include <string_view>

namespace dodona::reports {

enum class Emphasis { bold, dim, good, bad };

std::string emphasized(bool colour, Emphasis emphasis, std::string_view text);

/// In one of the 256 colours that terminals have.
std::string coloured(bool colour, int code, std::string_view text);

}  // namespace dodona::reports
