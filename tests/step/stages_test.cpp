// Cuts of a pipeline and their boundaries, by hand.
#include "step/stages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "scenes.hpp"
#include "step/pipeline.hpp"
#include "step/segment_cost.hpp"
#include "step/stage_memory.hpp"
#include "step/stage_time.hpp"
#include "tests/worlds/memory_rules.hpp"

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

TEST(Incoming, OfAFirstStageIsNothingAndTakesNoTime) {
    const graph::Graph graph = wide_graph();
    const plan::Plan plan = two_stages();
    const CostedGraph costed = costed_on_one_node(graph, plan);
    const std::vector<Stage> stages = cut_stages(costed, {schedule::Placement::loop, 2, 1}, {});
    EXPECT_EQ(stage_pass(costed, plan, stages[0], 0).boundary.time, Seconds{});
    EXPECT_GT(stage_pass(costed, plan, stages[1], 1).boundary.time, 10_us);
}

// The first layer is split over tensor ranks and its result gathered, 8 x 1024 numbers of 4 bytes; nothing else travels.
plan::Plan gathered_on_the_first_of_two() {
    plan::Plan plan = two_stages();
    plan.mesh = {{"tensor", 2}, {"pipeline", 2}};
    plan.strategy.rules.resize(1);
    plan.strategy.rules[0].match.names = {"wide"};
    plan.strategy.rules[0].lay = {{"out_feature", {"tensor"}, {}}};
    plan.strategy.rules[0].output = std::vector<plan::Lay>{};
    return plan;
}

StageBuffers buffers_of(const CostedGraph& costed, const plan::Plan& plan, std::size_t stage) {
    return stage_buffers(costed, plan, cut_stages(costed, {schedule::Placement::loop, 2, 1}, {})[stage], {}, 2);
}

TEST(StageBuffers, AreOfTheMessagesOfAStagesOwnSegments) {
    const graph::Graph graph = wide_graph();
    const plan::Plan plan = gathered_on_the_first_of_two();
    const CostedGraph costed = costed_on_one_node(graph, plan);
    EXPECT_DOUBLE_EQ(buffers_of(costed, plan, 0).message.in(1_B), 8 * 1024 * 4);
    EXPECT_EQ(buffers_of(costed, plan, 1).message, Bytes{});
}

// Of ten times as many launches as the host can be ahead of the device, a tenth waits.
TEST(StageBuffers, HoldMessagesThatWaitForTheDevice) {
    const graph::Graph graph = wide_graph();
    plan::Plan plan = gathered_on_the_first_of_two();
    CostedGraph costed = costed_on_one_node(graph, plan);
    EXPECT_EQ(buffers_of(costed, plan, 0).waiting, Bytes{});
    plan.memory.prepend({memory_rules::kMessages});
    EXPECT_DOUBLE_EQ(buffers_of(costed, plan, 0).waiting.in(1_B), 8 * 1024 * 4);
    EXPECT_EQ(buffers_of(costed, plan, 1).waiting, Bytes{});
    for (SegmentCost& segment : costed.segments) {
        segment.forward.launches = &segment == costed.segments.data() ? 10'000 : 0;
    }
    EXPECT_DOUBLE_EQ(buffers_of(costed, plan, 0).waiting.in(1_B), 8 * 1024 * 4 / 10.0);
}

// Three stages of two virtual ones need six segments.
TEST(PipelineLimit, CountsVirtualStages) {
    EXPECT_FALSE(pipeline_limit(6, pipeline_of(3, 2), 6));
    const std::optional<plan::Limit> limit = pipeline_limit(5, pipeline_of(3, 2), 6);
    ASSERT_TRUE(limit);
    EXPECT_EQ(limit->ways, 6);
    EXPECT_TRUE(limit->broken());
}

TEST(PipelineLimit, OfInterleavingIsOneMicroBatchForEachStage) {
    const std::optional<plan::Limit> limit = pipeline_limit(6, pipeline_of(3, 2), 7);
    ASSERT_TRUE(limit);
    EXPECT_EQ(limit->ways, 3);
    plan::Plan one = pipeline_of(3, 1);
    one.schedule = plan::ScheduleKind::interleaved;
    EXPECT_FALSE(pipeline_limit(6, one, 7)) << "of one virtual stage there is nothing to interleave";
}

// The first block has no gradient of its input to compute.
TEST(Blocks, AreTheSameWhereAllTakeEquallyLong) {
    const graph::Graph graph = small_network();
    const CostedGraph costed = costed_on_one_node(graph, two_stages());
    EXPECT_FALSE(blocks_are_same(costed));
    EXPECT_FALSE(blocks_are_alike(costed));
    const graph::Graph chain = wide_graph();
    EXPECT_FALSE(blocks_are_same(costed_on_one_node(chain, two_stages()))) << "no blocks";
}

