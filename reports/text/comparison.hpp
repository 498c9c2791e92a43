// Predicted against measured, for people: errors by group, and what was refused why.
#pragma once

#include <string>

#include "reports/style.hpp"
#include "validate/comparison.hpp"

namespace dodona::reports {

/// `table` is how the user called the table of runs.
std::string comparison_text(const std::string& table, const validate::Comparison& comparison, Style style);
std::string comparison_markdown(const std::string& table, const validate::Comparison& comparison);

}  // namespace dodona::reports
