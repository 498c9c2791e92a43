#include "reports/bar.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "reports/figures.hpp"
#include "reports/table.hpp"

namespace dodona::reports {

namespace {

constexpr std::size_t kWidth = 72;

struct Fill {
    std::string_view character;
    Paint paint;
};
constexpr std::array kFills{Fill{"█", Paint::blue},   Fill{"▓", Paint::cyan},    Fill{"▒", Paint::green},
                            Fill{"░", Paint::yellow}, Fill{"▚", Paint::magenta}, Fill{"▤", Paint::red}};

std::string repeated(std::string_view character, std::size_t times) {
    std::string line;
    for (std::size_t i = 0; i < times; ++i) {
        line += character;
    }
    return line;
}

std::vector<BarPart> without_crumbs(const Bar& bar) {
    std::vector<BarPart> parts;
    BarPart other{.name = "other"};
    for (const BarPart& part : bar.parts) {
        if (part.amount >= 0.01 * bar.whole) {
            parts.push_back(part);
        } else {
            other.amount += part.amount;
        }
    }
    if (other.amount > 0) {
        parts.push_back(other);
    }
    return parts;
}

/// Cells of each part, rounded so that they add up to the rounded sum of all (no drift).
std::vector<std::size_t> cells(const std::vector<BarPart>& parts, double whole) {
    std::vector<std::size_t> result;
    double seen = 0;
    std::size_t drawn = 0;
    for (const BarPart& part : parts) {
        seen += part.amount;
        const double exact = std::round(seen / whole * static_cast<double>(kWidth));
        const std::size_t until = std::clamp(static_cast<std::size_t>(exact), drawn, kWidth);
        result.push_back(until - drawn);
        drawn = until;
    }
    return result;
}

}  // namespace

std::string to_text(const Bar& bar, Style style, std::string_view indent) {
    const double sum = std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0,
                                       [](double s, const BarPart& p) { return s + p.amount; });
    const double whole = std::max(bar.whole, sum);
    if (!(whole > 0) || !std::isfinite(whole)) {
        return {};
    }
    const std::vector<BarPart> parts = without_crumbs({bar.parts, whole});
    const std::vector<std::size_t> widths = cells(parts, whole);
    std::string drawing(indent);
    std::string legend;
    std::size_t used = 0;
    std::size_t column = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Fill& fill = kFills[i % kFills.size()];
        drawing += painted(style, fill.paint, repeated(fill.character, widths[i]));
        used += widths[i];
        const std::string entry =
            " " + parts[i].name + " " + percent(parts[i].amount / (bar.whole > 0 ? bar.whole : whole));
        const std::size_t columns = display_columns(entry) + 1;
        if (column > 0 && column + 3 + columns > kWidth + 8) {
            legend.append("\n").append(indent);
            column = 0;
        } else if (column > 0) {
            legend += "   ";
            column += 3;
        }
        legend += painted(style, fill.paint, fill.character) + entry;
        column += columns;
    }
    drawing += painted(style, Paint::dim, repeated("·", kWidth - used));
    return drawing + "\n" + std::string(indent) + legend + "\n";
}

}  // namespace dodona::reports
