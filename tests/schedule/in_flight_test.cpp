// Activations in flight against the closed forms that predictions use (step/pipeline.hpp).
#include "schedule/in_flight.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "scenes.hpp"
#include "schedule/schedules/shared.hpp"

namespace dodona::schedule {
namespace in_flight_test {

using Counts = std::vector<std::int64_t>;

RC_GTEST_PROP(InFlight, OfGPipeIsEveryMicroBatch, ()) {
    const Shape shape{*rc::gen::inRange(2, 9), *rc::gen::inRange(1, 20), 1};
    const Order order = test::order_of("gpipe", shape);
    for (std::int32_t s = 0; s < shape.stages; ++s) {
        RC_ASSERT(in_flight(order, s).peak() == shape.micro_batches);
    }
}

RC_GTEST_PROP(InFlight, OfOneForwardOneBackwardIsTheDistanceToTheEnd, ()) {
    const Shape shape{*rc::gen::inRange(1, 9), *rc::gen::inRange(1, 20), 1};
    const Order order = test::order_of("1f1b", shape);
    for (std::int32_t s = 0; s < shape.stages; ++s) {
        const InFlight held = in_flight(order, s);
        RC_ASSERT(held.until_backward[static_cast<std::size_t>(s)] == std::min(shape.micro_batches, shape.stages - s));
        RC_ASSERT(held.peak() == held.until_backward[static_cast<std::size_t>(s)]);
    }
}

/// The closed form of interleaving by virtual stage: passes in groups of p until the first backward pass.
Counts interleaved_closed_form(const Shape& shape, std::int32_t stage) {
    const std::int32_t p = shape.stages;
    const std::int32_t v = shape.virtual_stages;
    Counts held(static_cast<std::size_t>(v), 0);
    std::int32_t left = std::min(shape.micro_batches * v, (v - 1) * p + 2 * (p - stage - 1) + 1);
    for (std::size_t c = 0; left > 0; c = (c + 1) % held.size()) {
        const std::int32_t passes = std::min(left, p);
        held[c] += passes;
        left -= passes;
    }
    return held;
}

RC_GTEST_PROP(InFlight, OfInterleavingIsTheClosedForm, ()) {
    const std::int32_t p = *rc::gen::inRange(2, 9);
    const Shape shape{p, p * *rc::gen::inRange(1, 6), *rc::gen::inRange(2, 5)};
    const Order order = test::order_of("interleaved-1f1b", shape);
    for (std::int32_t s = 0; s < p; ++s) {
        const InFlight held = in_flight(order, s);
        Counts by_virtual_stage;
        for (std::int32_t c = 0; c < shape.virtual_stages; ++c) {
            by_virtual_stage.push_back(held.at_peak[static_cast<std::size_t>(c * p + s)]);
        }
        RC_ASSERT(by_virtual_stage == interleaved_closed_form(shape, s));
    }
}

TEST(InFlight, OfInterleavedFirstStageIsOnePlusAShareOfTheModel) {
    // As in tests/step: p = 8, v = 3: 31 passes; each virtual stage has its own peak at another time.
    const InFlight held = in_flight(test::order_of("interleaved-1f1b", {8, 64, 3}), 0);
    EXPECT_EQ(held.peak(), 31);
    EXPECT_EQ((Counts{held.at_peak[0], held.at_peak[8], held.at_peak[16]}), (Counts{15, 8, 8}));
    EXPECT_EQ(held.until_backward[0], 16);
}

TEST(InFlight, OfOneStageIsOneMicroBatch) {
    for (const Shape& shape : {Shape{1, 8, 1}, Shape{1, 8, 3}}) {
        for (const std::string_view name : {"gpipe", "1f1b", "interleaved-1f1b"}) {
            if (!test::named(name).unmet(shape)) {
                const InFlight held = in_flight(test::order_of(name, shape), 0);
                EXPECT_EQ(held.until_backward, Counts(held.until_backward.size(), 1)) << name;
            }
        }
    }
}

TEST(InFlight, HoldsWhatWeightGradientsNeedUntilTheyAreComputed) {
    Order order = empty_order(Placement::loop, {1, 3, 1});
    order.stages[0] = {forward(0, 0),         backward_input(0, 0),  forward(1, 0), backward_input(1, 0),
                       backward_weight(0, 0), backward_weight(1, 0), forward(2, 0), backward(2, 0)};
    const InFlight held = in_flight(order, 0);
    EXPECT_EQ(held.peak(), 1);
    EXPECT_EQ(held.peak_weights(), 2);
    // 3 units until I, 2 until W: 3 + 2 * 2 at the second forward pass, 5 at the third.
    EXPECT_EQ(peak_held(order, 0, Counts{3}, Counts{2}), 7);
}

TEST(InFlight, LooksAtTheFirstPeakOfAStage) {
    Order order = empty_order(Placement::loop, {1, 1, 2});
    order.stages[0] = {forward(0, 0), backward(0, 0), forward(0, 1), backward(0, 1)};
    const InFlight held = in_flight(order, 0);
    EXPECT_EQ(held.at_peak, (Counts{1, 0}));
    EXPECT_EQ(held.at_weights_peak, (Counts{1, 0}));
    EXPECT_EQ(held.until_backward, (Counts{1, 1}));
}

TEST(InFlight, WeighsPositions) {
    // Two virtual stages on one stage, one micro-batch: all of both is held before the first backward pass.
    const Order order = test::order_of("interleaved-1f1b", {1, 3, 2});
    EXPECT_EQ(peak_held(order, 0, Counts{5, 7}, Counts{1, 1}), 14);
}

}  // namespace in_flight_test
}  // namespace dodona::schedule
