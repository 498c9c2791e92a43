// Algorithms of convolutions under the memory that is left: by hand, and against all choices.
#include "search/convolution_choice.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dodona::search::testing {
namespace convolution_choice_test {

using Layers = std::vector<std::vector<WorkspaceOption>>;

WorkspaceOption option(double bytes, double seconds) { return {bytes * unit::byte, seconds * unit::second}; }

/// Ten seconds without workspace, five with 60 bytes, two with 100; the second layer saves less.
const Layers kTwo{{option(0, 10), option(60, 5), option(100, 2)}, {option(0, 10), option(40, 8)}};

TEST(ConvolutionChoice, SpendsTheRoomWhereItSavesMost) {
    EXPECT_EQ(choose(kTwo, Bytes{}, Workspaces::each).chosen, (std::vector<std::size_t>{0, 0}));
    EXPECT_EQ(choose(kTwo, 50_B, Workspaces::each).chosen, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(choose(kTwo, 100_B, Workspaces::each).chosen, (std::vector<std::size_t>{2, 0})) << "2 + 10, not 5 + 8";
    const WorkspaceChoice all = choose(kTwo, 141_B, Workspaces::each);
    EXPECT_EQ(all.chosen, (std::vector<std::size_t>{2, 1}));
    EXPECT_EQ(all.workspace, 140_B) << "with a part to spare, as both are rounded up";
    EXPECT_EQ(all.time, 10_s);
}

TEST(ConvolutionChoice, InOneWorkspaceIsTheFastestThatFits) {
    const WorkspaceChoice choice = choose(kTwo, 60_B, Workspaces::shared);
    EXPECT_EQ(choice.chosen, (std::vector<std::size_t>{1, 1}));
    EXPECT_EQ(choice.workspace, 60_B) << "the larger of 60 and 40";
    EXPECT_EQ(choose(kTwo, 30_B, Workspaces::shared).time, 20_s) << "neither has room for one";
}

/// The least time of all choices, in units of the knapsack.
double best_by_trying(const Layers& layers, double room) {
    double best = 1e300;
    std::size_t all = 1;
    for (const auto& options : layers) {
        all *= options.size();
    }
    for (std::size_t code = 0; code < all; ++code) {
        std::size_t rest = code;
        double time = 0;
        double bytes = 0;
        for (const auto& options : layers) {
            const WorkspaceOption& taken = options[rest % options.size()];
            rest /= options.size();
            time += taken.time.in(unit::second);
            bytes += taken.workspace.in(unit::byte);
        }
        best = bytes <= room ? std::min(best, time) : best;
    }
    return best;
}

RC_GTEST_PROP(ConvolutionChoice, IsTheBestOfAll, ()) {
    const auto sizes = *rc::gen::container<std::vector<int>>(5, rc::gen::inRange(1, 1000));
    const auto times = *rc::gen::container<std::vector<int>>(5, rc::gen::inRange(1, 100));
    Layers layers;
    for (std::size_t l = 0; l < 5; ++l) {
        layers.push_back({option(0, 100), option(sizes[l], times[l]), option(sizes[4 - l] + 3, times[l] / 2.0)});
    }
    const WorkspaceChoice choice = choose(layers, 2048_B, Workspaces::each);  // a byte is a unit
    RC_ASSERT(choice.workspace <= 2048_B);
    RC_ASSERT(std::abs(choice.time.in(unit::second)-best_by_trying(layers, 2048)) < 1e-9);
}

}  // namespace convolution_choice_test
}  // namespace dodona::search::testing
