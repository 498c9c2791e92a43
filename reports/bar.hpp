// Stacked bars with a legend.
//
//   ██████████████████▓▓▓▓▓▓▓▓▓▓▒▒▒░░░·····
//   █ forward 45.0 %  ▓ backward 25.1 %  ▒ bubble 8.0 %  ░ layer collectives 5.2 %
#pragma once

#include <string>
#include <vector>

#include "reports/style.hpp"

namespace dodona::reports {

struct BarPart {
    std::string name;
    double amount = 0;
};

struct Bar {
    std::vector<BarPart> parts;  ///< in order; parts of nothing are left out
    double whole = 0;            ///< what percentages are of, and the full width; what is missing is drawn as dots
};

/// The bar and its legend, each line behind `indent`. Parts below 1 % of the whole are added to "other".
std::string to_text(const Bar& bar, Style style, std::string_view indent);

}  // namespace dodona::reports