graph::Graph of_segments(const std::vector<std::int64_t>& counts) {
    graph::Graph graph;
    for (const std::int64_t count : counts) {
        graph.segments.push_back({.name = "segment", .block = "", .count = count, .layers = {}});
    }
    return graph;
}

std::vector<std::int64_t> sizes_of(const std::vector<Piece>& pieces) {
    std::vector<std::int64_t> sizes;
    for (const Piece& piece : pieces) {
        sizes.push_back(piece.count);
    }
    return sizes;
}

// At most 512 pieces, or four for every part, whichever is more: 1,025 instances go in threes, those of a segment by
// themselves.
TEST(Pieces, AreSingleInstancesButOfVeryDeepNetworks) {
    EXPECT_EQ(sizes_of(pieces_of(of_segments({1, 3, 1}), 2)), (std::vector<std::int64_t>{1, 1, 1, 1, 1}));
    EXPECT_EQ(pieces_of(of_segments({1, 511}), 2).size(), 512U);
    EXPECT_EQ(pieces_of(of_segments({1, 512}), 2).size(), 1 + 256U);
    EXPECT_EQ(pieces_of(of_segments({1, 512}), 129).size(), 513U);
    const std::vector<Piece> pieces = pieces_of(of_segments({4, 1021}), 2);
    ASSERT_EQ(pieces.size(), 2U + 341U);
    EXPECT_EQ(pieces[0].count, 3);
    EXPECT_EQ(pieces[1].count, 1);
    EXPECT_EQ(pieces[1].segment, 0U);
    EXPECT_EQ(pieces[2].count, 3);
    EXPECT_EQ(pieces[2].segment, 1U);
    EXPECT_EQ(pieces.back().count, 1);
}

// 64 logits of 16 features: a stage that had the loss alone would receive four times as much as any other.
TEST(Pieces, ALossStaysWithTheLogitsThatItReads) {
    const auto linear = [](const char* name, std::int64_t out) { return layer(name, "linear", {{"out", out}}); };
    const graph::Graph graph =
        graph::build(network(tensor({{"sequence", 4}, {"feature", 16}}),
                             {linear("a", 16), linear("b", 16), linear("head", 64), layer("loss", "cross_entropy")}));
    ASSERT_EQ(graph.segments.size(), 4U);
    EXPECT_TRUE(graph.stays_with_previous(3));
    EXPECT_FALSE(graph.stays_with_previous(2));
    EXPECT_EQ(graph.segment_count(), 3) << "the most stages";
    EXPECT_EQ(pieces_of(graph, 3).back().followed_by, 1U);
    const CostedGraph costed = costed_on_one_node(graph, two_stages());
    const std::vector<Stage> stages = cut_stages(costed, {schedule::Placement::loop, 3, 1}, {});
    EXPECT_EQ(describe(costed, stages[0]), "a");
    EXPECT_EQ(describe(costed, stages[2]), "head, loss");
}

// A layer and eleven more that take as long, on four stages: three on each. Of eight parts the four in the middle hold two.
TEST(Cut, GivesThePartsInTheMiddleABlockMoreThanTheOthers) {
    const auto linear = [](const char* name) { return layer(name, "linear", {{"out", std::int64_t{64}}}); };
    const graph::Graph graph = graph::build(
        network(tensor({{"feature", 64}}), {linear("in"), linear("out"), block("body", 10, {linear("a")})}));
    const CostedGraph costed = costed_on_one_node(graph, two_stages());
    const std::vector<Stage> stages = cut_stages(costed, {schedule::Placement::loop, 4, 2}, {});
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const auto held = [&](std::size_t index) {
            const std::vector<std::int64_t>& counts = stages[s].virtual_stages[index].counts;
            return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
        };
        EXPECT_EQ(held(0), s < 2 ? 1 : 2) << s;
        EXPECT_EQ(held(1), s < 2 ? 2 : 1) << s;
    }
}

// 64 micro-batches on eight stages of three blocks each, a forward pass of a block 1 ms: 64 x 3 x 3 ms and a bubble.
TEST(Cut, WithTheLongerPartsInTheMiddleTakesLessTime) {
    const auto time = [](std::size_t first) {
        std::vector<Position<Seconds>> positions;
        for (std::size_t k = 0; k < 16; ++k) {
            const double blocks = k >= first && k < first + 8 ? 2 : 1;
            positions.push_back(
                {.forward = blocks * 1000_us, .back = blocks * 2000_us, .weight_gradients = {}, .receive = {}});
        }
        ScheduleTimings orders;
        return pipeline_total(
            Pipeline<Seconds>{
                .positions = positions, .stages = 8, .microbatches = 64, .schedule = plan::ScheduleKind::interleaved},
            orders);
    };
    EXPECT_GE(time(4), 64 * 9000_us);
    EXPECT_LT(1.05 * time(4), time(0));
    EXPECT_LT(1.05 * time(4), time(8));
}

