// What varies on one mesh without changing any shard: all decisions of a plan but mesh, folds, sharding group and
// micro-batch.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.hpp"

namespace dodona::search {

struct Variant {
    plan::ScheduleKind schedule = plan::ScheduleKind::one_forward_one_backward;
    std::int64_t virtual_stages = 1;
    plan::RecomputeKind recompute = plan::RecomputeKind::none;
    plan::ShardLevel shard = plan::ShardLevel::none;
    plan::Overlap overlap;
    plan::Offload offload;
    std::vector<std::int64_t> stages;  ///< Plan::stages; empty: the default cut

    void apply(plan::Plan& plan) const {
        plan.schedule = schedule;
        plan.virtual_stages = virtual_stages;
        plan.recompute = recompute;
        plan.shard = shard;
        plan.overlap = overlap;
        plan.offload = offload;
        plan.stages = stages;
    }
};

/// A configuration with its time and memory.
struct Candidate {
    std::size_t layout = 0;  ///< of the enumeration
    std::int64_t microbatch = 1;
    Variant variant;
    Seconds step;
    Bytes memory;                ///< of the stage that fills its device most
    Bytes limit;                 ///< what that device offers
    bool is_beyond_fit = false;  ///< Plan::is_beyond_fit
};

/// Orders by time, then by memory. Compared in single precision: the order of summation must not decide.
inline bool better(const Candidate& a, const Candidate& b) {
    const auto digits = [](double value) { return static_cast<float>(value); };
    const float time_a = digits(a.step.in(unit::second));
    const float time_b = digits(b.step.in(unit::second));
    return time_a != time_b ? time_a < time_b : digits(a.memory.in(1_B)) < digits(b.memory.in(1_B));
}

}  // namespace dodona::search
