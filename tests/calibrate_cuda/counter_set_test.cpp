// CUPTI plans counters for chips that are not there: our set is one pass on every chip of a data centre since 2017.
#include <gtest/gtest.h>

#include <algorithm>

#include "calibrate/cuda/counter_set.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cuda {
namespace {

TEST(CounterSet, IsOnePassOnEveryKnownChip) {
    const auto chips = known_chips();
    for (const char* needed : {"GA100", "GH100", "GB100"}) {
        EXPECT_NE(std::find(chips.begin(), chips.end(), needed), chips.end()) << needed;
    }
    int planned = 0;
    for (const std::string& chip : chips) {
        try {
            const CounterPlan plan = plan_counters(chip);
            EXPECT_EQ(plan.passes, 1U) << chip;
            EXPECT_FALSE(plan.image.empty()) << chip;
            ++planned;
        } catch (const CannotMeasure& error) {
            // Chips of boards for cars and robots: listed, and not for this kind of profiler, or without these counters.
            EXPECT_TRUE(chip != "GA100" && chip != "GH100" && chip != "GB100") << chip << ": " << error.what();
        }
    }
    EXPECT_GE(planned, 12) << "of " << chips.size();
}

TEST(CounterSet, AnUnknownChipIsASentence) {
    try {
        (void)plan_counters("GX999");
        FAIL() << "planned for a chip that does not exist";
    } catch (const CannotMeasure& error) {
        EXPECT_EQ(std::string(error.what()).rfind("planning counters of GX999: CUPTI says ", 0), 0U) << error.what();
    }
}

}  // namespace
}  // namespace dodona::calibrate::cuda
