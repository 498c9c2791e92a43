// Placements of tables: by hand, against all placements of few tables, and against the bound.
#include "tables/placement.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dodona::tables::testing {
namespace placement_test {

/// Devices with room for so many bytes each, which move a byte in a nanosecond, and a host at a tenth of that.
PlacementQuestion question(std::vector<Table> tables, double room, std::int64_t devices) {
    return {.tables = std::move(tables),
            .format = {},
            .tiers = {{.name = "device", .room = room * unit::byte, .rate = 1_GB_per_s},
                      {.name = "host", .room = 100 * room * unit::byte, .rate = 0.1_GB_per_s}},
            .devices = devices,
            .samples = 1,
            .cache_rate = 1_GB_per_s};
}

/// A table of rows of 16 fp32 numbers, 64 bytes, of which a sample looks up some: 3 x 64 bytes each, there and back.
Table small(double rows, double lookups) { return {"t", rows, 16, lookups}; }

double nanoseconds(Seconds time) { return time.in(unit::second)*1e9; }

TEST(Placement, TablesWithMostTrafficAByteGoToTheFastestMemory) {
    // Room for one table of 100 rows on the single device: the one with more look-ups.
    const Placement placed = place(question({small(100, 1), small(100, 5)}, 6400, 1));
    ASSERT_EQ(placed.shards.size(), 2U);
    EXPECT_EQ(placed.shards[0].tier, 1U);
    EXPECT_EQ(placed.shards[1].tier, 0U);
    EXPECT_NEAR(nanoseconds(placed.longest), 5 * 192 + 10 * 192, 1e-9);
    EXPECT_NEAR(nanoseconds(placed.bound), nanoseconds(placed.longest), 1e-9) << "nothing is better";
}

TEST(Placement, ATableLargerThanADeviceIsSplit) {
    PlacementQuestion asked = question({{"wide", 100, 64, 4}}, 10'000, 4);
    const Placement placed = place(asked);
    ASSERT_EQ(placed.shards.size(), 4U) << "25,600 bytes: 64 columns in four parts of 16";
    EXPECT_EQ(placed.shards[0].shard.column_ways, 4);
    EXPECT_NEAR(placed.imbalance(), 1, 1e-12);
    EXPECT_EQ(place(question({small(1000, 4)}, 16'000, 4)).shards.front().shard.row_ways, 4) << "no column is left";
    asked.may_split = false;
    EXPECT_EQ(place(asked).shards.front().tier, 1U) << "whole in the host's memory";
}

TEST(Placement, WhatFitsNowhereIsTold) {
    PlacementQuestion asked = question({small(100, 1), small(1e6, 1)}, 6400, 2);
    asked.tiers.pop_back();
    EXPECT_EQ(place(asked).unplaced, std::vector<std::size_t>{1});
}

TEST(Placement, ACacheTakesItsShareOfLookUps) {
    PlacementQuestion asked = question({small(1000, 10)}, 64'000, 1);
    asked.tiers.erase(asked.tiers.begin());
    asked.tiers.front().cached = 0.25;
    EXPECT_NEAR(nanoseconds(place(asked).longest), 1920 * (0.25 + 0.75 * 10), 1e-6) << "every row alike";
    asked.zipf = 1;
    EXPECT_LT(nanoseconds(place(asked).longest), 1920 * (0.2 + 0.8 * 5)) << "the first rows are looked up most";
}

TEST(Placement, AMemoryThatPoolsSendsSumsOnly) {
    PlacementQuestion asked = question({small(1000, 10)}, 64'000, 1);
    asked.tiers.erase(asked.tiers.begin());
    asked.tiers.front().pools = true;
    asked.tiers.front().link = 1_GB_per_s;
    EXPECT_NEAR(nanoseconds(place(asked).longest), 19'200 + 2 * 64, 1e-6);
}

/// The least possible longest device, by trying all.
double best_by_trying(const std::vector<double>& times, std::size_t devices) {
    std::size_t all = 1;
    for (std::size_t i = 0; i < times.size(); ++i) {
        all *= devices;
    }
    double best = 1e300;
    for (std::size_t code = 0; code < all; ++code) {
        std::vector<double> sums(devices);
        std::size_t rest = code;
        for (const double time : times) {
            sums[rest % devices] += time;
            rest /= devices;
        }
        best = std::min(best, *std::max_element(sums.begin(), sums.end()));
    }
    return best;
}

RC_GTEST_PROP(Placement, OfFewTablesIsTheBestOfAll, ()) {
    const auto lookups = *rc::gen::container<std::vector<int>>(7, rc::gen::inRange(1, 60));
    std::vector<Table> tables;
    std::vector<double> times;
    for (const int count : lookups) {
        tables.push_back(small(10, count));
        times.push_back(192.0 * count);
    }
    PlacementQuestion asked = question(tables, 1e6, 3);
    asked.may_split = false;
    const Placement placed = place(asked);
    RC_ASSERT(placed.best_of_shards);
    RC_ASSERT(std::abs(nanoseconds(placed.longest) - best_by_trying(times, 3)) < 1e-6);
    RC_ASSERT(placed.bound <= placed.longest);
}

RC_GTEST_PROP(Placement, HoldsEveryTableOnceAndNoDeviceMoreThanItsRoom, ()) {
    const auto shapes = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(1, 400), rc::gen::inRange(1, 60))));
    std::vector<Table> tables;
    for (const auto& [rows, lookups] : shapes) {
        tables.push_back({"t", static_cast<double>(rows), 32, static_cast<double>(lookups)});
    }
    const PlacementQuestion asked = question(tables, 30'000, 4);
    const Placement placed = place(asked);
    if (!placed.unplaced.empty()) {
        return;
    }
    std::vector<double> share(tables.size());
    std::vector<double> held_by(8);
    for (const Placed& part : placed.shards) {
        share[part.shard.table] += 1 / (part.shard.row_ways * part.shard.column_ways);
        held_by[static_cast<std::size_t>(part.device) * 2 + part.tier] += part.bytes.in(unit::byte);
    }
    for (const double one : share) {
        RC_ASSERT(std::abs(one - 1) < 1e-9);
    }
    for (std::size_t i = 0; i < held_by.size(); ++i) {
        RC_ASSERT(held_by[i] <= asked.tiers[i % 2].room.in(unit::byte) * (1 + 1e-9));
    }
    RC_ASSERT(placed.bound <= placed.longest * (1 + 1e-12));
}

}  // namespace placement_test
}  // namespace dodona::tables::testing
