// The text of `dodona largest`: the largest value, what it gives, and why nothing larger does.
#pragma once

#include <string>

#include "reports/sized.hpp"
#include "reports/style.hpp"

namespace dodona::reports {

std::string largest_text(const LargestReport& report, Style style);
std::string largest_markdown(const LargestReport& report);

}  // namespace dodona::reports
