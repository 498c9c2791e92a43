#include "step/input_time.hpp"

#include <algorithm>
#include <cmath>

namespace dodona::step {

namespace {

/// `most`: micro-batches of the data rank with most; `microbatches`: if all had equally many.
Seconds reading_time(const CostedGraph& costed, const plan::Plan& plan, std::int64_t microbatches, std::int64_t most) {
    const auto& storage = costed.cluster->storage;
    const auto& bytes = costed.graph->dataset.sample_bytes;
    if (!storage || !bytes) {
        return {};
    }
    const double nodes =
        std::ceil(static_cast<double>(plan.devices()) / static_cast<double>(costed.cluster->node_size()));
    const BytesPerSecond node =
        storage->system_read ? min(storage->bandwidth, *storage->system_read / nodes) : storage->bandwidth;
    const Seconds even = static_cast<double>(plan.batch) / nodes * *bytes / node;
    return static_cast<double>(most) / static_cast<double>(microbatches) * even;
}

Bytes staged(const graph::Graph& graph) {
    return 2.0 * (graph.dataset.sample_bytes.value_or(Bytes{}) + graph.layers.front().nest.result.elements() * 4_B);
}

std::int64_t most_dealt(const ComposedStep& composed) {
    std::int64_t most = 0;
    for (const MicrobatchShare& dealt : composed.dealt) {
        most = std::max(most, dealt.most);
    }
    return most;
}

}  // namespace

InputTime::InputTime(const CostedGraph& costed, const plan::Plan& plan, std::int64_t microbatches, std::int64_t most)
    : prefetched_(costed.cluster->storage && costed.cluster->storage->prefetch),
      reading_(reading_time(costed, plan, microbatches, most)),
      staged_(staged(*costed.graph)) {
    const double samples = static_cast<double>(microbatches) * static_cast<double>(plan.microbatch);
    decoding_ = samples * plan.framework.seconds(plan::FrameworkParameter::input);
    feeding_ = samples * plan.framework.seconds(plan::FrameworkParameter::collate);
}

InputTime::InputTime(const CostedGraph& costed, const plan::Plan& plan, std::int64_t microbatches)
    : InputTime(costed, plan, microbatches, microbatches) {}

InputTime::InputTime(const CostedGraph& costed, const plan::Plan& plan, const ComposedStep& composed,
                     std::int64_t microbatches)
    : InputTime(costed, plan, microbatches, most_dealt(composed)) {}

Seconds exposed_input(const InputCosts& costs, Seconds step) {
    const Seconds decoding = host_wait(costs.decoding, step);
    return costs.feeding + decoding +
           (costs.prefetched ? max(Seconds{}, costs.reading - step - decoding) : costs.reading);
}

cost::StepTimes InputTime::sources(Seconds step, const cost::StepTimes& sources) const {
    const Seconds both = step + host_wait(decoding_, step);
    if ((prefetched_ && reading_ > both) || step <= Seconds{}) {
        return {};  // a step that waits for storage has no other source of error
    }
    const double by_decoding = host_share(decoding_, step);
    cost::StepTimes all = (1 - by_decoding) * (both / step) * sources;
    all[cost::ErrorSource::input] += Estimate::exactly(by_decoding * both + feeding_);
    return all;
}

}  // namespace dodona::step
