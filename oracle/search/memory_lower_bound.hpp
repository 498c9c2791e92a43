// Whether a pipeline may fit in memory, wherever it is cut.
//
// Stages are filled one after the other, each until the next piece would exceed the limit. No cut that fits reaches
// further with as many stages: its last stage would hold all that the filled one holds and the piece that does not fit.
// So where pieces are left after the last stage, no cut fits. A piece counts with what adds up over a stage: weights,
// gradients, optimizer states, and what it keeps of the micro-batches in flight.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/quantity.hpp"
#include "plan/plan.hpp"
#include "step/schedule_timings.hpp"
#include "step/segment_cost.hpp"

namespace dodona::search {

class MemoryLowerBound {
public:
    /// `states`: costs on the plan's own mesh; `passes`: those of a micro-batch that may be another. Both must outlive
    /// the object.
    MemoryLowerBound(const step::CostedGraph& states, const step::CostedGraph& passes, step::ScheduleTimings& orders)
        : states_(states), passes_(passes), orders_(orders) {}

    /// Whether every stage of the plan may need `limit` or less, with `microbatches` in a step, each of which keeps
    /// `scale` times what `passes` say. Domain: one virtual stage a stage, nothing offloaded, no sparse gradients.
    [[nodiscard]] bool may_fit(const plan::Plan& plan, std::int64_t microbatches, double scale, Bytes limit);

private:
    /// What one instance of a segment needs at least.
    struct Piece {
        std::int64_t count = 0;
        Bytes states;
        Bytes kept;  ///< of one micro-batch, with the allocator's unused blocks
    };
    [[nodiscard]] std::vector<Piece> pieces(const plan::Plan& plan, double scale) const;
    /// Micro-batches that each stage holds at its peak.
    struct InFlight {
        plan::ScheduleKind schedule;
        std::int64_t microbatches;
        std::vector<double> of_stage;
    };
    const InFlight& in_flight(const plan::Plan& plan, std::int64_t microbatches);

    const step::CostedGraph& states_;
    const step::CostedGraph& passes_;
    step::ScheduleTimings& orders_;
    std::optional<InFlight> in_flight_;  ///< asked for last
};

/// Whether activations are proportional to the micro-batch, as two costs of one mesh show. Every tensor has as many
/// elements whatever the micro-batch, or in proportion to it: what is proportional twice always is.
bool keeps_in_proportion(const step::CostedGraph& a, std::int64_t microbatch_a, const step::CostedGraph& b,
                         std::int64_t microbatch_b);

}  // namespace dodona::search
