// Lists of operators on workers, and settings of small networks, by hand.
#include "threads/prediction.hpp"

#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "../graph/networks.hpp"

namespace dodona::threads::testing {
namespace prediction_test {

using After = std::vector<std::size_t>;

OperatorGraph graph_of(const std::vector<After>& after) {
    OperatorGraph graph;
    graph.kinds.resize(after.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
        graph.operators.push_back({i, after[i]});
    }
    return graph;
}

std::vector<std::size_t> in_order(const OperatorGraph& graph) {
    std::vector<std::size_t> order(graph.operators.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

/// Of operators that take so many microseconds whatever runs beside them.
Played played(const OperatorGraph& graph, const std::vector<double>& times, std::int64_t workers) {
    return list_schedule(graph, in_order(graph), {0, times.size()}, workers,
                         [&](std::size_t kind, std::int64_t /*active*/) { return times[kind] * 1_us; });
}

double us(Seconds time) { return time.in(1_us); }

/// 3, 2, 2, 2 on two workers: 3 and 2, then 2 from 2 to 4, then 2 from 3 to 5. The last waits for the first: the same.
TEST(ListSchedule, AFreeWorkerTakesTheFirstReady) {
    EXPECT_NEAR(us(played(graph_of({{}, {}, {}, {}}), {3, 2, 2, 2}, 2).time), 5, 1e-9);
    EXPECT_NEAR(us(played(graph_of({{}, {}, {}, {0}}), {3, 2, 2, 2}, 2).time), 5, 1e-9);
    EXPECT_NEAR(us(played(graph_of({{}, {0}, {0}, {1, 2}}), {3, 2, 4, 2}, 2).time), 9, 1e-9);
    EXPECT_NEAR(us(played(graph_of({{}, {}, {}, {}}), {3, 2, 2, 2}, 1).time), 9, 1e-9);
    EXPECT_EQ(played(graph_of({{}, {}, {}, {0}}), {3, 2, 2, 2}, 8).busiest, 3);
}

/// Two operators of 1 and 2 us alone, twice as slow beside another: the first ends at 2, the second has done half of
/// its work by then and ends at 3.
TEST(ListSchedule, RatesChangeWhenOthersEnd) {
    const OperatorGraph graph = graph_of({{}, {}});
    const Played both = list_schedule(graph, {0, 1}, {0, 2}, 2, [](std::size_t kind, std::int64_t active) {
        return static_cast<double>((kind + 1) * static_cast<std::size_t>(active)) * 1_us;
    });
    EXPECT_NEAR(us(both.time), 3, 1e-9);
}

TEST(ListSchedule, APartDoesNotWaitForWhatIsOutside) {
    const OperatorGraph graph = graph_of({{}, {0}, {1}});
    const auto time = [](std::size_t kind, std::int64_t /*active*/) { return static_cast<double>(kind + 1) * 1_us; };
    EXPECT_NEAR(us(list_schedule(graph, {0, 1, 2}, {1, 3}, 1, time).time), 5, 1e-9);
}

/// Graham's bounds: work / k and the longest chain below, (2 - 1/k) times the larger of them above.
RC_GTEST_PROP(ListSchedule, IsWithinGrahamsBounds, ()) {
    const auto count = *rc::gen::inRange<std::size_t>(1, 20);
    std::vector<After> after(count);
    std::vector<double> times;
    std::vector<double> chains;
    for (std::size_t i = 0; i < count; ++i) {
        times.push_back(*rc::gen::inRange(1, 100));
        double before = 0;
        for (std::size_t j = 0; j < i; ++j) {
            if (*rc::gen::inRange(0, 4) == 0) {
                after[i].push_back(j);
                before = std::max(before, chains[j]);
            }
        }
        chains.push_back(before + times.back());
    }
    const auto workers = *rc::gen::inRange<std::int64_t>(1, 6);
    const double work = std::accumulate(times.begin(), times.end(), 0.0);
    const double longest = *std::max_element(chains.begin(), chains.end());
    const auto k = static_cast<double>(workers);
    const double took = us(played(graph_of(after), times, workers).time);
    RC_ASSERT(took >= std::max(work / k, longest) * (1 - 1e-9));
    RC_ASSERT(took <= (work / k + (1 - 1 / k) * longest) * (1 + 1e-9));
}

TEST(Guideline, IsTheAverageWidthAndTheCoresOverIt) {
    EXPECT_EQ(guideline(256.0 / 67, 48), (Setting{4, 12}));
    EXPECT_EQ(guideline(2.4, 20), (Setting{2, 10}));
    EXPECT_EQ(guideline(3, 20), (Setting{3, 6}));
    EXPECT_EQ(guideline(100, 8), (Setting{8, 1}));
}

ThreadCosts four_cores(Seconds change) {
    return {.cores = 4,
            .of_core = 100_GB_per_s,
            .of_all = 400_GB_per_s,
            .serial = Seconds{},
            .fork = 1_us,
            .barrier = Seconds{},
            .oversubscription = 0.5,
            .change = change};
}

/// A chain of two operators, then two and two side by side, each of 40 us on one of four cores. In chains of one:
/// (1 + 10) x 6 = 66 us. Two workers of two threads: 4 operators one after the other, 21 us each. Over-subscribed with
/// four threads: (1 + 10) x 2, then two at once on 4 cores: 2 + 1.5 x 20 each.
TEST(Prediction, OfAChainAndAPairIsByHand) {
    const OperatorGraph graph = graph_of({{}, {0}, {1}, {1}, {2}, {3}});
    const std::vector<OperatorWork> works(6, OperatorWork{.kernels = {{.compute = 10_us, .moved = 1_B}}});
    const Prediction dear = predict(graph, works, four_cores(500_us));
    EXPECT_EQ(dear.operators, 6U);
    EXPECT_EQ(dear.depths, 4U);
    EXPECT_DOUBLE_EQ(dear.average_width, 1.5);
    EXPECT_EQ(dear.chain.setting, (Setting{1, 4}));
    EXPECT_NEAR(us(dear.chain.time), 66, 1e-9);
    EXPECT_EQ(dear.guideline.setting, (Setting{2, 2}));
    EXPECT_NEAR(us(dear.guideline.time), 84, 1e-9);
    EXPECT_EQ(dear.fixed.setting, (Setting{1, 4}));
    EXPECT_NEAR(us(dear.none.time), 22 + 2 * 32, 1e-9);
    EXPECT_NEAR(us(dear.dynamic), 66, 1e-9);
    EXPECT_EQ(dear.sections.size(), 1U);
    EXPECT_EQ(dear.grid.size(), 16U);
    // Within the cores: 1 to 4 of 1, 1 of 2 to 4, 2 of 2. Only 1 of 4 and 2 of 2 take 84 us or less.
    EXPECT_DOUBLE_EQ(dear.beaten(dear.guideline.time, true, 4), 6.0 / 8);
}

/// With forks of 4 us pairs are better at 2 of 2 (24 us a depth for both) than one by one (2 x 14): 28 + 2 + 48.
TEST(Prediction, ChangesBetweenSectionsWhereThatPays) {
    const OperatorGraph graph = graph_of({{}, {0}, {1}, {1}, {2}, {3}});
    const std::vector<OperatorWork> works(6, OperatorWork{.kernels = {{.compute = 10_us, .moved = 1_B}}});
    ThreadCosts costs = four_cores(2_us);
    costs.fork = 4_us;
    const Prediction cheap = predict(graph, works, costs);
    EXPECT_NEAR(us(cheap.fixed.time), 84, 1e-9);
    EXPECT_NEAR(us(cheap.dynamic), 28 + 2 + 48, 1e-9);
    ASSERT_EQ(cheap.sections.size(), 2U);
    EXPECT_EQ(cheap.sections[0].setting, (Setting{1, 4}));
    EXPECT_EQ(cheap.sections[1].setting, (Setting{2, 2}));
    EXPECT_EQ(cheap.sections[1].widest, 2);
}

/// Cells of 256 features and fewer are below the limit from which libraries divide products, larger ones above it.
TEST(Prediction, OfALargerLstmIsNeverShorter) {
    using namespace graph::test;
    cluster::Device device{.memory_bandwidth = 400_GB_per_s,
                           .multiprocessors = 64,
                           .matrix = {{Precision::fp32, 5_TFLOP_per_s}},
                           .vector = 5_TFLOP_per_s,
                           .tiles = {{48, 8}},
                           .launch = 20_us};
    const ThreadCosts costs = thread_costs(device, 64, {});
    const auto fastest = [&](std::int64_t hidden, double batch) {
        const OperatorGraph lstm = operator_graph(
            graph::build(network(tensor({{"sequence", 4}, {"feature", hidden}}),
                                 {layer("lstm", "lstm", {{"hidden", hidden}, {"layers", std::int64_t{2}}})})),
            batch);
        return predict(lstm, works_of(device, lstm, Precision::fp32, 64), costs).fixed.time;
    };
    for (std::int64_t hidden = 8; hidden < 512; hidden += 8) {
        EXPECT_LE(fastest(hidden, 1), fastest(hidden + 8, 1)) << hidden;
    }
    for (double batch = 1; batch < 24; ++batch) {
        EXPECT_LE(fastest(256, batch), fastest(256, batch + 1)) << batch;
    }
}

}  // namespace prediction_test
}  // namespace dodona::threads::testing
