// Pipeline schedules in closed form: GPipe, 1F1B, interleaved 1F1B; uneven stages included.
//
//   T = sum_i t_i / v  +  (m - 1/v) * max_i t_i          t_i forward and backward of stage i, one micro-batch
//
// m micro-batches, v virtual stages per stage. The first term fills and drains the pipeline, the second is the
// slowest stage's steady state. With equal stages this is (m + (p-1)/v) t, the bubble (p-1)/v t (Narayanan et al.,
// SC'21, section 2.2; Huang et al. 2019 for GPipe, which takes the same time) and exact. With uneven stages it is an
// upper bound: an event-driven simulation may be up to a quarter shorter with few micro-batches and one slow stage,
// because the fast stages around it absorb part of the fill (tests/step bounds the gap). Not modelled: warm-up order of
// interleaving with m < p. Domain: m >= 1; interleaving needs m to be a multiple of p for its bubble.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/quantity.hpp"
#include "plan/plan.hpp"

namespace dodona::step {

struct PipelineTime {
    Seconds total;             ///< from the first forward to the last backward
    std::size_t critical = 0;  ///< the slowest stage, the first among equals
    Seconds bubble;            ///< idle time of the critical stage
};

/// Idle time of the slowest stage; `sum`: over all stages.
Seconds bubble(Seconds sum, Seconds slowest, std::int64_t virtual_stages);

PipelineTime pipeline_time(std::span<const Seconds> stage_times, std::int64_t microbatches,
                           std::int64_t virtual_stages);

/// Exposed pipeline send/recv: fill and drain pass every boundary once in each direction, the steady state waits for
/// the slowest, 2 (sum_s x_s + (m v - 1) max_s x_s) for one-way transfers x_s into stages 1 ... p-1 and, with virtual stages,
/// 0. Equal boundaries give ParaDL's Table 3, layer parallelism: 2 (p + S - 2) transfers (v = 1, m = S). With
/// `overlapped`, only fill and drain are exposed. `filling`: sum over boundaries; `slowest`: the longest transfer into
/// a stage.
Seconds pipeline_transfers(Seconds filling, Seconds slowest, std::int64_t microbatches, std::int64_t virtual_stages,
                           bool overlapped);
Seconds pipeline_transfers(std::span<const Seconds> boundaries, std::int64_t microbatches, std::int64_t virtual_stages,
                           bool overlapped);

/// Micro-batches whose activations each virtual stage of stage `stage` (from 0) holds at its peak.
/// GPipe m; 1F1B min(m, p - s); interleaved (v-1) p + 2 (p-s-1) + 1 passes in groups of p, so that the
/// first stage holds L (1 + (p-1)/(p v)) layers' worth (Korthikanti et al., arXiv:2205.05198, section 4.2.3).
std::vector<std::int64_t> in_flight(plan::ScheduleKind kind, std::int64_t stage, std::int64_t stages,
                                    std::int64_t microbatches, std::int64_t virtual_stages);

}  // namespace dodona::step
