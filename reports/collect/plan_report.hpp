// The report of `dodona plan`: the answer in a few figures, the ranking, why the first is first, what does not fit, the
// evidence, and the commands to go on with.
#pragma once

#include <string>

#include "reports/collect/ranking.hpp"
#include "reports/document/document.hpp"
#include "search/answer.hpp"

namespace dodona::reports {

/// `saved`: the file that the best plan was written to, or empty.
Document plan_document(const search::Answer& answer, const std::string& saved);

/// In the report of a plan that cannot run: plans of its job that do, each searched, and the commands that find them.
void add_plans_that_run(Document& document, const search::Answer& answer);

/// At most seven columns. "~2": tied with No. 1.
Table ranking_table(const Ranking& ranking);

/// How the second plan differs from the first: "No. 2 takes 3.1 % longer: gradient reduction +0.41 s, ...".
std::string against_runner_up(const Ranking& ranking);

}  // namespace dodona::reports
