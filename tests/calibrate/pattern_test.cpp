#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "calibrate/noise/pattern.hpp"

namespace dodona::calibrate {
namespace pattern_test {

/// The message of what a pattern is refused for, and its column.
std::pair<std::string, int> refusal(const std::string& text) {
    try {
        static_cast<void>(pattern_from(text, {.column = 1}));
    } catch (const InputError& error) {
        const Diagnostic& wrong = error.diagnostics().front();
        EXPECT_FALSE(wrong.help.empty());
        return {wrong.message, wrong.where.column};
    }
    return {"", 0};
}

TEST(NoisePattern, TwoSecondsOfMemoryThenSilence) {
    const NoisePattern pattern = pattern_from("M2S2", {});
    EXPECT_EQ(pattern.phases, (std::vector<Phase>{{Load::memory, 2_s}, {Load::silence, 2_s}}));
    EXPECT_EQ(pattern.cycle(), 4_s);
    EXPECT_TRUE(pattern.has(Load::memory));
    EXPECT_FALSE(pattern.has(Load::network));
}

TEST(NoisePattern, EveryLetterAndFractions) {
    const NoisePattern pattern = pattern_from("M0.5N2I1C3S0.25", {});
    ASSERT_EQ(pattern.phases.size(), 5U);
    EXPECT_EQ(pattern.phases[0].duration, 0.5_s);
    EXPECT_EQ(pattern.phases[2].load, Load::files);
    EXPECT_EQ(pattern.phases[3].load, Load::cpu);
    EXPECT_EQ(pattern.cycle(), 6.75_s);
}

TEST(NoisePattern, WhatIsOnWhen) {
    const NoisePattern pattern = pattern_from("M2N1S3", {});
    EXPECT_EQ(pattern.at(0_s).load, Load::memory);
    EXPECT_EQ(pattern.at(1.9_s).load, Load::memory);
    EXPECT_EQ(pattern.at(2_s).load, Load::network);
    EXPECT_EQ(pattern.at(2_s).until, 3_s);
    EXPECT_EQ(pattern.at(5.9_s).load, Load::silence);
    EXPECT_EQ(pattern.at(6.5_s).load, Load::memory);  // the next round
    EXPECT_EQ(pattern.at(6.5_s).until, 8_s);
}

TEST(NoisePattern, WhatIsWrongIsSaidWhereItStands) {
    EXPECT_EQ(refusal("M2Q3"), (std::pair<std::string, int>{"\"Q\" is no kind of load", 3}));
    EXPECT_EQ(refusal("M"),
              (std::pair<std::string, int>{"M needs a number of seconds after it, above 0 and up to a day", 1}));
    EXPECT_EQ(refusal("M2S0").second, 3);
    EXPECT_EQ(refusal("M-2").second, 1);
    EXPECT_EQ(refusal("M1e9").second, 3);  // fixed notation only: e is taken for a letter
    EXPECT_EQ(refusal("").first, "a pattern without phases");
}

TEST(NoisePattern, NamesAndLettersOfLoads) {
    EXPECT_EQ(name(Load::files), "io");
    EXPECT_EQ(letter(Load::silence), 'S');
}

RC_GTEST_PROP(NoisePattern, WrittenAndReadItIsTheSame, ()) {
    const auto phases = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 5), rc::gen::inRange(1, 1000))));
    NoisePattern pattern;
    std::string text;
    for (const auto& phase : phases) {
        const auto load = static_cast<Load>(phase.first);
        pattern.phases.push_back({.load = load, .duration = phase.second * 1_s});
        text += fmt::format("{}{}", letter(load), phase.second);
    }
    RC_ASSERT(pattern_from(text, {}) == pattern);
}

RC_GTEST_PROP(NoisePattern, AtAnyTimeAPhaseIsOnThatEndsLater, ()) {
    const NoisePattern pattern = pattern_from("M0.3N0.7S1.1", {});
    const double seconds = *rc::gen::inRange(0, 1'000'000) / 1000.0;
    const NoisePattern::Now now = pattern.at(seconds * 1_s);
    RC_ASSERT(now.until >= seconds * 1_s);
    RC_ASSERT(now.until <= seconds * 1_s + pattern.cycle());
}

}  // namespace pattern_test
}  // namespace dodona::calibrate
