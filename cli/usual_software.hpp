// Plans in the software that is usual for their strategy, where a search compared all strategies in another.
#pragma once

#include <optional>

#include "cli/workload.hpp"
#include "search/answer.hpp"
#include "search/space.hpp"

namespace dodona::cli {

/// Answer::in_usual_framework. `answer`: to the question of `space`, whose framework the user has left open.
std::optional<step::Prediction> in_usual_framework(const Workload& workload, const search::Space& space,
                                                   const search::Answer& answer);

}  // namespace dodona::cli
