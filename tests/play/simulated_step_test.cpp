// Whole plans, played beside their closed form.
#include "play/simulated_step.hpp"

#include <gtest/gtest.h>

#include "../step/scenes.hpp"
#include "step/predict.hpp"

namespace dodona::play {
namespace simulated_step_test {

using graph::test::block;
using graph::test::layer;
using graph::test::network;
using graph::test::tensor;
using step::test::pipeline_of;

/// `blocks` equal blocks between a stem and a head.
graph::Graph chain(std::int64_t blocks) {
    return graph::build(network(tensor({{"feature", 256}}),
                                {layer("stem", "linear", {{"out", std::int64_t{256}}}),
                                 block("body", blocks, {layer("fc", "linear", {{"out", std::int64_t{256}}})}),
                                 layer("head", "linear", {{"out", std::int64_t{1024}}})}));
}

double closed_form(const SimulatedStep& step) { return step.prediction.step.value.in(unit::second); }
double played(const SimulatedStep& step) { return step.time().in(unit::second); }

TEST(SimulatedStep, WithoutAPipelineIsTheClosedForm) {
    plan::Plan plan = pipeline_of(1);
    plan.framework.number(plan::FrameworkParameter::stragglers).value = 0.01;
    plan.framework.number(plan::FrameworkParameter::launch).value = 1e-4;
    plan.framework.number(plan::FrameworkParameter::step).value = 0.5;
    plan.recompute = plan::RecomputeKind::full;
    const SimulatedStep step = simulate_step(chain(4), step::test::small_cluster(), plan);
    EXPECT_NEAR(played(step), closed_form(step), 1e-9 * closed_form(step));
    EXPECT_NEAR(step.idle_share(), 0, 1e-12);
    EXPECT_EQ(step.ranks_per_stage(), 1);
}

/// The closed form is an upper bound where stages differ (step/pipeline.hpp).
TEST(SimulatedStep, OfAPipelineIsNearTheClosedForm) {
    for (const std::int64_t virtual_stages : {1, 2}) {
        for (const bool overlaps : {false, true}) {
            plan::Plan plan = pipeline_of(4, virtual_stages);
            plan.overlap.pipeline = overlaps;
            const SimulatedStep step = simulate_step(chain(16), step::test::small_cluster(), plan);
            EXPECT_NEAR(played(step) / closed_form(step), 1, 0.15) << virtual_stages << " " << overlaps;
            EXPECT_GT(step.idle_share(), 0);
        }
    }
}

TEST(SimulatedStep, PredictionIsThatOfPredict) {
    const plan::Plan plan = pipeline_of(4);
    const SimulatedStep step = simulate_step(chain(8), step::test::small_cluster(), plan);
    EXPECT_EQ(closed_form(step),
              step::predict(chain(8), step::test::small_cluster(), plan).step.value.in(unit::second));
    EXPECT_EQ(step.stages.size(), 4U);
    EXPECT_EQ(step.costs.positions.front().receive, Seconds{});
    EXPECT_GT(step.costs.positions.back().receive, Seconds{});
}

TEST(SimulatedStep, AnotherOrderTakesItsOwnTime) {
    const graph::Graph graph = chain(16);
    const plan::Plan plan = pipeline_of(4);
    const auto play_in = [&](const char* schedule) {
        return simulate_step(graph, step::test::small_cluster(), plan, other_order(*schedule::find_schedule(schedule)));
    };
    const SimulatedStep planned = simulate_step(graph, step::test::small_cluster(), plan);
    const SimulatedStep same = play_in("1f1b");
    EXPECT_EQ(played(same), played(planned));
    EXPECT_EQ(same.other_order, "1f1b");
    EXPECT_EQ(planned.other_order, std::nullopt);
    const SimulatedStep zero_bubble = play_in("zb-h1");
    EXPECT_LT(played(zero_bubble), played(planned));
    EXPECT_LT(zero_bubble.idle_share(), planned.idle_share());
    EXPECT_EQ(zero_bubble.in_flight, 4);
    EXPECT_EQ(zero_bubble.in_flight_of_plan, 4);
    EXPECT_EQ(play_in("gpipe").in_flight, 16);
}

TEST(SimulatedStep, OfEveryScheduleIsNearItsPrediction) {
    for (const plan::ScheduleKind schedule : values_of(plan::kScheduleTable)) {
        for (const bool overlaps : {false, true}) {
            plan::Plan plan = pipeline_of(4, std::min(plan::schedule_of(schedule).traits.virtual_stages.most, 2));
            plan.schedule = schedule;
            plan.overlap.pipeline = overlaps;
            const SimulatedStep step = simulate_step(chain(16), step::test::small_cluster(), plan);
            EXPECT_NEAR(played(step) / closed_form(step), 1, 0.02) << plan::name(schedule) << " " << overlaps;
            // The parts of the prediction add up.
            EXPECT_NEAR(step.prediction.time.total() / step.prediction.step.value, 1, 1e-9) << plan::name(schedule);
            EXPECT_NEAR(step.prediction.mfu, step.prediction.hfu, 0.02 * step.prediction.hfu) << plan::name(schedule);
        }
    }
}

TEST(SimulatedStep, OfTwoCopiesHoldsAndExchangesBoth) {
    plan::Plan plan = pipeline_of(4);
    const step::Prediction one = step::predict(chain(16), step::test::small_cluster(), plan);
    plan.schedule = plan::schedule_from("dualpipe").value();
    const step::Prediction both = step::predict(chain(16), step::test::small_cluster(), plan);
    // Every stage has two of the four parts; the middle ones of one copy had a quarter of the weights.
    double of_one = 0;
    double of_both = 0;
    for (std::size_t s = 0; s < 4; ++s) {
        of_one += one.stages[s].memory.allocated.in(unit::byte);
        of_both += both.stages[s].memory.allocated.in(unit::byte);
    }
    EXPECT_GT(of_both, of_one);
    bool exchanged = false;
    for (const step::CommunicationLine& line : both.communication) {
        exchanged = exchanged || line.subject == step::CommunicationSubject::copied_gradients;
    }
    EXPECT_TRUE(exchanged);
}

TEST(SimulatedStep, WithoutAFlushKeepsTheWeightsThatMicroBatchesStartedWith) {
    plan::Plan plan = pipeline_of(4);
    const auto weights = [&](std::int64_t micro_batches, const char* schedule) {
        plan.batch = 4096 * micro_batches;
        plan.schedule = plan::schedule_from(schedule).value();
        const step::Prediction found = step::predict(chain(14), step::test::small_cluster(), plan);
        return found.stages.front().memory.allocated;
    };
    EXPECT_GT(weights(16, "pipedream"), weights(16, "1f1b"));
    // Every micro-batch is a step: four versions instead of two.
    EXPECT_GT(weights(1, "pipedream"), weights(16, "pipedream"));
}

TEST(SimulatedStep, OrderForAnotherShapeIsAFault) {
    const graph::Graph graph = chain(16);
    const auto play_in = [&](const OtherOrder& order) {
        return simulate_step(graph, step::test::small_cluster(), pipeline_of(4), order);
    };
    EXPECT_THROW(play_in(other_order(*schedule::find_schedule("zb-v"))), InputError) << "two positions on each stage";
    EXPECT_THROW(other_order(*schedule::find_schedule("dualpipe")), InputError);
    EXPECT_THROW(other_order(*schedule::find_schedule("pipedream")), InputError);
    const OtherOrder of_three{"three.csv", [](const schedule::Shape&) {
                                  return schedule::order_of(*schedule::find_schedule("1f1b"), {3, 16, 1});
                              }};
    EXPECT_THROW(play_in(of_three), InputError);
}

TEST(SimulatedStep, OfAPlanThatCannotRunIsAFault) {
    EXPECT_THROW(static_cast<void>(simulate_step(chain(2), step::test::small_cluster(), pipeline_of(4, 8))),
                 InputError);
}

}  // namespace simulated_step_test
}  // namespace dodona::play
