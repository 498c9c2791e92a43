// Text in the columns of a terminal: how wide it is, and where it is broken into lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dodona::reports {

/// Columns that a terminal needs for a UTF-8 text: combining marks none, East Asian wide characters two.
std::size_t display_columns(std::string_view text);

/// `text` broken at blanks into lines of at most `width` columns; a longer word has a line of its own. A number stays
/// on the line of the word before it and of its unit.
std::vector<std::string> lines_of(std::string_view text, std::size_t width);

/// The same in one string, each line after the first behind `indent`; the first is `width` wide, the others less.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent);

}  // namespace dodona::reports
