// Exact balancing against every way to cut or to deal.
#include "step/balance.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

namespace dodona::step {
namespace balance_test {

using Times = std::vector<std::vector<Seconds>>;

constexpr Seconds seconds(double value) { return Seconds::of_base(value); }

/// Pieces of one second each on the first part, `slower` times as much on the second.
Times two_parts(std::size_t pieces, double slower) {
    return {std::vector<Seconds>(pieces, seconds(1)), std::vector<Seconds>(pieces, seconds(slower))};
}

TEST(CutRow, APartTwiceAsFastHoldsTwiceAsMuch) {
    EXPECT_EQ(cut_row(two_parts(6, 2), {}), (std::vector<std::size_t>{4, 6}));
    EXPECT_EQ(cut_row(two_parts(6, 1), {}), (std::vector<std::size_t>{3, 6}));
}

// Parts of 3 + 1 and 2 + 2 + 1 seconds, then of 3 and 2 + 2 + 2 + 1.
TEST(CutRow, TheSlowestPartCountsAllOfItsPieces) {
    const Times times{{seconds(3), seconds(1), seconds(1), seconds(1), seconds(1)},
                      {seconds(9), seconds(2), seconds(2), seconds(2), seconds(1)}};
    EXPECT_EQ(slowest_part(times, {2, 5}), seconds(5));
    EXPECT_EQ(slowest_part(times, {1, 5}), seconds(7));
    EXPECT_EQ(slowest_part(times, {4, 5}), seconds(6));
}

TEST(CutRow, NoPartIsEmpty) {
    EXPECT_EQ(cut_row(two_parts(3, 100), {}), (std::vector<std::size_t>{2, 3}));
    EXPECT_TRUE(cut_row(two_parts(1, 1), {}).empty());
}

TEST(CutRow, WhatAPartCannotHoldGoesToTheNext) {
    const auto two_at_most = [](std::size_t part, std::size_t first, std::size_t last) {
        return part > 0 || last - first <= 2;
    };
    EXPECT_EQ(cut_row(two_parts(6, 2), two_at_most), (std::vector<std::size_t>{2, 6}));
    const auto none = [](std::size_t, std::size_t, std::size_t) { return false; };
    EXPECT_TRUE(cut_row(two_parts(6, 2), none).empty());
}

struct Cost {
    double slowest = std::numeric_limits<double>::infinity();
    double sum = 0;
};

Cost cost_of(const Times& times, const std::vector<std::size_t>& ends) {
    Cost cost{0, 0};
    std::size_t first = 0;
    for (std::size_t part = 0; part < ends.size(); ++part) {
        double here = 0;
        for (; first < ends[part]; ++first) {
            here += times[part][first].in(unit::second);
        }
        cost = {std::max(cost.slowest, here), cost.sum + here};
    }
    return cost;
}

/// Tries all ends of part `part` and those after it.
void try_all(const Times& times, const Holds& holds, std::vector<std::size_t>& ends, std::vector<Cost>& costs) {
    const std::size_t part = ends.size();
    const std::size_t pieces = times.front().size();
    const std::size_t first = ends.empty() ? 0 : ends.back();
    if (part == times.size()) {
        if (first == pieces) {
            costs.push_back(cost_of(times, ends));
        }
        return;
    }
    for (std::size_t end = first + 1; end <= pieces; ++end) {
        if (holds(part, first, end)) {
            ends.push_back(end);
            try_all(times, holds, ends, costs);
            ends.pop_back();
        }
    }
}

RC_GTEST_PROP(CutRow, IsTheBestOfAllCuts, ()) {
    const auto parts = *rc::gen::inRange<std::size_t>(1, 5);
    const auto pieces = *rc::gen::inRange<std::size_t>(1, 9);
    Times times(parts);
    std::vector<double> room(parts);
    std::vector<double> sizes(pieces);
    for (double& size : sizes) {
        size = *rc::gen::inRange(0, 4);
    }
    for (std::size_t part = 0; part < parts; ++part) {
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            times[part].push_back(seconds(*rc::gen::inRange(0, 8)));
        }
        room[part] = *rc::gen::inRange(2, 16);
    }
    const Holds holds = [&](std::size_t part, std::size_t first, std::size_t last) {
        const auto at = [&](std::size_t i) { return sizes.begin() + static_cast<std::ptrdiff_t>(i); };
        return std::accumulate(at(first), at(last), 0.0) <= room[part];
    };
    std::vector<Cost> all;
    std::vector<std::size_t> ends;
    try_all(times, holds, ends, all);
    const std::vector<std::size_t> found = cut_row(times, holds);
    RC_ASSERT(found.empty() == all.empty());
    if (!all.empty()) {
        const Cost best = *std::min_element(all.begin(), all.end(), [](const Cost& a, const Cost& b) {
            return a.slowest != b.slowest ? a.slowest < b.slowest : a.sum < b.sum;
        });
        RC_ASSERT(cost_of(times, found).slowest == best.slowest);
        RC_ASSERT(cost_of(times, found).sum == best.sum);
    }
}

Workers workers(std::int64_t count, double each, double once = 0) {
    return {count, [=](std::int64_t m) { return seconds(once + each * static_cast<double>(m)); }};
}

TEST(Deal, AWorkerTwiceAsFastGetsTwiceAsMuch) {
    EXPECT_EQ(deal({workers(1, 1), workers(1, 2)}, 12), (std::vector<MicrobatchShare>{{8, 1}, {4, 1}}));
}

TEST(Deal, AlikeWorkersShareAlike) {
    EXPECT_EQ(deal({workers(3, 1), workers(2, 1)}, 10), (std::vector<MicrobatchShare>{{2, 3}, {2, 2}}));
}

TEST(Deal, ARemainderGoesToSomeOfAKind) {
    // 7 among three: two get 2 and one gets 3.
    EXPECT_EQ(deal({workers(3, 1)}, 7), (std::vector<MicrobatchShare>{{3, 1}}));
}

TEST(Deal, EveryoneGetsOne) {
    // The slow one takes 100 s for its one, however little the fast ones do meanwhile.
    EXPECT_EQ(deal({workers(1, 100), workers(2, 1)}, 5), (std::vector<MicrobatchShare>{{1, 1}, {2, 2}}));
}

/// All ways to deal to single workers; the least time of the last of them.
double soonest(const std::vector<Workers>& singles, std::size_t next, std::int64_t total) {
    const auto left = static_cast<std::int64_t>(singles.size() - next);
    if (left == 1) {
        return singles[next].time(total).in(unit::second);
    }
    double best = std::numeric_limits<double>::infinity();
    for (std::int64_t m = 1; m + left - 1 <= total; ++m) {
        best = std::min(best, std::max(singles[next].time(m).in(unit::second), soonest(singles, next + 1, total - m)));
    }
    return best;
}

RC_GTEST_PROP(Deal, IsTheBestOfAllDeals, ()) {
    std::vector<Workers> kinds;
    std::vector<Workers> singles;
    const auto number = *rc::gen::inRange(1, 4);
    for (int k = 0; k < number; ++k) {
        kinds.push_back(workers(*rc::gen::inRange(1, 3), *rc::gen::inRange(0, 9), *rc::gen::inRange(0, 9)));
        singles.insert(singles.end(), static_cast<std::size_t>(kinds.back().count), kinds.back());
    }
    const std::int64_t total = static_cast<std::int64_t>(singles.size()) + *rc::gen::inRange(0, 9);
    const std::vector<MicrobatchShare> found = deal(kinds, total);
    std::int64_t sum = 0;
    double last = 0;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        RC_ASSERT(found[k].with_most >= 1);
        RC_ASSERT(found[k].with_most <= kinds[k].count);
        RC_ASSERT(found[k].most >= (found[k].with_most < kinds[k].count ? 2 : 1));
        sum += found[k].most * kinds[k].count - (kinds[k].count - found[k].with_most);
        last = std::max(last, kinds[k].time(found[k].most).in(unit::second));
    }
    RC_ASSERT(sum == total);
    RC_ASSERT(last == soonest(singles, 0, total));
}

TEST(Deal, ManyMicroBatchesAreDealtAsQuickly) {
    const std::vector<MicrobatchShare> found = deal({workers(1'000, 1), workers(1'000, 3)}, 4'000'000'000);
    EXPECT_EQ(found[0].most, 3'000'000);
    EXPECT_EQ(found[1].most, 1'000'000);
}

}  // namespace balance_test
}  // namespace dodona::step
