// Predicted against measured, for people: errors by group, what was refused why, memory, the worst runs and what their
// time is made of.
#pragma once

#include <cstddef>
#include <string>

#include "reports/document/document.hpp"
#include "validate/comparison.hpp"

namespace dodona::reports {

struct ComparisonView {
    std::string table;      ///< how the user called the table of runs
    std::size_t worst = 5;  ///< runs with the largest errors that are shown
};

Document comparison_document(const ComparisonView& view, const validate::Comparison& comparison);

}  // namespace dodona::reports
