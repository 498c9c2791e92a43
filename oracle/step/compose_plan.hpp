// The step of a plan: its replicas, their stages and what each of these costs.
#pragma once

#include <cstdint>
#include <vector>

#include "step/replica.hpp"

namespace dodona::step {

/// Cuts the network into the stages of the plan and composes the step; where stages have different devices, with the
/// better of the default cut and the cuts for unequal devices. `groups`: the plan's replica_groups. `microbatches`: of
/// each replica, if all get equally many. Domain: a pipeline that pipeline_limit has nothing against.
ComposedStep compose_plan(const CostedGraph& costed, const plan::Plan& plan, const std::vector<ReplicaGroup>& groups,
                          std::int64_t microbatches, ScheduleTimings& orders);

}  // namespace dodona::step
