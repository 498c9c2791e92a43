// The text of `dodona limits`: whether the number asked for will do, one line a strategy, what sets each axis, where
// more devices stop paying.
//
//   strategy  most GPUs  set by        fits memory  worthwhile to  then
//   filter           64  filter <= 64  on 4 to 64   8              layer collectives
#pragma once

#include <string>

#include "reports/style.hpp"
#include "reports/table.hpp"
#include "search/limits.hpp"

namespace dodona::reports {

std::string limits_text(const search::LimitsAnswer& answer, Style style);
std::string limits_markdown(const search::LimitsAnswer& answer);

/// One line a strategy.
Table limits_table(const search::LimitsAnswer& answer);
/// The numbers of devices that were looked at for one strategy.
Table rung_table(const search::StrategyLimits& limits);

}  // namespace dodona::reports
