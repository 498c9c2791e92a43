// The answer of `dodona plan` as a record: `dodona/plan/1`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/collect/ranking.hpp"
#include "reports/document/record.hpp"
#include "search/answer.hpp"

namespace dodona::reports {

/// P for each plan, ranked, with the probability that the first is faster.
std::vector<Record> ranking_record(const Ranking& ranking);

/// Options as they were given, as (option, value).
Record settings_record(const std::vector<std::pair<std::string, std::string>>& settings);

/// A change of a question, with the plan that it makes possible.
Record remedy_record(const search::Remedy& remedy);

Record answer_record(const search::Answer& answer, const Ranking& ranking);

}  // namespace dodona::reports
