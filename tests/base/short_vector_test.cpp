// Short vectors behave alike whether their elements lie in place or in memory of their own.
#include "base/short_vector.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace dodona::testing {
namespace short_vector_test {

using Three = ShortVector<int, 3>;

std::vector<int> elements(const Three& of) { return {of.begin(), of.end()}; }

TEST(ShortVector, GrowsBeyondItsPlace) {
    Three grown;
    EXPECT_TRUE(grown.empty());
    std::vector<int> pushed;
    for (int i = 1; i <= 5; ++i) {
        grown.push_back(i);
        pushed.push_back(i);
        EXPECT_EQ(elements(grown), pushed);
        EXPECT_EQ(grown[static_cast<std::size_t>(i) - 1], i);
    }
    EXPECT_EQ(grown.front(), 1);
    grown[4] = 9;
    EXPECT_EQ(grown, (Three{1, 2, 3, 4, 9}));
}

TEST(ShortVector, IsAssignedAndResizedInEitherPlace) {
    Three vector(5, 7);
    EXPECT_EQ(elements(vector), (std::vector{7, 7, 7, 7, 7}));
    vector.resize(2);
    EXPECT_EQ(elements(vector), (std::vector{7, 7}));
    vector.resize(4);
    EXPECT_EQ(elements(vector), (std::vector{7, 7, 0, 0}));
    vector.assign(1, 8);
    EXPECT_EQ(elements(vector), (std::vector{8}));
    vector.push_back(9);
    EXPECT_EQ(elements(vector), (std::vector{8, 9}));
}

TEST(ShortVector, IsComparedElementByElement) {
    EXPECT_LT((Three{1, 2}), (Three{1, 2, 3}));
    EXPECT_LT((Three{1, 2, 3, 4}), (Three{1, 3}));
    EXPECT_FALSE((Three{1, 3}) < (Three{1, 2, 3, 4}));
    EXPECT_FALSE((Three{1, 2}) < (Three{1, 2}));
    EXPECT_NE((Three{1, 2}), (Three{1, 2, 3, 4}));
    EXPECT_EQ(Three(4, 1), (Three{1, 1, 1, 1}));
}

}  // namespace short_vector_test
}  // namespace dodona::testing
