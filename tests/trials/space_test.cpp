// Trials drawn from a space of parameters.
#include "trials/space.hpp"

#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace dodona::trials::testing {
namespace space_test {

const std::vector<Parameter> kStudy{{.name = "epochs", .values = {"10", "20", "50"}},
                                    {.name = "optimizer", .values = {"adam", "sgd", "rmsprop"}},
                                    {.name = "batch", .values = {"32", "64", "128"}}};

TEST(Space, AGridHasEveryCombinationTheFirstParameterSlowest) {
    const std::vector<Settings> trials = draw_trials(kStudy, {});
    ASSERT_EQ(trials.size(), 27U);
    EXPECT_EQ(text(trials.front()), "epochs=10 optimizer=adam batch=32");
    EXPECT_EQ(text(trials[1]), "epochs=10 optimizer=adam batch=64");
    EXPECT_EQ(text(trials.back()), "epochs=50 optimizer=rmsprop batch=128");
    std::set<std::string> different;
    for (const Settings& trial : trials) {
        different.insert(text(trial));
    }
    EXPECT_EQ(different.size(), 27U);
    EXPECT_EQ(*value_of(trials[9], "epochs"), "20");
    EXPECT_EQ(value_of(trials[9], "seed"), nullptr);
}

TEST(Space, HugeGridsAreCountedWithoutOverflow) {
    const std::vector<Parameter> huge(30, {.name = "x", .values = std::vector<std::string>(1000, "1")});
    EXPECT_EQ(*combinations(huge), kMaxTrials + 1);
    EXPECT_FALSE(combinations({{.name = "lr", .from = 0, .to = 1}}).has_value());
}

TEST(Space, ALatinHypercubeHasOneTrialInEachPart) {
    const std::vector<Parameter> space{{.name = "lr", .from = 1e-4, .to = 1, .logarithmic = true},
                                       {.name = "width", .from = 0, .to = 7, .whole = true},
                                       {.name = "batch", .values = {"1", "2", "3", "4"}}};
    const std::vector<Settings> trials = draw_trials(space, {Sampling::latin_hypercube, 8, 3});
    std::set<int> parts;
    std::multiset<std::string> batches;
    for (const Settings& trial : trials) {
        parts.insert(static_cast<int>((std::log10(std::stod(trial[0].second)) + 4) / 4 * 8));
        batches.insert(trial[2].second);
        EXPECT_EQ(trial[1].second.find('.'), std::string::npos) << "whole numbers";
    }
    EXPECT_EQ(parts.size(), 8U);
    for (const char* batch : {"1", "2", "3", "4"}) {
        EXPECT_EQ(batches.count(batch), 2U);
    }
}

TEST(Space, DrawsDependOnTheSeedAlone) {
    const Draw draw{Sampling::random, 20, 7};
    EXPECT_EQ(draw_trials(kStudy, draw), draw_trials(kStudy, draw));
    EXPECT_NE(draw_trials(kStudy, draw), draw_trials(kStudy, {Sampling::random, 20, 8}));
    // A parameter that is added leaves the draws of those before it alone.
    std::vector<Parameter> more = kStudy;
    more.push_back({.name = "lr", .from = 0, .to = 1});
    EXPECT_EQ(*value_of(draw_trials(more, draw)[5], "batch"), *value_of(draw_trials(kStudy, draw)[5], "batch"));
}

}  // namespace space_test
}  // namespace dodona::trials::testing
