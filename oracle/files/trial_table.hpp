// Tables of trials that have run: their settings and how long each took. `dodona trials run` writes such a table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/quantity.hpp"
#include "trials/pool.hpp"
#include "trials/space.hpp"

namespace dodona::files {

/// Columns beside those of parameters.
inline constexpr std::string_view kTimeColumn = "time_s";
inline constexpr std::string_view kStateColumn = "state";
inline constexpr std::string_view kFinished = "finished";  ///< the state of rows that count

struct ObservedTrial {
    trials::Settings settings;  ///< of the parameters that the table has
    trials::Units units;        ///< zero where the table does not say
    Seconds time;
};

/// Rows that finished. Columns: parameters of the study, time_s, and as they are wanted cores, gpus, state, trial, try,
/// start_s, node and log. Throws InputError with every fault found.
std::vector<ObservedTrial> load_observed_trials(const std::string& path, const std::vector<trials::Parameter>& space);

}  // namespace dodona::files
