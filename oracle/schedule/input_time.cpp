#include "schedule/input_time.hpp"

#include <algorithm>
#include <cmath>

namespace dodona::schedule {

namespace {

Seconds reading_time(const CostedGraph& costed, const plan::Plan& plan, const Job& job, std::int64_t microbatches) {
    const auto& storage = costed.cluster->storage;
    const auto& bytes = costed.graph->dataset.sample_bytes;
    if (!storage || !bytes) {
        return {};
    }
    const double nodes =
        std::ceil(static_cast<double>(plan.devices()) / static_cast<double>(costed.cluster->node_size()));
    const Seconds even = static_cast<double>(plan.batch) / nodes * *bytes / storage->bandwidth;
    std::int64_t most = 0;
    for (const Dealt& dealt : job.dealt) {
        most = std::max(most, dealt.most);
    }
    return static_cast<double>(most) / static_cast<double>(microbatches) * even;
}

}  // namespace

InputTime::InputTime(const CostedGraph& costed, const plan::Plan& plan, const Job& job, std::int64_t microbatches)
    : prefetched_(costed.cluster->storage && costed.cluster->storage->prefetch),
      reading_(reading_time(costed, plan, job, microbatches)) {
    const double samples = static_cast<double>(microbatches) * static_cast<double>(plan.microbatch);
    decoding_ = samples * plan.framework.seconds(plan::FrameworkParameter::input);
    feeding_ = samples * plan.framework.seconds(plan::FrameworkParameter::feed);
}

Seconds InputTime::exposed(Seconds step) const {
    const Seconds decoding = host_wait(decoding_, step);
    return feeding_ + decoding + (prefetched_ ? max(Seconds{}, reading_ - step - decoding) : reading_);
}

cost::StepTimes InputTime::sources(Seconds step, const cost::StepTimes& sources) const {
    const Seconds both = step + host_wait(decoding_, step);
    if ((prefetched_ && reading_ > both) || step <= Seconds{}) {
        return {};  // a step that waits for storage rests on nothing else
    }
    const double by_decoding = host_share(decoding_, step);
    cost::StepTimes all = (1 - by_decoding) * (both / step) * sources;
    all[cost::ErrorSource::input] += Estimate::exactly(by_decoding * both + feeding_);
    return all;
}

}  // namespace dodona::schedule
