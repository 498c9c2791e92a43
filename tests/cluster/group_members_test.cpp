// Members of groups, against the definition: ranks that differ in the group's coordinates only.
#include "cluster/group_members.hpp"

#include <gtest/gtest.h>

namespace dodona::cluster {
namespace group_members_test {

using Ranks = std::vector<std::int64_t>;

TEST(GroupMembers, AreEqualOutsideTheGroup) {
    const Group apart{{{8, 4}}};
    EXPECT_EQ(members(apart, 3), (Ranks{3, 11, 19, 27}));
    EXPECT_EQ(members(apart, 19), (Ranks{3, 11, 19, 27}));
    EXPECT_EQ(members(apart, 35), (Ranks{35, 43, 51, 59})) << "the next of two such blocks";
    const Group both{{{1, 2}, {8, 2}}};
    EXPECT_EQ(members(both, 13), (Ranks{4, 5, 12, 13}));
    EXPECT_EQ(member_index(both, 13), 3);
    EXPECT_EQ(member(both, 13, 1), 5);
}

TEST(GroupMembers, OfNoStrideIsTheRankAlone) {
    EXPECT_EQ(members({}, 7), (Ranks{7}));
    EXPECT_EQ(member_index({}, 7), 0);
}

TEST(GroupMembers, EachRankIsAMemberAtItsIndex) {
    const Group group{{{2, 3}, {12, 2}}};
    for (std::int64_t rank = 0; rank < 48; ++rank) {
        EXPECT_EQ(member(group, rank, member_index(group, rank)), rank);
        for (const std::int64_t other : members(group, rank)) {
            EXPECT_EQ(members(group, other), members(group, rank));
        }
    }
}

}  // namespace group_members_test
}  // namespace dodona::cluster
