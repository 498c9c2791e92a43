// The text of `dodona plan`: the answer in three lines, the ranking, why the first is first, what does not fit, the
// evidence, and what to type next.
#pragma once

#include <string>

#include "reports/style.hpp"
#include "reports/table.hpp"
#include "search/answer.hpp"

namespace dodona::reports {

/// `saved`: the file that the best plan was written to, or empty.
std::string answer_text(const search::Answer& answer, const std::string& saved, Style style);
std::string answer_markdown(const search::Answer& answer);

/// At most seven columns. "~2": cannot be told apart from No. 1.
Table ranking(const std::vector<step::Prediction>& plans);

/// Which plans cannot be told apart from the first, and which others from each other; empty if all can.
std::string ties(const std::vector<step::Prediction>& plans);

/// What sets the first plan apart from the second: "No. 2 takes 3.1 % longer: gradient reduction +0.41 s, ...".
std::string against_runner_up(const step::Prediction& first, const step::Prediction& second);

}  // namespace dodona::reports
