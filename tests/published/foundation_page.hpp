// What data sheets alone predict of published runs, as a page.
#pragma once

#include <string>

#include "megatron_runs.hpp"
#include "step/prediction.hpp"

namespace dodona::published {

step::Prediction predict_run(const MegatronRun& run);

/// lab/evidence/pages/foundation.md
std::string foundation_page();

}  // namespace dodona::published
