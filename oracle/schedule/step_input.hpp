// Samples of a step: read from storage, decoded by the host.
//
// Hosts decode the next step's samples while devices work on this one, and each waits for the other in turn: a smooth
// maximum (host_wait). Storage that prefetches is hidden behind both, as far as they are longer; else its time adds.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/balance.hpp"
#include "schedule/unit_cost.hpp"

namespace dodona::schedule {

struct StepInput {
    Seconds decoding;  ///< of one device's samples, by its share of the host
    Seconds reading;   ///< of the largest share of a node
    bool prefetch = false;

    /// What shows beside a step that takes so long without.
    [[nodiscard]] Seconds exposed(Seconds step) const;
    /// Derivatives of the whole step from those without input: a step that waits for storage rests on nothing else.
    [[nodiscard]] cost::StepTimes sources(const cost::StepTimes& without, Seconds step) const;
};

/// `microbatches`: of each replica if all get as many; `dealt`: what they get.
StepInput step_input(const CostedGraph& costed, const plan::Plan& plan, const std::vector<Dealt>& dealt,
                     std::int64_t microbatches);

}  // namespace dodona::schedule
