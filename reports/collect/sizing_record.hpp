// The answer of `dodona size` as a record: `dodona/size/1`.
#pragma once

#include <optional>
#include <vector>

#include "reports/collect/sizing_answer.hpp"
#include "reports/document/record.hpp"

namespace dodona::reports {

/// Goals, settings and model, of `size` and `largest` alike.
Record sizing_inputs(const SizingInputs& question, const std::optional<cluster::Price>& price);
/// One count or value that was searched.
Record attempt_record(const search::Attempt& attempt, const std::optional<cluster::Price>& price);
/// The same as the row of a table: other rows may have the members of what is null here.
Record attempt_row(const search::Attempt& attempt, const std::optional<cluster::Price>& price);
Record price_record(const std::optional<cluster::Price>& price);

Record sizing_record(const SizingAnswer& answer);
/// One for each count that was searched, of all machines.
std::vector<Record> sizing_rows(const SizingAnswer& answer);

}  // namespace dodona::reports
