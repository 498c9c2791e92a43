// Goodput of whole plans: the parts put together.
#include "reliability/goodput.hpp"

#include <gtest/gtest.h>

#include "../step/scenes.hpp"
#include "step/predict.hpp"

namespace dodona::reliability::testing {
namespace goodput_test {

using graph::test::layer;
using graph::test::network;
using graph::test::tensor;

graph::Graph small_network() {
    return graph::build(network(tensor({{"feature", 256}}), {layer("fc", "linear", {{"out", std::int64_t{256}}})}));
}

GoodputQuestion question() {
    GoodputQuestion question;
    question.checkpoint.rates = {.copy = 1_GB_per_s, .node_write = 1_GB_per_s, .node_read = 1_GB_per_s};
    question.components = {{"node", FailureUnit::node, 3600_s, true}};
    question.failure_source = "a test";
    question.restart = 60_s;
    question.samples = 1e13;
    question.runs = 20;
    return question;
}

Goodput answer(const GoodputQuestion& asked) {
    const graph::Graph graph = small_network();
    const cluster::Cluster cluster = step::test::small_cluster();
    return goodput(graph, cluster, step::predict(graph, cluster, step::test::pipeline_of(1)), asked);
}

TEST(Goodput, PutsItsPartsTogether) {
    const Goodput all = answer(question());
    EXPECT_EQ(all.conditions.mtbf, 3600_s);
    EXPECT_EQ(all.conditions.pause, all.times.all());
    EXPECT_EQ(all.conditions.restart, 60_s + all.times.restore());
    EXPECT_EQ(all.chosen().rule, IntervalRule::best);
    EXPECT_EQ(all.chosen().interval, all.chosen().steps * all.prediction.step.value);
    EXPECT_EQ(all.expected.training, all.chosen().interval);
    EXPECT_NEAR(all.value(), all.chosen().closed_form, 0.01);
    ASSERT_TRUE(all.run);
    EXPECT_NEAR(all.run->time.value / (all.training / all.value()), 1, 1e-12);
    EXPECT_FALSE(all.run->money);
    EXPECT_FALSE(all.run->energy);
    EXPECT_FALSE(all.spares_needed);
}

TEST(Goodput, TakesTheIntervalThatIsAskedFor) {
    GoodputQuestion asked = question();
    asked.every.steps = 1000;
    const Goodput by_steps = answer(asked);
    EXPECT_EQ(by_steps.chosen().rule, IntervalRule::asked);
    EXPECT_EQ(by_steps.chosen().steps, 1000);
    asked.every = {.time = 1000.2 * by_steps.prediction.step.value, .steps = {}};
    EXPECT_EQ(answer(asked).chosen().steps, 1000) << "whole steps";
    EXPECT_LE(by_steps.chosen().closed_form, by_steps.choices[1].closed_form) << "the best is no worse";
}

TEST(Goodput, PaysForSparesAndFeedsOnlyWhatTrains) {
    GoodputQuestion asked = question();
    asked.price = cluster::Price{.device = unit::money / unit::hour, .currency = "USD", .source = ""};
    asked.power = 1000.0 * unit::watt;
    asked.spares = Spares{3, 600_s};
    const Goodput all = answer(asked);
    const double devices = static_cast<double>(all.job.devices);
    const double hours = all.run->time.value.in(unit::hour);
    const double a_node = static_cast<double>((all.job.devices + all.job.nodes - 1) / all.job.nodes);
    EXPECT_NEAR(all.run->money->in(unit::money), (devices + 3 * a_node) * hours, 1e-9 * devices * hours);
    EXPECT_NEAR(all.run->energy->in(unit::megawatt_hour), devices * hours / 1000, 1e-9 * devices * hours);
    EXPECT_TRUE(all.spares_needed);
}

TEST(Goodput, SaysWhereNothingIsEverKept) {
    GoodputQuestion asked = question();
    asked.components.front().mtbf = 1_s;
    const Goodput all = answer(asked);
    EXPECT_FALSE(all.plays);
    EXPECT_LT(all.value(), 0.01);
}

TEST(Goodput, PausesForTheCopyAloneWhereItIsAsynchronous) {
    GoodputQuestion asked = question();
    asked.checkpoint.mode = CheckpointMode::asynchronous;
    const Goodput all = answer(asked);
    EXPECT_EQ(all.conditions.pause, all.times.copy);
    EXPECT_EQ(all.conditions.background, all.times.encode + all.times.write);
    EXPECT_EQ(*all.host_needed, all.tensors / static_cast<double>(all.job.nodes));
    EXPECT_GE(all.chosen().interval, shortest_interval(all.conditions));
}

}  // namespace goodput_test
}  // namespace dodona::reliability::testing
