// Strategies: the list of `dodona strategies`, and one of them with its rules.
#pragma once

#include <string>
#include <vector>

#include "plan/strategy.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

/// "kind conv: filter on filter while extent/ways >= window": one rule in a line.
std::string rule_text(const plan::Rule& rule);
/// Each rule in a line.
std::vector<std::string> rule_texts(const plan::Strategy& strategy);

Document strategy_document(const plan::Strategy& strategy);
/// What a search looks in.
std::string strategy_facts(const plan::Strategy& strategy);
Document strategies_document(const std::vector<plan::Strategy>& strategies);

}  // namespace dodona::reports