TEST(Describe, NamesRunsOfSegments) {
    const graph::Graph graph = wide_graph();
    const CostedGraph costed = costed_on_one_node(graph, two_stages());
    EXPECT_EQ(describe(costed, {{VirtualStage{{1, 1, 0, 0}}}}), "wide, a");
    EXPECT_EQ(describe(costed, {{VirtualStage{{0, 0, 0, 1}}}}), "c");
    EXPECT_EQ(describe(costed, {{VirtualStage{{1, 0, 0, 0}}, VirtualStage{{0, 0, 3, 1}}}}), "wide, 3 x b, c");
    EXPECT_EQ(describe(costed, {{VirtualStage{{0, 0, 0, 0}}}}), "");
}

/// Nodes of two devices, with links of 25 GB/s inside and of 0.5 GB/s between.
cluster::Cluster two_nodes() {
    cluster::Cluster cluster = small_cluster();
    cluster.levels[0].size = 2;
    cluster.levels.push_back({.name = "system", .size = 2, .bandwidth = 0.5_GB_per_s, .latency = 10_us});
    return cluster;
}

/// A chain as a pipeline sees it: times of its layers, and of sending what each reads.
struct Chain {
    std::vector<double> times;
    std::vector<double> entries;

    Chain(const CostedGraph& costed, BytesPerSecond bandwidth) {
        for (const SegmentCost& segment : costed.segments) {
            times.push_back((segment.forward.total() + segment.backward.total()).value.in(unit::second));
            Bytes read;
            for (const Entering& tensor : segment.entering) {
                read += tensor.sample ? Bytes{} : tensor.bytes;
            }
            entries.push_back((read / bandwidth).in(unit::second));
        }
        entries.push_back(0);
    }

    /// Eighth powers of the parts of a cut: the slowest decides, then the next. A boundary counts on either side.
    [[nodiscard]] double cost(const std::vector<std::size_t>& ends) const {
        const double all = std::accumulate(times.begin(), times.end(), 0.0);
        double sum = 0;
        std::size_t begin = 0;
        for (const std::size_t end : ends) {
            double part = (begin > 0 ? entries[begin] : 0) + entries[end];
            for (std::size_t i = begin; i < end; ++i) {
                part += times[i];
            }
            sum += std::pow(part / all, 8);
            begin = end;
        }
        return sum;
    }

    /// The least of all cuts into `parts`, the first of which end at `ends`.
    [[nodiscard]] double least(std::vector<std::size_t> ends, std::size_t parts) const {
        if (ends.size() + 1 == parts) {
            ends.push_back(times.size());
            return cost(ends);
        }
        double found = std::numeric_limits<double>::infinity();
        for (std::size_t end = (ends.empty() ? 0 : ends.back()) + 1; end < times.size(); ++end) {
            ends.push_back(end);
            found = std::min(found, least(ends, parts));
            ends.pop_back();
        }
        return found;
    }
};

std::vector<std::size_t> ends_of(const std::vector<Stage>& stages) {
    std::vector<std::size_t> ends;
    std::size_t end = 0;
    for (const Stage& stage : stages) {
        for (const std::int64_t count : stage.virtual_stages.front().counts) {
            end += static_cast<std::size_t>(count);
        }
        ends.push_back(end);
    }
    return ends;
}

RC_GTEST_PROP(Cut, IsTheMostEvenOfAllWithWhatCrossesItsBoundaries, ()) {
    const auto parts = *rc::gen::inRange<std::int64_t>(2, 5);
    const auto layers = *rc::gen::inRange<std::int64_t>(parts, 8);
    const bool between_nodes = *rc::gen::arbitrary<bool>();
    std::vector<graph::Entry> chain;
    for (std::int64_t i = 0; i < layers; ++i) {
        const std::int64_t out = std::int64_t{16} << *rc::gen::inRange(0, 8);
        chain.push_back(layer("layer" + std::to_string(i), "linear", {{"out", out}}));
    }
    const graph::Graph graph = graph::build(network(tensor({{"feature", 64}}), chain));
    plan::Plan plan = two_stages();
    plan.mesh = {{"pipeline", 2}, {"data", between_nodes ? 2 : 1}};
    const cluster::Cluster cluster = two_nodes();
    const CostedGraph costed = cost_graph(graph, cluster, plan, {});
    const std::vector<std::size_t> ends = ends_of(cut_stages(costed, {schedule::Placement::loop, parts, 1}, {}));
    const Chain row(costed, cluster.levels[between_nodes ? 1 : 0].bandwidth);
    RC_ASSERT(ends.size() == static_cast<std::size_t>(parts));
    RC_ASSERT(ends.back() == row.times.size());
    RC_ASSERT(row.cost(ends) <= (1 + 1e-9) * row.least({}, ends.size()));
}

}  // namespace stages_test
}  // namespace dodona::step::test
