// Samples that are read from afar, then from disks, then from memory, for tests of reports.
#pragma once

#include "questions/cache/cache.hpp"
#include "scene.hpp"

namespace dodona::reports::testing {

inline Document cached_epochs() {
    const questions::cache::Question question{
        .one = {.workload = {.subject = {"net", "box"}, .files = files::Library("")}, .plan = {}},
        .tiers = {{.name = "remote", .bandwidth = 1_GB_per_s},
                  {.name = "memory", .memory = 10_GB, .bandwidth = 50_GB_per_s}},
        .epochs = 2,
        .samples = 1e6,
        .sample = 100'000_B};
    const auto epoch = [](std::int64_t number, Seconds reading, std::vector<questions::cache::TierRead> tiers) {
        return questions::cache::Epoch{.number = number,
                                       .input = {.tiers = {},
                                                 .reading = reading,
                                                 .decoding = 1'000_us,
                                                 .exposed = 2'000_us,
                                                 .step = 22'000_us,
                                                 .steps = 10,
                                                 .time = 220'000_us},
                                       .tiers = std::move(tiers)};
    };
    return document(questions::cache::Answer{
        .question = question,
        .prediction = pipelined(),
        .decoded = 600'000_B,
        .nodes = 2,
        .step = 20'000_us,
        .prefetched = true,
        .epochs = {epoch(1, 12'000_us, {{"remote", 1, 12'000_us}}),
                   epoch(2, 6'000_us, {{"remote", 0.5, 6'000_us}, {"memory", 0.5, 1'000_us}})}});
}

}  // namespace dodona::reports::testing
