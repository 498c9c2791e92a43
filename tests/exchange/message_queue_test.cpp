// Messages of a step: what shows of them, by hand and as laws.
#include "exchange/message_queue.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dodona::exchange::testing {
namespace message_queue_test {

Seconds exposed(const std::vector<LayerWork>& layers, const std::vector<double>& times, Order order,
                Seconds chunk = 0.001_s) {
    std::vector<Message> messages = messages_of(layers, Bytes{});
    for (std::size_t m = 0; m < messages.size(); ++m) {
        messages[m].time = times[m] * unit::second;
    }
    return exposed_messages(layers, messages, order, chunk);
}

std::vector<LayerWork> equal_layers(std::size_t count) {
    return std::vector<LayerWork>(count, {.forward = 1_s, .backward = 2_s, .bytes = 4_B, .elements = 1});
}

TEST(Messages, JoinLayersFromTheLastOn) {
    std::vector<LayerWork> layers = equal_layers(5);
    layers[1].bytes = Bytes{};
    const std::vector<Message> messages = messages_of(layers, 8_B);
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(messages[0].first, 3U);
    EXPECT_EQ(messages[0].last, 4U);
    EXPECT_EQ(messages[1].first, 0U);
    EXPECT_EQ(messages[1].bytes, 8_B);
}

// Two layers, forward 1 s and backward 2 s each. The message of layer 2 takes 7 s from 2 s before the end of backward,
// that of layer 1 takes 1 s.
//   barrier       served until 7 - 2 + 1 = 6 s after backward; 6 s show
//   first-ready   layer 1 has its message after 6 s, layer 2 after 5 s: 6 s show
//   newest-first  layer 1 overtakes: its message ends after 1 s, the other after 6 s; layer 2 could start at 2 s: 5 s
TEST(Messages, OfTwoLayersByHand) {
    const std::vector<LayerWork> layers = equal_layers(2);
    EXPECT_NEAR(exposed(layers, {7, 1}, Order::barrier).in(unit::second), 6, 1e-9);
    EXPECT_NEAR(exposed(layers, {7, 1}, Order::first_ready).in(unit::second), 6, 1e-9);
    EXPECT_NEAR(exposed(layers, {7, 1}, Order::newest_first).in(unit::second), 5, 0.0021);
}

TEST(Messages, HideWhereThereIsTime) {
    EXPECT_EQ(exposed(equal_layers(3), {1, 1, 0}, Order::barrier), Seconds{});
    EXPECT_NEAR(exposed(equal_layers(3), {1, 1, 1}, Order::barrier).in(unit::second), 1, 1e-9);
}

/// Whatever the layers and messages: priority is never worse than first come, first served, by more than a chunk; and
/// waiting for one's own message never worse than waiting for all.
RC_GTEST_PROP(Messages, PriorityIsNeverWorseThanFifo, ()) {
    const auto count = *rc::gen::inRange<std::size_t>(1, 9);
    std::vector<LayerWork> layers(count);
    std::vector<double> times(count);
    for (std::size_t i = 0; i < count; ++i) {
        layers[i] = {.forward = *rc::gen::inRange(0, 100) * 0.01_s,
                     .backward = *rc::gen::inRange(0, 200) * 0.01_s,
                     .bytes = 4_B,
                     .elements = 1};
        times[i] = *rc::gen::inRange(0, 300) * 0.01;
    }
    const Seconds chunk = 0.001_s;
    const Seconds barrier = exposed(layers, times, Order::barrier);
    const Seconds fifo = exposed(layers, times, Order::first_ready);
    const Seconds priority = exposed(layers, times, Order::newest_first, chunk);
    RC_ASSERT(priority <= fifo + chunk + 1e-9 * unit::second);
    RC_ASSERT(fifo <= barrier + 1e-9 * unit::second);
}

}  // namespace message_queue_test
}  // namespace dodona::exchange::testing
