// The text of `dodona size`: how many devices, what they give, why not fewer, and what half and double would give.
#pragma once

#include <string>

#include "reports/sized.hpp"
#include "reports/style.hpp"
#include "reports/table.hpp"

namespace dodona::reports {

std::string sizing_text(const SizingReport& report, Style style);
std::string sizing_markdown(const SizingReport& report);

/// The counts that were searched: all of a few; of many the answer, its neighbours, half and double, and some between.
Table sizes(const SizingReport& report, const SizedMachine& machine);

}  // namespace dodona::reports
