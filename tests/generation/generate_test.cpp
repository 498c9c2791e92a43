// Answers that join and leave a batch, by hand.
#include "generation/generate.hpp"

#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dodona::generation {
namespace generate_test {

/// A step takes 10 s, and 1 s for each sequence; a token in the cache has a byte, which takes 1 ms to read. A prompt takes 100 s.
Engine engine(double window = 1e9) {
    return Engine(
        {.tensor = 1,
         .weights = 1_B,
         .cache = {{1_B, window}},
         .prefill = Estimate::exactly(100_s),
         .passes = {{1, Estimate::exactly(11_s)}, {4, Estimate::exactly(14_s)}, {64, Estimate::exactly(74_s)}},
         .byte = Estimate::exactly(0.001_s)});
}

double seconds(Seconds time) { return time.in(unit::second); }

TEST(Decode, IsBetweenPassesAndReadsTheCacheOfEachSequence) {
    EXPECT_DOUBLE_EQ(seconds(engine().decode(1, 0).value), 11);
    EXPECT_DOUBLE_EQ(seconds(engine().decode(3, 1000).value), 13 + 3);
    EXPECT_DOUBLE_EQ(seconds(engine(200).decode(3, 1000).value), 13 + 0.6) << "no more than the window";
    EXPECT_DOUBLE_EQ(seconds(engine().decode(128, 0).value), 148) << "twice the last pass";
    EXPECT_EQ(engine(200).cache(50), 50_B);
}

TEST(Generate, IsOneStepForEachTokenOfTheLongest) {
    // A prompt of 4 tokens, answers of 2 and 5: 2 steps of 2 sequences at 4 and 5 tokens, 3 of one at 6, 7 and 8.
    const std::vector<double> tokens{5, 2};
    const auto made =
        generate(engine(), {.tokens = tokens, .samples = 2, .prompt = 4}, {.cache = 1_GB, .sequences = 8});
    ASSERT_TRUE(made);
    const double decoded = 2 * 12 + 0.001 * 2 * (4 + 5) + 3 * 11 + 0.001 * (6 + 7 + 8);
    EXPECT_NEAR(seconds(made->time.value), 100 + decoded, 1e-9);
    EXPECT_NEAR(seconds(made->prefill.value), 100, 1e-9) << "once for both answers";
    EXPECT_EQ(made->most, 2);
    EXPECT_NEAR(made->mean, (2 * 2 + 3 * 1) / 5.0, 1e-12);
    EXPECT_EQ(made->nine_tenths, made->time.value);
}

TEST(Generate, BeginsAnswersAsOthersEndWhereThereIsNoRoom) {
    // One at a time: 3 + 3 steps at 4, 5 and 6 tokens.
    const std::vector<double> tokens{3, 3};
    const Answers answers{.tokens = tokens, .samples = 1, .prompt = 4};
    const double decoded = 2 * (3 * 11 + 0.001 * (4 + 5 + 6));
    const auto by_count = generate(engine(), answers, {.cache = 1_GB, .sequences = 1});
    const auto by_memory = generate(engine(), answers, {.cache = 13_B, .sequences = 8});
    ASSERT_TRUE(by_count && by_memory);
    EXPECT_NEAR(seconds(by_count->time.value), 2 * 100 + decoded, 1e-9);
    EXPECT_EQ(by_memory->time.value, by_count->time.value) << "two of 7 bytes do not fit into 13";
    EXPECT_EQ(generate(engine(), answers, {.cache = 14_B, .sequences = 8})->most, 2);
    EXPECT_FALSE(generate(engine(), answers, {.cache = 6_B, .sequences = 8})) << "none fits";
}

TEST(Generate, WaitsForTheEngineWithTheLongestAnswer) {
    const std::vector<double> tokens{3, 5};
    const auto all = generate_on(2, engine(), {.tokens = tokens, .samples = 1, .prompt = 4}, {1_GB, 8});
    ASSERT_TRUE(all);
    const double shorter = 100 + 3 * 11 + 0.001 * (4 + 5 + 6);
    const double longer = 100 + 5 * 11 + 0.001 * (4 + 5 + 6 + 7 + 8);
    EXPECT_NEAR(seconds(all->slowest.time.value), longer, 1e-9);
    EXPECT_NEAR(seconds(all->mean), (shorter + longer) / 2, 1e-9);
}

RC_GTEST_PROP(Generate, TakesNoLongerWithMoreMemoryOrMoreEngines, ()) {
    const auto drawn = *rc::gen::container<std::vector<int>>(12, rc::gen::inRange(1, 50));
    const std::vector<double> tokens(drawn.begin(), drawn.end());
    const Answers answers{.tokens = tokens, .samples = 1, .prompt = 4};
    const auto time = [&](std::int64_t engines, Bytes cache) {
        return generate_on(engines, engine(), answers, {cache, 64})->slowest.time.value;
    };
    // Answers begin in one order, so none begins later with more memory, and each reads its cache once a token.
    RC_ASSERT(time(1, 1_GB) <= time(1, 60_B) * (1 + 1e-12));
    RC_ASSERT(time(2, 1_GB) <= time(1, 1_GB) * (1 + 1e-12));
    RC_ASSERT(time(12, 1_GB) <= time(4, 1_GB) * (1 + 1e-12));
}

}  // namespace generate_test
}  // namespace dodona::generation
