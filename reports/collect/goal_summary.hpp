// What a run must reach and what it takes, in words: the same phrases in the reports of `size` and `largest`.
#pragma once

#include <optional>
#include <string>

#include "reports/sized.hpp"

namespace dodona::reports {

/// "300 billion tokens": samples as the network counts them.
std::string work_words(const BackwardQuestion& question, double samples);
/// "184,000 tokens/s".
std::string rate_words(const BackwardQuestion& question, double samples_per_second);
std::string rate_words(const step::Prediction& prediction);
/// "300 billion tokens in 30.0 d for 1.50 million USD"; empty where nothing was asked for but to fit.
std::string goal_words(const BackwardQuestion& question, const std::optional<cluster::Price>& price);
/// "27.9 d (90 % interval 25.0 to 31.8 d), 687,000 GPU-hours, 1.37 million USD".
std::string run_words(const search::TrainingRun& run, const std::optional<cluster::Price>& price);
/// "33.1 d, 10.3 % too long"; of what does not fit, why.
std::string missed_words(const search::Attempt& attempt, const std::optional<cluster::Price>& price);
/// What a million tokens (or samples) cost at the price; empty without one.
std::string unit_cost_words(const step::Prediction& prediction, const std::optional<cluster::Price>& price);
/// The samples that make a million tokens, or a million samples of a network without tokens.
double samples_of_a_million(const step::Prediction& prediction);

}  // namespace dodona::reports
