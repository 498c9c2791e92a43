// What crosses the boundaries of a pipeline, by hand.
#include "step/stages.hpp"

#include <gtest/gtest.h>

#include "scenes.hpp"
#include "step/segment_cost.hpp"

namespace dodona::step::test {
namespace stages_test {

/// Features 16 -> 1024 -> 16 -> 16 -> 16, a segment each; one micro-batch of 8 samples in fp32.
CostedGraph costed_on_one_node(const graph::Graph& graph, const plan::Plan& plan) {
    static const cluster::Cluster cluster = small_cluster();
    return cost_graph(graph, cluster, plan, {});
}

graph::Graph wide_graph() {
    const auto linear = [](const char* name, std::int64_t out) { return layer(name, "linear", {{"out", out}}); };
    return graph::build(
        network(tensor({{"feature", 16}}), {linear("wide", 1024), linear("a", 16), linear("b", 16), linear("c", 16)}));
}

plan::Plan two_stages() {
    plan::Plan plan;
    plan.strategy = pipelined();
    plan.mesh = {{"pipeline", 2}};
    plan.batch = 16;
    plan.microbatch = 8;
    plan.precision = Precision::fp32;
    return plan;
}

TEST(Incoming, IsTheMeanOfVirtualStagesToSendAndTheLargestToKeep) {
    const graph::Graph graph = wide_graph();
    const CostedGraph costed = costed_on_one_node(graph, two_stages());
    const auto only = [&](std::size_t segment) {
        VirtualStage one{std::vector<std::int64_t>(costed.segments.size(), 0)};
        one.counts[segment] = 1;
        return one;
    };
    ASSERT_EQ(costed.segments.size(), 4U);
    const double wide = 8 * 1024 * 4;
    const double narrow = 8 * 16 * 4;
    const Incoming first = incoming(costed, {{only(0), only(2)}}, 0);
    EXPECT_DOUBLE_EQ(first.sent.in(1_B), narrow / 2) << "nothing enters the first virtual stage of all";
    EXPECT_DOUBLE_EQ(first.whole.in(1_B), narrow);
    const Incoming second = incoming(costed, {{only(1), only(3)}}, 0);
    EXPECT_DOUBLE_EQ(second.sent.in(1_B), (wide + narrow) / 2);
    EXPECT_DOUBLE_EQ(second.whole.in(1_B), wide);
    EXPECT_EQ(second.gathered, Bytes{});
}

}  // namespace stages_test
}  // namespace dodona::step::test
