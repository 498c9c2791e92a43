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
                const CostedGraph shared = cost_graph(cluster, plan, mesh,
                                                      std::make_shared<const plan::ShardedGraph>(
                                                          plan::shard(graph, mesh, plan.strategy, plan.microbatch)),
                                                      times);
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

// Three seconds for forward and backward of a sample: all passes of two take six, each its share of the arithmetic, and
// gradients of weights the same share of backward as without.
TEST(MeasuredSamples, AreDealtToPassesByTheirArithmetic) {
    const graph::Graph graph = test::small_network();
    cluster::Cluster cluster = test::small_cluster();
    plan::Plan plan;
    plan.precision = Precision::fp32;
    plan.strategy = test::strategy("data", {"data"});
    plan.batch = plan.microbatch = 2;
    const CostedGraph modelled = cost_graph(graph, cluster, plan, {});
    cluster.measured_samples = {{graph.name, 3_s, 1_s, "test"}};
    const CostedGraph measured = cost_graph(graph, cluster, plan, {});
    EXPECT_TRUE(measured.devices.front().measured);
    Seconds all;
    for (std::size_t u = 0; u < measured.segments.size(); ++u) {
        const SegmentCost& before = modelled.segments[u];
        const SegmentCost& after = measured.segments[u];
        all += static_cast<double>(graph.segments[u].count) * (after.forward.compute + after.backward.compute).value;
        EXPECT_NEAR(after.forward.compute.value / after.backward.compute.value,
                    after.forward.executed / after.backward.executed, 1e-12);
        EXPECT_NEAR(after.backward.weight_gradients / after.backward.compute.value,
                    before.backward.weight_gradients / before.backward.compute.value, 1e-12);
        EXPECT_GT(after.backward.weight_gradients, Seconds{});
        EXPECT_EQ(after.forward.launches, 0) << "measured times include the host";
    }
    EXPECT_NEAR(all.in(unit::second), 6, 1e-9);
}

}  // namespace layer_times_test
}  // namespace dodona::step
