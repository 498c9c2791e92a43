// Strategies: the list of `dodona strategies`, and one of them with its rules.
#pragma once

#include <string>
#include <vector>

#include "plan/strategy.hpp"
#include "reports/json/prediction.hpp"
#include "reports/style.hpp"
#include "reports/table.hpp"

namespace dodona::reports {

/// "kind conv: filter on filter while extent/ways >= window": one rule in a line.
std::string rule_words(const plan::Rule& rule);

/// Each rule in words.
Json rules_json(const plan::Strategy& strategy);
Json strategy_json(const plan::Strategy& strategy);
std::string strategy_text(const plan::Strategy& strategy, Style style);
std::string strategy_markdown(const plan::Strategy& strategy);

Json strategies_json(const std::vector<plan::Strategy>& strategies);
Table strategies_table(const std::vector<plan::Strategy>& strategies);

}  // namespace dodona::reports
