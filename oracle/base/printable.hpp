// Text of a user's files and command line, made safe to show.
#pragma once

#include <string>
#include <string_view>

namespace dodona {

/// The text with everything written out that a terminal or a page would obey rather than show: control characters but
/// for tab and line end, those of the second half of Latin-1 (C1), marks that change the direction of text or start a
/// line, and bytes that are no UTF-8: "\x1b[2J", "\u202e". Other text is left as it is.
std::string printable(std::string_view text);

/// Likewise, and on one line that it cannot end: for names in comments of scripts and settings.
std::string printable_line(std::string_view text);

/// The same for a JSON text, with JSON's own escapes: it reads back as it was.
std::string printable_json(std::string_view json);

}  // namespace dodona
