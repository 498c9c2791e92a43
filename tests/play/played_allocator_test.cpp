// The allocator of a stage, played: against the closed form, and against the memory of measured steps.
#include "play/played_allocator.hpp"

#include <gtest/gtest.h>

#include "../step/scenes.hpp"
#include "step/predict.hpp"

namespace dodona::play {
namespace played_allocator_test {

using graph::test::block;
using graph::test::layer;
using graph::test::network;
using graph::test::tensor;
using step::test::pipeline_of;

/// Wide enough that rounding to pages counts for little.
graph::Graph wide_chain() {
    return graph::build(network(tensor({{"feature", 1 << 20}}),
                                {block("body", 16, {layer("norm", "rms_norm"), layer("act", "gelu")})}));
}

/// Sixteen micro-batches of four samples.
plan::Plan in_stages(std::int64_t stages) {
    plan::Plan plan = pipeline_of(stages);
    plan.batch = 64;
    plan.microbatch = 4;
    return plan;
}

AllocatorUse played(const graph::Graph& graph, const plan::Plan& plan, std::size_t stage) {
    return play_allocator(graph, step::test::small_cluster(), plan, stage).value().fixed;
}

TEST(PlayedAllocator, HasWhatTheScheduleHolds) {
    const graph::Graph graph = wide_chain();
    for (const std::int64_t stages : {1, 4}) {
        plan::Plan plan = in_stages(stages);
        for (const plan::ScheduleKind schedule :
             {plan::ScheduleKind::one_forward_one_backward, plan::ScheduleKind::gpipe}) {
            plan.schedule = schedule;
            const step::Prediction predicted = step::predict(graph, step::test::small_cluster(), plan, {});
            for (std::size_t s = 0; s < predicted.stages.size(); ++s) {
                const AllocatorUse use = played(graph, plan, s);
                EXPECT_GE(use.reserved, use.allocated);
                EXPECT_GE(use.fragmentation(), 0);
                EXPECT_EQ(use.fits, stages == 1 || schedule != plan::ScheduleKind::gpipe) << "of 1 GiB";
                EXPECT_NEAR(use.allocated / predicted.stages[s].memory.allocated, 1, 0.2) << stages << " " << s;
            }
        }
    }
}

TEST(PlayedAllocator, HoldsLessWithRecomputationAndLaterStagesHoldFewerMicroBatches) {
    const graph::Graph graph = wide_chain();
    plan::Plan plan = in_stages(4);
    EXPECT_GT(played(graph, plan, 0).passing, 1.5 * played(graph, plan, 3).passing);
    plan::Plan recomputing = plan;
    recomputing.recompute = plan::RecomputeKind::full;
    EXPECT_LT(played(graph, recomputing, 0).passing, played(graph, plan, 0).passing);
    plan::Plan in_groups = recomputing;
    in_groups.recompute = plan::RecomputeKind::every;
    in_groups.recompute_every = 2;
    EXPECT_NE(played(graph, in_groups, 0).passing, played(graph, recomputing, 0).passing);
}

TEST(PlayedAllocator, IsNoneWhereTensorsAreInHostMemory) {
    plan::Plan plan = in_stages(1);
    plan.offload.activations = true;
    EXPECT_FALSE(play_allocator(wide_chain(), step::test::small_cluster(), plan, 0));
}

}  // namespace played_allocator_test
}  // namespace dodona::play
