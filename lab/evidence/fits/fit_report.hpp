// The table that a fitting run prints: error on held-out rows, before and after.
#pragma once

#include <string>

#include "calibrate/fit/fit.hpp"

namespace dodona::calibrate {

std::string report_heading();
std::string report_line(const std::string& profile, const Fitted& fitted);

}  // namespace dodona::calibrate
