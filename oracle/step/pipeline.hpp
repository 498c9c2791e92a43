// The time of a pipeline's passes, from the first forward pass to the last backward pass of a step.
//
// A stage s takes F_s forward and B_s backward for one micro-batch, recomputation and what it receives included: it waits
// for what it receives, sends are buffered. With overlapped transfers F and B are without, and x_s, the two transfers
// over the boundary before s, delay what crosses it. p stages, m micro-batches, [a] = max(0, a).
//
//   1F1B   T = max over stages q of  head_q + body_q
//          head_q  = sum over s < q of (F_s + B_s) + sum over s <= q of x_s         before its first, after its last pass
//          round_q = sum over s > q of (F_s + B_s + x_s)                            from its forward to its backward pass
//          n_q     = min(m, p - q) - 1                             forward passes that it runs while it waits for that
//          body_q  = m (F_q + B_q) + [round_q - n F_q] + [round_q - n B_q]      where round_q <= n (F_q + B_q)
//                  = (F_q + B_q + round_q) (1 + (m - 1) / (n + 1))              else: n + 1 micro-batches a round trip
//   GPipe  T = sum of (F_s + B_s + x_s) + (m - 1) (max F_s + max B_s)
//
// Where transfers overlap, the slowest of them may set the pace instead: T >= sum of (F_s + B_s + x_s) + (m - 1) max x_s / 2.
// 1F1B is exact for equal stages, (m + p - 1) (F + B) (Huang et al. 2019; Narayanan et al., SC'21, section 2.2), and a
// lower bound for uneven ones, within 3 % where they differ by up to half (tests/step/pipeline_test.cpp). GPipe is exact
// without overlap; equal boundaries then give ParaDL's Table 3, layer parallelism: 2 (p + m - 2) transfers. Interleaved
// 1F1B over v equal positions a stage takes (m v + p - 1) (F + B) of a position. All else, such as interleaving with an embedding or a head on some positions, is
// played (schedule/play.hpp), as are schedules that put off gradients of weights, run passes of two micro-batches together
// or place positions otherwise. A schedule that does not flush goes on at the pace of its slowest stage, m (F + B).
#pragma once

#include <cstdint>
#include <span>

#include "cost/dual_time.hpp"
#include "plan/plan.hpp"
#include "step/schedule_timings.hpp"

namespace dodona::step {

/// One micro-batch at one position of a pipeline: a virtual stage. Collectives of its layers are included. Number: Seconds,
/// or DualTime for the derivatives of what is composed.
template <class Number>
struct Position {
    Number forward;
    Number back;              ///< recomputation included
    Number weight_gradients;  ///< of `back`: what a schedule may put off
    Number receive;           ///< of its input from the position before, and of the gradient sent back; 0 at the first
    /// By how much the forward pass here and the backward pass of its partner (schedule::Places) are shorter together than
    /// one after the other, in schedules that have such pairs.
    Number hidden = {};
};

/// Positions are in forward order, on stages as the schedule places them.
template <class Number>
struct Pipeline {
    std::span<const Position<Number>> positions;
    std::int64_t stages = 1;
    std::int64_t microbatches = 1;
    plan::ScheduleKind schedule = plan::ScheduleKind::one_forward_one_backward;
    bool transfers_overlap = false;  ///< transfers run beside compute; else a stage waits for what it receives

    [[nodiscard]] schedule::Places places() const {
        const auto all = static_cast<std::int64_t>(positions.size());
        return schedule::places_of(plan::schedule_of(schedule), stages, all / stages);
    }
};

/// Domain: at least one position on each stage, one micro-batch. Where a schedule has no order for the shape, as if its
/// positions were equal.
template <class Number>
Number pipeline_total(const Pipeline<Number>& pipeline, ScheduleTimings& orders);
extern template Seconds pipeline_total(const Pipeline<Seconds>&, ScheduleTimings&);
extern template cost::DualTime pipeline_total(const Pipeline<cost::DualTime>&, ScheduleTimings&);

/// As pipeline_total, but never less with more micro-batches, which are dealt to unequal replicas by it: where virtual
/// stages differ, an order may take longer than the closed form that stands for the next numbers of micro-batches.
Seconds growing_total(const Pipeline<Seconds>& pipeline, ScheduleTimings& orders);

/// A lower bound of pipeline_total.
Seconds pipeline_bound(const Pipeline<Seconds>& pipeline);

struct PipelineTime {
    Seconds total;
    std::size_t critical = 0;  ///< the stage that is busy longest, the first among equals
    Seconds transfers;         ///< exposed: by how much the step is longer than without
    Seconds bubble;            ///< idle time of the critical stage, without transfers
    Seconds hidden;            ///< of the critical stage's passes, by pairs that run together
};
PipelineTime pipeline_time(const Pipeline<Seconds>& pipeline, ScheduleTimings& orders);

}  // namespace dodona::step
