#include "reports/render/terminal_colour.hpp"

#include <fmt/format.h>

#include "base/check.hpp"

namespace dodona::reports {

namespace {

int sequence_of(Emphasis emphasis) {
    switch (emphasis) {
        case Emphasis::bold: return 1;
        case Emphasis::dim: return 2;
        case Emphasis::good: return 32;
        case Emphasis::bad: return 31;
    }
    throw InternalError("an emphasis without an escape sequence");
}

}  // namespace

std::string emphasized(bool colour, Emphasis emphasis, std::string_view text) {
    return colour ? fmt::format("\x1b[{}m{}\x1b[0m", sequence_of(emphasis), text) : std::string(text);
}

std::string coloured(bool colour, int code, std::string_view text) {
    return colour ? fmt::format("\x1b[38;5;{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace dodona::reports
