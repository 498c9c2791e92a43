// The answer of `dodona largest` as a record: `dodona/largest/1`.
#pragma once

#include <vector>

#include "reports/collect/sizing_answer.hpp"
#include "reports/document/record.hpp"

namespace dodona::reports {

Record largest_record(const LargestAnswer& answer);
/// One for each value that was searched.
std::vector<Record> largest_rows(const LargestAnswer& answer);

}  // namespace dodona::reports
