// What an answer hangs on, in words and as a table.
//
//   parameter                   now         1 % more  flips at   change  to
//   time of matrix products     1.12        +0.58 %
//   bandwidth (unit, system)    25.0 GB/s   -0.02 %   13.9 GB/s  ÷ 1.80  megatron: tensor 8, data 16, pipeline 8
#pragma once

#include <string>
#include <vector>

#include "reports/style.hpp"
#include "reports/table.hpp"
#include "search/answer.hpp"

namespace dodona::reports {

/// "13.9 GB/s", "1.12", "1,536".
std::string text(const search::Amount& amount);

/// `plans`: a ranking whose first plan is explained, or that plan alone.
std::string explanation_text(const search::Explanation& explanation, const std::vector<step::Prediction>& plans,
                             Style style);
std::string explanation_markdown(const search::Explanation& explanation, const std::vector<step::Prediction>& plans);

/// A row for each crossover, and one for each parameter without that the time hangs on, or that was not looked at.
Table sensitivity_table(const search::Explanation& explanation);

/// The sentences above the table: what the time hangs on, what the choice hangs on, what is left of the memory.
std::vector<std::string> hangs_on(const search::Explanation& explanation, const std::vector<step::Prediction>& plans);

}  // namespace dodona::reports
