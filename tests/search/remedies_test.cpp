// Suggestions where nothing fits: each was searched and fits.
#include "search/remedies.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "../step/scenes.hpp"

namespace dodona::search {
namespace remedies_test {

using step::test::small_cluster;
using step::test::small_network;
using step::test::strategy;

/// One device with a share of the memory that the plan needs that needs least.
Space short_of_memory(double share) {
    Space space{.devices = 1,
                .batch = 32,
                .precision = Precision::fp32,
                .strategies = {strategy("zero3", {"data"})},
                .optimizer = plan::OptimizerKind::adam};
    space.strategies[0].shard_axes = {"data"};
    space.strategies[0].shard = plan::ShardLevel::parameters;
    space.max_memory = 1_B;
    space.max_memory = share * search(small_network(), small_cluster(), space).nearest.at(0).memory.total();
    return space;
}

const Remedy* find(const std::vector<Remedy>& remedies, std::string_view change) {
    const auto found =
        std::find_if(remedies.begin(), remedies.end(), [&](const Remedy& remedy) { return remedy.change == change; });
    return found == remedies.end() ? nullptr : &*found;
}

TEST(Remedies, FitAndSayTheirOptions) {
    const graph::Graph graph = small_network();
    cluster::Cluster cluster = small_cluster();
    cluster.host = cluster::Host{.memory = 1_GiB, .bandwidth = 10_GB_per_s, .source = "a test"};
    Space space = short_of_memory(0.97);
    ASSERT_TRUE(search(graph, cluster, space).plans.empty());
    const std::vector<Remedy> found = remedies(usual_relaxation_sequences(graph, cluster, space));
    ASSERT_FALSE(found.empty());
    for (const Remedy& remedy : found) {
        EXPECT_TRUE(remedy.plan.fits) << remedy.change;
        EXPECT_LE(remedy.plan.plan.devices(), cluster.devices()) << remedy.change;
        EXPECT_FALSE(remedy.options.empty() && remedy.without.empty()) << remedy.change;
    }
    const Remedy* states = find(found, "optimizer states of 8 bits");
    ASSERT_NE(states, nullptr);
    EXPECT_EQ(states->options, (std::vector<std::pair<std::string, std::string>>{{"--optimizer", "adam-8bit"}}));
    EXPECT_NE(find(found, "optimizer in host memory"), nullptr);
}

TEST(Remedies, MoreDevicesTakeTheNextBatchThatDividesAmongThem) {
    Space space = short_of_memory(0.97);
    space.batch = 31;
    const std::vector<Remedy> found = remedies(usual_relaxation_sequences(small_network(), small_cluster(), space));
    EXPECT_NE(find(found, "2 GPUs, batch 32"), nullptr);
}

TEST(Remedies, OfALadderTheMildestThatFits) {
    const graph::Graph graph = small_network();
    const Space space = short_of_memory(0.97);
    const std::vector<Remedy> found = remedies(usual_relaxation_sequences(graph, small_cluster(), space));
    const auto more = std::find_if(found.begin(), found.end(), [](const Remedy& remedy) {
        return remedy.options.size() == 2 && remedy.options[0].first == "--gpus";
    });
    ASSERT_NE(more, found.end());
    EXPECT_EQ(more->plan.plan.devices(), 2);
}

TEST(Remedies, NothingIsSuggestedThatFails) {
    const graph::Graph graph = small_network();
    Space space = short_of_memory(0.97);
    space.max_memory = 1_B;
    EXPECT_TRUE(remedies(usual_relaxation_sequences(graph, small_cluster(), space)).empty());
}

TEST(Remedies, TheReserveComesFirst) {
    const graph::Graph graph = small_network();
    Space space = short_of_memory(1.01);
    ASSERT_FALSE(search(graph, small_cluster(), space).plans.empty());
    space.reserve = 0.05;
    ASSERT_TRUE(search(graph, small_cluster(), space).plans.empty());
    const std::vector<Remedy> found = remedies(usual_relaxation_sequences(graph, small_cluster(), space));
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].options, (std::vector<std::pair<std::string, std::string>>{{"--reserve", "0"}}));
}

}  // namespace remedies_test
}  // namespace dodona::search
