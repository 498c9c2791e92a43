#include <gtest/gtest.h>

#include "calibrate/mpi/placement.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate {
namespace {

using Groups = std::vector<std::vector<int>>;

/// Ranks dealt host by host.
std::vector<Host> hosts(int count, int ranks) {
    std::vector<Host> all;
    for (int host = 0; host < count; ++host) {
        all.push_back({"host" + std::to_string(host), {}});
        for (int rank = 0; rank < ranks; ++rank) {
            all.back().ranks.push_back(host * ranks + rank);
        }
    }
    return all;
}

Case collective(double ranks, double per_node, double groups = 1) {
    return {.benchmark = "collective",
            .parameters = {{"ranks", ranks}, {"ranks_per_node", per_node}, {"groups", groups}}};
}

Case message(const std::string& level, double groups = 1) {
    return {.benchmark = "send", .parameters = {{"level", level}, {"groups", groups}}};
}

TEST(Placement, AGroupTakesSomeRanksOfEachHost) {
    EXPECT_EQ(placed(collective(4, 2), hosts(2, 4)), (Groups{{0, 1, 4, 5}}));
    EXPECT_EQ(placed(collective(2, 1), hosts(2, 4)), (Groups{{0, 4}}));
    EXPECT_EQ(placed(collective(4, 4), hosts(2, 4)), (Groups{{0, 1, 2, 3}}));
}

TEST(Placement, RanksDealtRoundRobinAreFoundOnTheirHosts) {
    const std::vector<Host> dealt{{"a", {0, 2}}, {"b", {1, 3}}};
    EXPECT_EQ(placed(collective(4, 2), dealt), (Groups{{0, 2, 1, 3}}));
}

TEST(Placement, GroupsLieSideBySideThenOnTheNextHosts) {
    EXPECT_EQ(placed(collective(2, 1, 2), hosts(2, 2)), (Groups{{0, 2}, {1, 3}}));
    EXPECT_EQ(placed(collective(2, 1, 2), hosts(4, 1)), (Groups{{0, 1}, {2, 3}}));
    EXPECT_EQ(placed(collective(2, 1, 3), hosts(4, 2)), (Groups{{0, 2}, {1, 3}, {4, 6}}));
}

TEST(Placement, MessagesBetweenHostsCrossTheirMiddle) {
    EXPECT_EQ(placed(message("network"), hosts(4, 1)), (Groups{{0, 2}}));
    EXPECT_EQ(placed(message("network", 2), hosts(4, 1)), (Groups{{0, 2}, {1, 3}}));
    EXPECT_EQ(placed(message("shared-memory"), hosts(4, 2)), (Groups{{0, 1}}));
}

std::string refusal(const Case& asked, const std::vector<Host>& on) {
    try {
        static_cast<void>(placed(asked, on));
    } catch (const CannotMeasure& error) {
        return error.what();
    }
    return "";
}

TEST(Placement, WhatHasNoRoomIsRefusedWithAReason) {
    EXPECT_EQ(refusal(collective(4, 4), hosts(2, 2)), "it needs 1 hosts with 4 ranks each; there are 2 with 2");
    EXPECT_EQ(refusal(collective(2, 1, 3), hosts(2, 2)), "it needs 3 groups of 2 ranks; the hosts have room for 2");
    EXPECT_EQ(refusal(collective(3, 2), hosts(2, 2)), "3 ranks with 2 on a host make no group");
    EXPECT_EQ(refusal(collective(2.5, 1), hosts(2, 2)), "ranks is 2.5, but must be a whole number");
    EXPECT_NE(refusal({.benchmark = "matmul", .parameters = {}}, hosts(2, 2)).find("nothing that MPI measures"),
              std::string::npos);
}

}  // namespace
}  // namespace dodona::calibrate
