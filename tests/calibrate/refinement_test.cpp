#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "calibrate/network/refinement.hpp"
#include "network_records.hpp"

namespace dodona::calibrate {
namespace refinement_test {

using World = std::function<Seconds(double)>;

/// Measures what is asked next until nothing is.
std::vector<Record> refined(std::vector<Record> records, const World& world, int* rounds = nullptr) {
    for (int round = 0; round < 20; ++round) {
        const std::vector<Case> next = refinements(records);
        if (next.empty()) {
            break;
        }
        for (const Case& one : next) {
            records.push_back(measured(one, world(one.number("bytes"))));
        }
        if (rounds != nullptr) {
            *rounds = round + 1;
        }
    }
    return records;
}

std::vector<Record> coarse(const World& world, double factor) {
    std::vector<Record> records;
    for (double bytes = 1024; bytes <= 16 * 1048576; bytes *= factor) {
        records.push_back(measured(collective("all-reduce", bytes, 4), world(bytes)));
    }
    return records;
}

Seconds smooth(double bytes) { return 50_us + bytes * 1e-9 * 1_s; }
Seconds jumping(double bytes) { return smooth(bytes) + (bytes > 150'000 ? 300_us : Seconds{}); }

TEST(Refinement, ASmoothTableOfOneSizeAnOctaveIsLeftAlone) { EXPECT_TRUE(refinements(coarse(smooth, 2)).empty()); }

TEST(Refinement, AJumpIsClosedInOn) {
    int rounds = 0;
    const std::vector<Record> records = refined(coarse(jumping, 4), jumping, &rounds);
    double below = 0;
    double above = 1e12;
    for (const Record& record : records) {
        const double bytes = std::get<Measurement>(record.what).of.number("bytes");
        (bytes > 150'000 ? above : below) = bytes > 150'000 ? std::min(above, bytes) : std::max(below, bytes);
    }
    EXPECT_LT(above / below, kFinestInterval);
    EXPECT_LE(rounds, 6);
    EXPECT_LE(records.size(), kMaxSizes);
    EXPECT_TRUE(refinements(records).empty());
}

TEST(Refinement, SizesAreWholeElementsOfAllRanks) {
    std::vector<Record> records;
    for (double bytes = 1200; bytes <= 12e6; bytes *= 4) {
        records.push_back(measured(collective("all-gather", bytes, 3), jumping(bytes)));
    }
    const std::vector<Case> next = refinements(records);
    ASSERT_FALSE(next.empty());
    EXPECT_TRUE(
        std::all_of(next.begin(), next.end(), [](const Case& one) { return std::fmod(one.number("bytes"), 12) == 0; }));
}

TEST(Refinement, WhatFailedIsNotAskedAgain) {
    std::vector<Record> records = coarse(jumping, 4);
    for (const Case& one : refinements(records)) {
        records.push_back({.backend = "mpi", .date = "", .what = Failure{one, "no"}});
    }
    EXPECT_TRUE(refinements(records).empty());
}

TEST(Refinement, OneBackEndIsNotAskedForTheTablesOfAnother) {
    const std::vector<Record> records = coarse(jumping, 4);
    EXPECT_TRUE(refinements(records, "cuda").empty());
    EXPECT_EQ(refinements(records, "mpi"), refinements(records));
}

TEST(Refinement, ImportsAndConcurrentGroupsAreNotAskedFor) {
    std::vector<Record> records = coarse(jumping, 4);
    for (Record& record : records) {
        record.backend = "import";
    }
    EXPECT_TRUE(refinements(records).empty());
    records = coarse(jumping, 4);
    for (Record& record : records) {
        auto& of = std::get<Measurement>(record.what).of;
        of = with(of, "groups", 2.0);
    }
    EXPECT_TRUE(refinements(records).empty());
}

}  // namespace refinement_test
}  // namespace dodona::calibrate
