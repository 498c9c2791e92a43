// Times remembered by extents: those of a graph that is costed alone, whatever was costed before.
#include "step/layer_times.hpp"

#include <gtest/gtest.h>

#include "scenes.hpp"

namespace dodona::step {
namespace layer_times_test {

TEST(LayerTimes, AreThoseOfAGraphThatIsCostedAlone) {
    const graph::Graph graph = test::small_network();
    const cluster::Cluster cluster = test::small_cluster();
    plan::Plan plan;
    plan.precision = Precision::fp32;
    plan.strategy = test::strategy("data", {"data"});
    LayerTimes times(graph, cluster.device, plan);
    for (const std::int64_t devices : {1, 2, 8}) {
        for (const std::int64_t microbatch : {1, 4}) {
            for (const std::int64_t passes : {1, 2}) {
                plan.mesh = {{"data", devices}};
                plan.microbatch = microbatch;
                plan.batch = devices * microbatch * passes;
                const plan::Mesh mesh(plan, {});
                const CostedGraph shared =
                    cost_graph(cluster, plan, mesh, plan::shard(graph, mesh, plan.strategy, plan.microbatch), times);
                const CostedGraph alone = cost_graph(graph, cluster, plan, {});
                ASSERT_EQ(shared.segments.size(), alone.segments.size());
                for (std::size_t u = 0; u < alone.segments.size(); ++u) {
                    EXPECT_EQ(shared.segments[u].forward.total().value, alone.segments[u].forward.total().value);
                    EXPECT_EQ(shared.segments[u].backward.total().value, alone.segments[u].backward.total().value);
                    EXPECT_EQ(shared.segments[u].backward.launches, alone.segments[u].backward.launches);
                }
                EXPECT_EQ(shared.devices.front().source, alone.devices.front().source);
            }
        }
    }
}

}  // namespace layer_times_test
}  // namespace dodona::step
