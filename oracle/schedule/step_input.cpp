#include "schedule/step_input.hpp"

#include <algorithm>
#include <cmath>

#include "schedule/stage_time.hpp"

namespace dodona::schedule {

namespace {

/// Every node reads its share of the batch; the largest counts.
Seconds reading_time(const CostedGraph& costed, const plan::Plan& plan, const std::vector<Dealt>& dealt,
                     std::int64_t microbatches) {
    const auto& storage = costed.cluster->storage;
    const auto& bytes = costed.graph->dataset.sample_bytes;
    if (!storage || !bytes) {
        return {};
    }
    const double nodes =
        std::ceil(static_cast<double>(plan.devices()) / static_cast<double>(costed.cluster->node_size()));
    const Seconds even = static_cast<double>(plan.batch) / nodes * *bytes / storage->bandwidth;
    std::int64_t most = 0;
    for (const Dealt& hand : dealt) {
        most = std::max(most, hand.most);
    }
    return static_cast<double>(most) / static_cast<double>(microbatches) * even;
}

}  // namespace

Seconds StepInput::exposed(Seconds step) const {
    const Seconds waiting = host_wait(decoding, step);
    return waiting + (prefetch ? max(Seconds{}, reading - step - waiting) : reading);
}

cost::StepTimes StepInput::sources(const cost::StepTimes& without, Seconds step) const {
    const Seconds both = step + host_wait(decoding, step);
    if ((prefetch && reading > both) || step <= Seconds{}) {
        return {};
    }
    const double by_decoding = host_share(decoding, step);
    cost::StepTimes sources = (1 - by_decoding) * (both / step) * without;
    sources[cost::ErrorSource::input] += Estimate::exactly(by_decoding * both);
    return sources;
}

StepInput step_input(const CostedGraph& costed, const plan::Plan& plan, const std::vector<Dealt>& dealt,
                     std::int64_t microbatches) {
    const double samples = static_cast<double>(plan.batch) / static_cast<double>(plan.devices());
    return {.decoding = samples * plan.framework.seconds(plan::FrameworkParameter::input),
            .reading = reading_time(costed, plan, dealt, microbatches),
            .prefetch = costed.cluster->storage && costed.cluster->storage->prefetch};
}

}  // namespace dodona::schedule
