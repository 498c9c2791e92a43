// Played orders, by hand.
#include "schedule/play.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "scenes.hpp"

namespace dodona::schedule {
namespace play_test {

using test::equal;
using test::Pass;
using test::played;

/// Two stages, two micro-batches, 1F1B. Stage 0: 0F0 0F1 0B0 0B1; stage 1: 1F0 1B0 1F1 1B1.
Order two_stages() { return test::order_of("1f1b", {2, 2, 1}); }

TEST(Play, StartsEachTaskWhenItsStageIsFreeAndWhatItNeedsHasArrived) {
    // F 1, B 2: stage 1 runs from 1 to 7, stage 0 has its gradients at 4 and 7.
    const Played<double> run = played(two_stages(), Pass{1, 1, 1});
    EXPECT_EQ(run.start, (std::vector<double>{0, 1, 4, 7, 1, 2, 4, 5}));
    EXPECT_EQ(run.end, (std::vector<double>{1, 2, 6, 9, 2, 4, 5, 7}));
    EXPECT_EQ(run.makespan, 9);
    EXPECT_EQ(run.busy, (std::vector<double>{6, 6}));
    EXPECT_EQ(run.idle(1), 3);
    EXPECT_EQ(run.idle_within(1), 0);
    EXPECT_DOUBLE_EQ(bubble_fraction(run), 1.0 / 3);
}

TEST(Play, DelaysWhatIsTransferred) {
    Durations<double> durations = equal(2, {1, 1, 1});
    durations.forward_transfers = {0.5};
    durations.backward_transfers = {0.25};
    // 1F0 at 1.5, 1B0 ends at 4.5; 0B0 at 4.75 to 6.75; 1F1 at 4.5, 1B1 ends at 7.5; 0B1 at 7.75.
    const Played<double> run = played(two_stages(), durations);
    EXPECT_EQ(run.start, (std::vector<double>{0, 1, 4.75, 7.75, 1.5, 2.5, 4.5, 5.5}));
    EXPECT_EQ(run.makespan, 9.75);
    EXPECT_EQ(run.busy, (std::vector<double>{6, 6}));
    EXPECT_EQ(run.transferring, (std::vector<double>{0, 0}));
}

TEST(Play, SendsOneTransferAfterTheOther) {
    // GPipe, three micro-batches, F 1, a transfer of 3: results arrive at 4, 7 and 10.
    Durations<double> durations = equal(2, {1, 1, 1});
    durations.forward_transfers = {3};
    const Played<double> run = played(test::order_of("gpipe", {2, 3, 1}), durations);
    EXPECT_EQ((std::vector<double>(run.start.begin() + 6, run.start.begin() + 9)), (std::vector<double>{4, 7, 10}));
}

TEST(Play, LetsABlockingTransferOccupyTheStageThatReceivesIt) {
    Durations<double> durations = equal(2, {1, 1, 1});
    durations.forward_transfers = {0.5};
    durations.backward_transfers = {0.25};
    durations.blocking = true;
    // Stage 0: 0F0 0-1, 0F1 1-2. Stage 1 receives 1-1.5; 1F0 to 2.5, 1B0 to 4.5, receives to 5; 1F1 to 6, 1B1 to 8.
    // Stage 0 receives 4.5-4.75; 0B0 to 6.75; receives 8-8.25; 0B1 to 10.25.
    const Played<double> run = played(two_stages(), durations);
    EXPECT_EQ(run.start, (std::vector<double>{0, 1, 4.75, 8.25, 1.5, 2.5, 5, 6}));
    EXPECT_EQ(run.makespan, 10.25);
    EXPECT_EQ(run.transferring, (std::vector<double>{0.5, 1}));
    EXPECT_EQ(run.idle(0), 10.25 - 6 - 0.5);
    EXPECT_EQ(run.first_start[1], 1);
    EXPECT_EQ(run.last_end[1], 8);
}

TEST(Play, GivesAPairADurationOfItsOwn) {
    Order order = two_stages();
    order.stages[1] = {{TaskKind::forward, false, 0, 1},
                       {TaskKind::forward, true, 1, 1},
                       {TaskKind::backward, false, 0, 1},
                       {TaskKind::backward, false, 1, 1}};
    Durations<double> durations = equal(2, {1, 1, 1});
    durations.pairs = {9, 2.5};  // stage 0 has no pair
    const Played<double> run = played(order, durations);
    EXPECT_EQ((std::vector<double>(run.start.begin() + 4, run.start.end())), (std::vector<double>{1, 2, 2, 4.5}));
    EXPECT_EQ(run.end[5], 4.5);
    EXPECT_EQ(run.busy[1], 1 + 2.5 + 2);
    durations.pairs.clear();  // one part after the other
    EXPECT_EQ(played(order, durations).end[6], 5);
}

TEST(Play, ForgetsTheLastOne) {
    Played<double> run;
    play(resolve(test::order_of("gpipe", {4, 8, 1})), equal(4, {3, 2, 1}), run);
    play(resolve(two_stages()), equal(2, {1, 1, 1}), run);
    const Played<double> alone = played(two_stages(), Pass{1, 1, 1});
    EXPECT_EQ(run.start, alone.start);
    EXPECT_EQ(run.end, alone.end);
    EXPECT_EQ(run.makespan, alone.makespan);
    EXPECT_EQ(run.busy, alone.busy);
    EXPECT_EQ(run.first_start, alone.first_start);
    EXPECT_EQ(run.last_end, alone.last_end);
}

/// A number with the derivative by the duration of one task.
struct Sloped {
    double value = 0;
    double slope = 0;
    friend Sloped operator+(Sloped a, Sloped b) { return {a.value + b.value, a.slope + b.slope}; }
    friend Sloped operator-(Sloped a, Sloped b) { return {a.value - b.value, a.slope - b.slope}; }
    friend bool operator<(Sloped a, Sloped b) { return a.value < b.value; }
};

TEST(Play, TakesNumbersWithDerivatives) {
    // 1F1B, 4 stages of which the last is the slowest, 8 micro-batches: all of its forward passes are on the longest
    // path, so the step grows by 8 for each second of the last stage's forward pass.
    Durations<Sloped> durations(4);
    for (std::int32_t k = 0; k < 4; ++k) {
        durations.of(TaskKind::forward, k) = {k == 3 ? 2.0 : 1.0, k == 3 ? 1.0 : 0.0};
        durations.of(TaskKind::backward, k) = {2.0, 0.0};
    }
    Played<Sloped> run;
    play(resolve(test::order_of("1f1b", {4, 8, 1})), durations, run);
    // 3 forward passes to the last stage, 8 * 4 s there, 3 backward passes back.
    EXPECT_EQ(run.makespan.value, 3 + 32 + 6);
    EXPECT_EQ(run.makespan.slope, 8);
}

TEST(Play, RefusesDurationsOfAnotherPipeline) {
    Played<double> run;
    EXPECT_THROW(play(resolve(two_stages()), equal(3, {}), run), InternalError);
    Durations<double> durations = equal(2, {});
    durations.forward_transfers = {1, 1};
    EXPECT_THROW(play(resolve(two_stages()), durations, run), InternalError);
}

}  // namespace play_test
}  // namespace dodona::schedule
