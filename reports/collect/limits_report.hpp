// The report of `dodona limits`: whether the number of devices in question works, one line a strategy, what limits each
// axis, and where more devices stop paying.
//
//   strategy  most GPUs  limited by    fits memory  worthwhile to  then
//   filter           64  filter <= 64  on 4 to 64   8              filter communication
#pragma once

#include "reports/document/document.hpp"
#include "search/limits.hpp"

namespace dodona::reports {

Document limits_document(const search::LimitsAnswer& answer);

}  // namespace dodona::reports
