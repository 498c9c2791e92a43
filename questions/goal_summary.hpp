// Goals of a run and what it takes: the same phrases and figures in the reports of `size` and `largest`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "questions/goals.hpp"
#include "reports/document/document.hpp"

namespace dodona::questions {

/// "184,000 tokens/s", or samples of a model without tokens.
reports::Rate throughput(const GoalInputs& question, double samples_per_second);
reports::Rate throughput(const step::Prediction& prediction);
/// "300 billion tokens in 30.0 d for 1.50 million USD"; empty where the only goal is to fit.
std::string goals_text(const GoalInputs& question, const std::optional<cluster::Price>& price);
/// "training  27.9 d (90 % interval 25.0 to 31.8 d), 687,000 GPU-hours, 1.37 million USD"; its plan and its figures.
std::vector<reports::KeyFigure> attempt_figures(const search::Attempt& attempt,
                                                const std::optional<cluster::Price>& price);
/// The goal that an attempt misses, and by how much: "33.1 d, 10.3 % too long"; of what does not fit, why.
std::string missed_goal(const search::Attempt& attempt, const std::optional<cluster::Price>& price);
/// The price of a million tokens (or samples); none without one.
std::optional<Money> cost_of_million(const step::Prediction& prediction, const std::optional<cluster::Price>& price);
/// A cell with it, empty without a price.
reports::Cell cost_of_million_cell(const step::Prediction& prediction, const std::optional<cluster::Price>& price);

/// The command that searches plans for the answer: its options but for what `settings` say, as a user would type them.
std::string plan_command(const GoalInputs& question, const std::string& machine, const search::Attempt& answer);

}  // namespace dodona::questions
