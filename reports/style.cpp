#include "reports/style.hpp"

#include <fmt/format.h>

#include "base/check.hpp"

namespace dodona::reports {

namespace {

int code(Paint paint) {
    switch (paint) {
        case Paint::bold: return 1;
        case Paint::dim: return 2;
        case Paint::red: return 31;
        case Paint::green: return 32;
        case Paint::yellow: return 33;
        case Paint::blue: return 34;
        case Paint::magenta: return 35;
        case Paint::cyan: return 36;
    }
    throw InternalError("a paint without a code");
}

}  // namespace

std::string painted(Style style, Paint paint, std::string_view text) {
    return style.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code(paint), text) : std::string(text);
}

}  // namespace dodona::reports
