// The answer of `dodona size` as JSON: `dodona/size/1`.
#pragma once

#include <vector>

#include "reports/json/prediction.hpp"
#include "reports/sized.hpp"

namespace dodona::reports {

/// Goals, settings and model, as both backward questions carry them.
Json backward_inputs(const BackwardQuestion& question, const std::optional<cluster::Price>& price);
/// One count or value that was searched.
Json attempt_json(const search::Attempt& attempt, const std::optional<cluster::Price>& price);
/// The same as a record of a table: without what is absent as a whole.
Json attempt_row(const search::Attempt& attempt, const std::optional<cluster::Price>& price);
Json price_json(const std::optional<cluster::Price>& price);

Json sizing_json(const SizingReport& report);
/// One record for each count that was searched, of all machines.
std::vector<Json> sizing_rows(const SizingReport& report);

}  // namespace dodona::reports
