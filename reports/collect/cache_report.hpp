// The report of `dodona cache`: input and steps by epoch.
#pragma once

#include <vector>

#include "reports/collect/prediction_report.hpp"
#include "reports/document/document.hpp"
#include "step/sample_cache.hpp"

namespace dodona::reports {

Document cache_document(const Subject& subject, const step::Prediction& prediction,
                        const step::SampleCacheQuestion& question, const std::vector<step::EpochInput>& epochs);

}  // namespace dodona::reports
