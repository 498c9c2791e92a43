// The answer of `dodona largest` as JSON: `dodona/largest/1`.
#pragma once

#include <vector>

#include "reports/json/sizing.hpp"

namespace dodona::reports {

Json largest_json(const LargestReport& report);
/// One record for each value that was searched.
std::vector<Json> largest_rows(const LargestReport& report);

}  // namespace dodona::reports
