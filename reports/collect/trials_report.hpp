// The report of `dodona trials`: how long a study takes, and why.
#pragma once

#include <string>

#include "reports/document/document.hpp"
#include "trials/forecast.hpp"

namespace dodona::reports {

/// "1 core", "2 GPUs", "4 cores and 1 GPU".
std::string units_text(const trials::Units& units);

Document trials_document(const std::string& study, const trials::Question& question, const trials::Forecast& answer);

}  // namespace dodona::reports
