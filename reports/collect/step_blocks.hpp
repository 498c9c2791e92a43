// Blocks about one plan's step that several reports share; empty where there is nothing to say.
#pragma once

#include <string>
#include <vector>

#include "reports/document/document.hpp"
#include "step/prediction.hpp"

namespace dodona::reports {

/// Step time, throughput and utilisation.
std::vector<KeyFigure> speed_figures(const step::Prediction& prediction);
/// "60.0 GiB of 80.0 GiB on the fullest of 8 stages (embedding, 12 x layers)".
KeyFigure memory_figure(const step::Prediction& prediction);

StackedBar time_bar(const step::Prediction& prediction);
StackedBar memory_bar(const step::Prediction& prediction);

/// "gradient exchange: gradients take 15 % of the step; ...".
std::vector<std::string> bottleneck_items(const step::Prediction& prediction);
/// "reached: pipeline <= 96: there are 96 blocks".
std::vector<std::string> limit_items(const step::Prediction& prediction);
/// Where the numbers come from, and what makes the interval.
std::vector<std::string> evidence_items(const step::Prediction& prediction);

/// The kind of evidence behind the step, in one sentence.
std::string evidence_in_brief(const step::Prediction& prediction);

}  // namespace dodona::reports
