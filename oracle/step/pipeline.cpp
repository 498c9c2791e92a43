#include "step/pipeline.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace dodona::step {

Seconds bubble(Seconds sum, Seconds slowest, std::int64_t virtual_stages) {
    return (sum - slowest) / static_cast<double>(virtual_stages);
}

PipelineTime pipeline_time(std::span<const Seconds> stage_times, std::int64_t microbatches,
                           std::int64_t virtual_stages) {
    check(!stage_times.empty() && microbatches >= 1 && virtual_stages >= 1,
          "a pipeline has stages, micro-batches and virtual stages");
    PipelineTime time;
    Seconds sum;
    for (std::size_t i = 0; i < stage_times.size(); ++i) {
        sum += stage_times[i];
        if (stage_times[i] > stage_times[time.critical]) {
            time.critical = i;
        }
    }
    const Seconds slowest = stage_times[time.critical];
    time.bubble = bubble(sum, slowest, virtual_stages);
    time.total = static_cast<double>(microbatches) * slowest + time.bubble;
    return time;
}

Seconds pipeline_transfers(Seconds filling, Seconds slowest, std::int64_t microbatches, std::int64_t virtual_stages,
                           bool overlapped) {
    const std::int64_t steady = overlapped ? 0 : microbatches * virtual_stages - 1;
    return 2.0 * (filling + static_cast<double>(steady) * slowest);
}

Seconds pipeline_transfers(std::span<const Seconds> boundaries, std::int64_t microbatches, std::int64_t virtual_stages,
                           bool overlapped) {
    if (boundaries.size() <= 1) {
        return {};
    }
    Seconds filling;
    Seconds slowest = boundaries[0];
    for (std::size_t s = 1; s < boundaries.size(); ++s) {
        filling += boundaries[s];
        slowest = max(slowest, boundaries[s]);
    }
    return pipeline_transfers(filling, slowest, microbatches, virtual_stages, overlapped);
}

std::vector<std::int64_t> in_flight(plan::ScheduleKind kind, std::int64_t stage, std::int64_t stages,
                                    std::int64_t microbatches, std::int64_t virtual_stages) {
    std::vector<std::int64_t> held(static_cast<std::size_t>(virtual_stages), 0);
    if (stages == 1) {
        std::fill(held.begin(), held.end(), std::int64_t{1});  // accumulation: one micro-batch after the other
        return held;
    }
    if (kind == plan::ScheduleKind::gpipe) {
        std::fill(held.begin(), held.end(), microbatches);
        return held;
    }
    if (virtual_stages == 1) {
        held[0] = std::min(microbatches, stages - stage);
        return held;
    }
    std::int64_t left =
        std::min(microbatches * virtual_stages, (virtual_stages - 1) * stages + 2 * (stages - stage - 1) + 1);
    for (std::size_t c = 0; left > 0; c = (c + 1) % held.size()) {
        const std::int64_t passes = std::min({left, stages, microbatches - held[c]});
        held[c] += passes;
        left -= passes;
        if (passes == 0 && c + 1 == held.size()) {
            break;
        }
    }
    return held;
}

}  // namespace dodona::step
