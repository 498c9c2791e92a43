// Samples that are read from afar, then from disks, then from memory, for tests of reports.
#pragma once

#include <vector>

#include "reports/collect/cache_report.hpp"
#include "scene.hpp"

namespace dodona::reports::testing {

inline Document cached_epochs() {
    const std::vector<cluster::SampleTier> tiers{
        {.name = "remote", .bandwidth = 1_GB_per_s},
        {.name = "ssd", .memory = 100_GB, .bandwidth = 2_GB_per_s},
        {.name = "memory", .memory = 10_GB, .bandwidth = 50_GB_per_s, .decoded = true}};
    const step::SampleCacheQuestion question{.tiers = tiers,
                                             .samples = 1e6,
                                             .sample = 100'000_B,
                                             .tensors = 600'000_B,
                                             .nodes = 2,
                                             .batch = 512,
                                             .epochs = 3,
                                             .step = 20'000_us,
                                             .input = {}};
    return cache_document({"net", "box"}, pipelined(), question, step::epoch_inputs(question));
}

}  // namespace dodona::reports::testing
