// How long a step waits for its samples: read from storage, decoded by hosts.
//
// Every node reads its share of the batch; the largest counts. Where storage prefetches, only what is longer than the
// step shows. The samples of a data rank are decoded by its share of the host while the step before runs, and each may
// wait for the other in turn (host_wait); devices that work on the same samples have one loader. What the training
// process itself does to feed samples, its devices wait for.
#pragma once

#include "step/replica.hpp"

namespace dodona::step {

class InputTime {
public:
    /// `microbatches`: of every data rank.
    InputTime(const CostedGraph& costed, const plan::Plan& plan, std::int64_t microbatches);
    /// `microbatches`: of a data rank if all get as many.
    InputTime(const CostedGraph& costed, const plan::Plan& plan, const ComposedStep& composed,
              std::int64_t microbatches);

    [[nodiscard]] Seconds busy() const { return feeding_ + max(reading_, decoding_); }
    /// Of a step that takes so long without input.
    [[nodiscard]] Seconds exposed(Seconds step) const;
    /// What a step rests on, input included; `sources` are those of the step without.
    [[nodiscard]] cost::StepTimes sources(Seconds step, const cost::StepTimes& sources) const;

private:
    InputTime(const CostedGraph& costed, const plan::Plan& plan, std::int64_t microbatches, std::int64_t most);

    bool prefetched_ = false;
    Seconds reading_;
    Seconds decoding_;
    Seconds feeding_;
};

}  // namespace dodona::step
