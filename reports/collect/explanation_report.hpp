// What an answer is sensitive to, in sentences and as a table.
//
//   parameter                   now         1 % more  crossover at  change  to
//   time of matrix products     1.12        +0.58 %
//   bandwidth (unit, system)    25.0 GB/s   -0.02 %   13.9 GB/s     ÷ 1.80  megatron: tensor 8, data 16, pipeline 8
#pragma once

#include <vector>

#include "reports/document/document.hpp"
#include "search/explanation.hpp"

namespace dodona::reports {

/// A parameter's value, with its unit.
Cell amount_cell(const search::Amount& amount);

/// Adds the section. `plans`: a ranking whose first plan is explained, or that plan alone.
void add_explanation(Document& document, const search::Explanation& explanation,
                     const std::vector<step::Prediction>& plans);

}  // namespace dodona::reports
