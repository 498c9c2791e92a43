// The answer of `dodona limits` as a record: `dodona/limits/1`.
#pragma once

#include <vector>

#include "reports/document/record.hpp"
#include "search/limits.hpp"

namespace dodona::reports {

Record limits_record(const search::LimitsAnswer& answer);
/// One for each strategy.
std::vector<Record> limits_rows(const search::LimitsAnswer& answer);

}  // namespace dodona::reports
