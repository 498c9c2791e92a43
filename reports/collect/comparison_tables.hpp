// Tables about measured runs. Empty where there is nothing to say.
//
//   Worst runs
//     run        group             measured  predicted    error  made of
//     MEGA-0056  korthikanti-tab5     1.1 s     794 ms  -27.8 %  backward 57 %, forward 28 %, layer 11 %
#pragma once

#include <cstddef>
#include <optional>

#include "reports/document/document.hpp"
#include "validate/comparison.hpp"

namespace dodona::reports {

/// The runs with the largest errors, the worst first, and the largest parts of their predicted times.
Table worst_runs(const validate::Comparison& comparison, std::size_t most);

/// How many runs did fit or not, by what was predicted.
Table fit_table(const validate::FitCounts& counts);

/// Errors with and without the runs of which something had to be assumed; empty where there are no such runs.
Table assumption_table(const validate::Statistics& all);

/// Errors of computation and communication apart, where they were measured.
Table part_table(const validate::Comparison& comparison);

/// Reasons for refusals with their runs, the most frequent first; a last line says how many more there are.
Table refusal_table(const validate::Comparison& comparison, std::size_t most);

/// 51.5 %, +3.2 %; empty where there is nothing.
Cell ratio(const std::optional<double>& value);
Cell signed_ratio(const std::optional<double>& value);

}  // namespace dodona::reports
