// Colour of texts for a terminal. Reports never ask what they are printed on: the command line says.
#pragma once

#include <string>
#include <string_view>

namespace dodona::reports {

struct Style {
    bool colour = false;
};

enum class Paint { bold, dim, red, green, yellow, blue, magenta, cyan };

/// `text` in the paint given, or unchanged where the style has no colour.
std::string painted(Style style, Paint paint, std::string_view text);

}  // namespace dodona::reports
