// A plan of a strategy, drawn for a small world: every schedule, way to recompute, to shard and to offload.
#pragma once

#include "../worlds/drawn_world.hpp"
#include "plan/plan.hpp"

namespace dodona::drawn {

inline plan::Plan draw_plan(Draw& draw, const World& world, const plan::Strategy& strategy) {
    plan::Plan plan;
    plan.strategy = strategy;
    if (!strategy.shard_axes.empty()) {
        plan.shard = strategy.shard.value_or(draw.of({plan::ShardLevel::none, plan::ShardLevel::states,
                                                      plan::ShardLevel::gradients, plan::ShardLevel::parameters}));
    }
    std::int64_t left = world.cluster.devices();
    for (const std::string& axis : strategy.axes) {
        const auto size = draw.of<std::int64_t>({1, 2, 2, 3, 4});
        const bool divides = left % size == 0;
        plan.mesh.push_back({axis, divides ? size : 1});
        left /= divides ? size : 1;
    }
    plan.batch = draw.of<std::int64_t>({24, 48, 96});
    plan.microbatch = draw.of<std::int64_t>({1, 1, 2, 4});
    plan.schedule = static_cast<plan::ScheduleKind>(draw.of({0, 1, 1, 1, 2, 3, 4, 5, 6}));
    if (plan.pipeline_stages() == 1 && plan::has_virtual_stages(plan.schedule)) {
        plan.schedule = plan::ScheduleKind::gpipe;
    }
    plan.virtual_stages = plan::has_virtual_stages(plan.schedule) ? 2 : 1;
    plan.recompute = draw.of({plan::RecomputeKind::none, plan::RecomputeKind::none, plan::RecomputeKind::selective,
                              plan::RecomputeKind::full, plan::RecomputeKind::every});
    plan.recompute_every = plan.recompute == plan::RecomputeKind::every ? 2 : 1;
    plan.optimizer = world.space.optimizer;
    plan.keep_parameters = draw.one_in(4);
    plan.shard_group = plan.shard != plan::ShardLevel::none && draw.one_in(5) ? 2 : 0;
    plan.overlap = {.gradients = draw.one_in(2),
                    .parameters = draw.one_in(2),
                    .tensor = draw.one_in(3),
                    .pipeline = draw.one_in(3),
                    .expert = draw.one_in(3),
                    .offload = draw.one_in(2)};
    plan.offload = {.optimizer = draw.one_in(7), .activations = draw.one_in(7), .weights = draw.one_in(7)};
    plan.precision = world.space.precision;
    plan.framework = draw_framework(draw);
    for (plan::FrameworkNumber& number : plan.framework.numbers) {
        number.lo *= 0.8;
        number.hi *= 1.3;
    }
    plan.framework.spread = 0.03;
    plan.memory = draw_memory(draw);
    if (plan.schedule == plan::ScheduleKind::one_forward_one_backward && draw.one_in(8)) {
        plan.algorithm = draw.of({cluster::Algorithm::ring, cluster::Algorithm::direct});
    }
    plan.fold_axes();
    return plan;
}

}  // namespace dodona::drawn
