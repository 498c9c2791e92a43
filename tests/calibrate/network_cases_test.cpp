#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "calibrate/cases/network_cases.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate {
namespace network_cases_test {

std::size_t count(const std::vector<Case>& cases, const std::string& parameter, const Parameter& value) {
    return static_cast<std::size_t>(std::count_if(cases.begin(), cases.end(), [&](const Case& one) {
        const auto found = one.parameters.find(parameter);
        return found != one.parameters.end() && found->second == value;
    }));
}

TEST(NetworkCases, OneRankHasNobodyToTalkTo) { EXPECT_TRUE(network_cases({1, 1}, {}).empty()); }

TEST(NetworkCases, OneHostHasNoNetwork) {
    const auto cases = network_cases({.hosts = 1, .ranks_per_host = 4}, {.quick = true});
    EXPECT_EQ(count(cases, "level", "network"), 0U);
    EXPECT_GT(count(cases, "level", "shared-memory"), 0U);
    EXPECT_GT(count(cases, "groups", 2.0), 0U);
}

TEST(NetworkCases, HostsOfOneRankHaveNoSharedMemory) {
    const auto cases = network_cases({.hosts = 4, .ranks_per_host = 1}, {.quick = true});
    EXPECT_EQ(count(cases, "level", "shared-memory"), 0U);
    EXPECT_GT(count(cases, "groups", 2.0), 0U);
}

TEST(NetworkCases, AllRanksOfAllHostsAndOneOfEachAreAmongThem) {
    const auto cases = network_cases({.hosts = 3, .ranks_per_host = 2}, {});
    for (const auto& [ranks, per_node] : std::vector<std::pair<double, double>>{{2, 2}, {2, 1}, {3, 1}, {6, 2}}) {
        EXPECT_TRUE(std::any_of(cases.begin(), cases.end(),
                                [r = ranks, k = per_node](const Case& one) {
                                    return one.number("ranks") == r && one.number("ranks_per_node") == k;
                                }))
            << ranks << " ranks, " << per_node << " on each";
    }
}

TEST(NetworkCases, NoCaseTwiceAndAllOfWholeElements) {
    for (const bool quick : {true, false}) {
        const auto cases = network_cases({.hosts = 5, .ranks_per_host = 3}, {.quick = quick});
        EXPECT_EQ(std::set<Case>(cases.begin(), cases.end()).size(), cases.size());
        for (const Case& one : cases) {
            if (one.benchmark == "collective") {
                EXPECT_EQ(std::fmod(one.number("bytes"), 4 * one.number("ranks")), 0) << one.key();
            }
        }
    }
}

TEST(NetworkCases, TheShapeIsReadOffTheEnvironment) {
    const NetworkShape shape = shape_of({{{"hosts", "3"}, {"ranks_per_host", "2"}}});
    EXPECT_EQ(shape.ranks(), 6);
    EXPECT_THROW(static_cast<void>(shape_of({{{"hosts", "three"}, {"ranks_per_host", "2"}}})), CannotMeasure);
}

}  // namespace network_cases_test
}  // namespace dodona::calibrate
