#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "base/check.hpp"
#include "cluster/cluster.hpp"

namespace dodona::cluster {
namespace spans_test {

Cluster of_sizes(const std::vector<std::int64_t>& sizes) {
    Cluster cluster;
    for (const std::int64_t size : sizes) {
        cluster.levels.push_back({.name = "level", .size = size});
    }
    return cluster;
}

void expect_span(const Span& span, std::size_t level, std::int64_t child, std::int64_t members, std::int64_t groups) {
    EXPECT_EQ(span.level, level);
    EXPECT_EQ(span.child_devices, child);
    EXPECT_EQ(span.members, members);
    EXPECT_EQ(span.groups, groups);
}

TEST(Spans, of_a_group_inside_a_node_stay_on_the_first_level) {
    const auto found = spans(of_sizes({8, 4}), {{{1, 8}}}, 32);
    ASSERT_EQ(found.size(), 1u);
    expect_span(found[0], 0, 1, 1, 1);
}

TEST(Spans, of_one_rank_are_none) {
    EXPECT_TRUE(spans(of_sizes({8, 4}), {{{4, 1}}}, 32).empty());
    EXPECT_TRUE(spans(of_sizes({8}), {}, 8).empty());
}

TEST(Spans, of_every_fourth_rank_meet_three_other_groups_in_each_node) {
    const auto found = spans(of_sizes({4, 16}), {{{4, 16}}}, 64);
    ASSERT_EQ(found.size(), 2u);
    expect_span(found[0], 0, 1, 1, 1);
    expect_span(found[1], 1, 4, 1, 4);
}

TEST(Spans, of_neighbours_in_each_of_four_nodes_have_two_members_a_node) {
    const auto found = spans(of_sizes({8, 4}), {{{1, 2}, {8, 4}}}, 32);
    ASSERT_EQ(found.size(), 2u);
    expect_span(found[1], 1, 8, 2, 4);
}

// Groups of 3 on nodes of 8: ranks 6, 7 | 8 lie in two nodes. At either end of a node one group may straddle.
TEST(Spans, of_groups_that_do_not_fit_the_node_cross_its_boundary) {
    const auto found = spans(of_sizes({8, 3}), {{{1, 3}}}, 24);
    ASSERT_EQ(found.size(), 2u);
    expect_span(found[1], 1, 8, 2, 2);
    EXPECT_EQ(spans(of_sizes({8, 3}), {{{1, 3}}}, 6).size(), 1u) << "the job is smaller than a node";
}

// {1, 4}, {4, 3} is {1, 12}: 8 of the twelve in the fuller node.
TEST(Spans, take_strides_that_continue_each_other_as_one) {
    const auto found = spans(of_sizes({8, 3}), {{{1, 4}, {4, 3}}}, 24);
    const auto whole = spans(of_sizes({8, 3}), {{{1, 12}}}, 24);
    ASSERT_EQ(found.size(), 2u);
    expect_span(found[1], 1, 8, whole[1].members, whole[1].groups);
}

// Racks of 18 trays of 4: of 256 ranks that fill them one after the other, groups of 64 straddle racks; with 16 trays of
// each they do not.
TEST(Spans, of_groups_that_fill_segments_of_racks_stay_inside_them) {
    Cluster cluster = of_sizes({4, 18, 8});
    EXPECT_EQ(spans(cluster, {{{1, 64}}}, 256).size(), 3U);
    cluster.levels[1].segment = 16;
    EXPECT_EQ(spans(cluster, {{{1, 64}}}, 256).size(), 2U);
    const auto across = spans(cluster, {{{64, 4}}}, 256);
    ASSERT_EQ(across.size(), 3U);
    expect_span(across[2], 2, 64, 1, 64);
}

TEST(Spans, refuse_strides_that_do_not_nest) {
    EXPECT_THROW((void)spans(of_sizes({8}), {{{2, 4}, {1, 2}}}, 8), InternalError);
}

TEST(Spans, refuse_a_job_larger_than_the_cluster) {
    EXPECT_THROW((void)spans(of_sizes({8}), {{{1, 16}}}, 16), InternalError);
}

/// What the definition says, rank by rank.
struct Enumerated {
    bool crosses = false;
    bool alike = true;  ///< every child holds as many members of each group that it touches; as many groups leave it
    std::int64_t members = 0;
    std::int64_t groups = 0;
};

std::int64_t first_of_group(const Group& group, std::int64_t rank) {
    std::int64_t first = rank;
    for (const Group::Stride& stride : group.strides) {
        first -= stride.stride * ((rank / stride.stride) % stride.size);
    }
    return first;
}

Enumerated enumerate(const Group& group, std::int64_t ranks, std::int64_t unit) {
    std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> members;  // child -> group -> count
    std::map<std::int64_t, std::set<std::int64_t>> children;               // group -> children
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        const std::int64_t first = first_of_group(group, rank);
        ++members[rank / unit][first];
        children[first].insert(rank / unit);
    }
    Enumerated result;
    for (const auto& [first, touched] : children) {
        result.crosses = result.crosses || touched.size() > 1;
    }
    for (const auto& [child, counts] : members) {
        std::int64_t leaving = 0;
        for (const auto& [first, count] : counts) {
            result.alike = result.alike && (result.members == 0 || result.members == count);
            result.members = count;
            leaving += children[first].size() > 1 ? 1 : 0;
        }
        if ((child + 1) * unit <= ranks) {
            result.alike = result.alike && (result.groups == 0 || result.groups == leaving);
            result.groups = leaving;
        }
    }
    return result;
}

struct World {
    Cluster cluster;
    Group group;
    std::int64_t ranks = 1;
};

World random_world() {
    World world;
    const int axes = *rc::gen::inRange(1, 5);
    for (int axis = 0; axis < axes; ++axis) {
        const auto size = *rc::gen::element<std::int64_t>(1, 2, 2, 3, 4, 6);
        if (*rc::gen::arbitrary<bool>()) {
            world.group.strides.push_back({world.ranks, size});
        }
        world.ranks *= size;
    }
    std::vector<std::int64_t> sizes;
    std::int64_t devices = 1;
    const int levels = *rc::gen::inRange(0, 3);
    for (int level = 0; level < levels; ++level) {
        sizes.push_back(*rc::gen::element<std::int64_t>(1, 2, 3, 4, 6, 8));
        devices *= sizes.back();
    }
    sizes.push_back(world.ranks / devices + 1);
    world.cluster = of_sizes(sizes);
    return world;
}

RC_GTEST_PROP(SpansProperty, agree_with_enumeration_of_all_groups, ()) {
    const World world = random_world();
    const auto found = spans(world.cluster, world.group, world.ranks);
    std::int64_t unit = 1;
    for (std::size_t level = 0; level < world.cluster.levels.size(); ++level) {
        const Enumerated truth = enumerate(world.group, world.ranks, unit);
        RC_ASSERT(truth.crosses == (level < found.size()));
        if (truth.crosses) {
            const Span& span = found[level];
            RC_ASSERT(span.level == level);
            RC_ASSERT(span.child_devices == unit);
            RC_CLASSIFY(truth.alike, "alike");
            RC_ASSERT(!span.alike || truth.alike);
            if (truth.alike) {
                RC_ASSERT(span.members == truth.members);
                RC_ASSERT(span.groups == truth.groups);
            } else {
                RC_CLASSIFY(true, "straddling");
                RC_ASSERT(span.members >= 1);
                RC_ASSERT(span.members < world.group.size());
                RC_ASSERT(span.groups >= 1);
                RC_ASSERT(span.groups <= unit);
            }
        }
        unit *= world.cluster.levels[level].size;
    }
}

}  // namespace spans_test
}  // namespace dodona::cluster
