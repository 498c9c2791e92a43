// Trials that choose how many cores or GPUs they take.
#include "trials/moldable.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dodona::trials::testing {
namespace moldable_test {

/// A trial of `work` core-seconds with a serial part, on 1, 2 or 4 cores: t(c) = work (serial + (1 - serial) / c).
Choices on_cores(double work, double serial) {
    Choices choices;
    for (const std::int64_t cores : {1, 2, 4}) {
        choices.push_back(
            {work * (serial + (1 - serial) / static_cast<double>(cores)) * unit::second, {.cores = cores}});
    }
    return choices;
}

TEST(Moldable, ManyTrialsRunOnOneCoreAndFewOnMany) {
    const Pool node{1, {.cores = 4}};
    const Molded many = mold(std::vector<Choices>(8, on_cores(10, 0.5)), node, Policy::lpt);
    for (const std::size_t choice : many.chosen) {
        EXPECT_EQ(choice, 0U);
    }
    EXPECT_DOUBLE_EQ(many.schedule.makespan.in(unit::second), 20);
    const Molded one = mold({on_cores(10, 0.5)}, node, Policy::lpt);
    EXPECT_EQ(one.chosen.front(), 2U);
    EXPECT_DOUBLE_EQ(one.schedule.makespan.in(unit::second), 10 * (0.5 + 0.5 / 4));
}

TEST(Moldable, TheLongTrialGetsMoreCoresThanTheShortOnes) {
    // One of 100 core-seconds and twelve of 10, a fifth of each serial, on 4 cores. All on 1 core: 100. All on 2: 66.
    // All on 4: 40 + 12 x 4. The long one on 2 and the others on 1: 60 beside 120 / 2.
    std::vector<Choices> trials(12, on_cores(10, 0.2));
    trials.insert(trials.begin(), on_cores(100, 0.2));
    const Molded molded = mold(trials, {1, {.cores = 4}}, Policy::lpt);
    EXPECT_DOUBLE_EQ(molded.schedule.makespan.in(unit::second), 60);
    EXPECT_DOUBLE_EQ(molded.lower.in(unit::second), 55) << "220 core-seconds on 4 cores";
    EXPECT_EQ(molded.jobs[0].units.cores, 2);
    EXPECT_EQ(molded.jobs[1].units.cores, 1);
}

TEST(Moldable, OneWidthForAllIsTriedToo) {
    // The long one on 4 cores: 40. Then both short ones on 4, 4 + 4, which is shorter than on 1 core each, 10.
    const std::vector<Choices> trials{on_cores(100, 0.2), on_cores(10, 0.2), on_cores(10, 0.2)};
    EXPECT_DOUBLE_EQ(mold(trials, {1, {.cores = 4}}, Policy::lpt).schedule.makespan.in(unit::second), 48);
}

TEST(Moldable, AChoiceThatFitsNowhereIsLeftOut) {
    const Molded molded =
        mold({{{1 * unit::second, {.gpus = 16}}, {4 * unit::second, {.gpus = 4}}}}, {1, {.gpus = 8}}, Policy::fifo);
    EXPECT_EQ(molded.chosen.front(), 1U);
    EXPECT_DOUBLE_EQ(molded.lower.in(unit::second), 4) << "the choice that fits";
}

RC_GTEST_PROP(Moldable, IsNoLongerThanTwiceTheBoundNorThanOneChoiceForAll, ()) {
    const auto works = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 200)));
    const double serial = *rc::gen::inRange(0, 10) / 10.0;
    std::vector<Choices> trials;
    for (const int work : works) {
        trials.push_back(on_cores(work, serial));
    }
    const Pool pool{2, {.cores = 4}};
    const Molded molded = mold(trials, pool, Policy::lpt);
    const double makespan = molded.schedule.makespan.in(unit::second);
    RC_ASSERT(makespan >= molded.lower.in(unit::second) * (1 - 1e-12));
    std::vector<Job> narrow;
    for (const Choices& choices : trials) {
        narrow.push_back(choices.front());
    }
    RC_ASSERT(makespan <= schedule(narrow, pool, Policy::lpt).makespan.in(unit::second) * (1 + 1e-12));
}

}  // namespace moldable_test
}  // namespace dodona::trials::testing
