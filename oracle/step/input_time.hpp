// Exposed time of the input: samples are read from storage and decoded by hosts.
//
// Every node reads its share of the batch; the largest share counts. With prefetching only what exceeds the step is
// exposed. Each data rank decodes its samples on its share of the host during the previous step; decoding and step
// overlap as in host_wait. Devices that work on the same samples share one loader. Time that the training process
// spends to feed samples is exposed in full.
//
// The host's memory carries a sample at least four times: it is written as it was stored, read to be decoded, written as
// numbers of 4 bytes and read by the copy to the device. What decoders move beyond their caches is not known.
#pragma once

#include "step/pipeline_costs.hpp"
#include "step/replica.hpp"

namespace dodona::step {

/// Input time that a step waits for which takes `step` without input. One prefetcher reads and decodes.
Seconds exposed_input(const InputCosts& costs, Seconds step);

class InputTime {
public:
    /// `microbatches`: of every data rank.
    InputTime(const CostedGraph& costed, const plan::Plan& plan, std::int64_t microbatches);
    /// `microbatches`: of a data rank, if all get equally many.
    InputTime(const CostedGraph& costed, const plan::Plan& plan, const ComposedStep& composed,
              std::int64_t microbatches);

    [[nodiscard]] InputCosts costs() const { return {reading_, prefetched_, decoding_, feeding_, {}, staged_}; }
    [[nodiscard]] Seconds busy() const {
        return feeding_ + (prefetched_ ? max(reading_, decoding_) : reading_ + decoding_);
    }
    /// Exposed input time of a step that takes `step` without input.
    [[nodiscard]] Seconds exposed(Seconds step) const { return exposed_input(costs(), step); }
    /// Derivatives of the step with input by its error sources; `sources`: those of the step without input.
    [[nodiscard]] cost::StepTimes sources(Seconds step, const cost::StepTimes& sources) const;

private:
    InputTime(const CostedGraph& costed, const plan::Plan& plan, std::int64_t microbatches, std::int64_t most);

    bool prefetched_ = false;
    Seconds reading_;
    Seconds decoding_;
    Seconds feeding_;
    Bytes staged_;
};

}  // namespace dodona::step
