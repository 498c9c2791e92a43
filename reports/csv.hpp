// JSON records as CSV (RFC 4180): the headers are the paths of the JSON ("memory_bytes.total"), in the order in which
// they first appear. Lists of plain values are joined by "; "; lists of objects are in the JSON alone. Null is empty.
#pragma once

#include <string>
#include <vector>

#include "reports/json/prediction.hpp"

namespace dodona::reports {

std::string csv(const std::vector<Json>& records);

}  // namespace dodona::reports
