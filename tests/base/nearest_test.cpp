// Suggestions: near enough to be meant, and none otherwise.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/diagnostic.hpp"

namespace dodona {
namespace nearest_test {

const std::vector<std::string> kWords{"bandwidth", "latency", "links", "size", "resnet50", "resnet101"};

TEST(Nearest, FindsMisspeltWords) {
    EXPECT_EQ(nearest("latancy", kWords), "latency");
    EXPECT_EQ(nearest("bandwith", kWords), "bandwidth");
    EXPECT_EQ(nearest("siez", kWords), "size");
    EXPECT_EQ(nearest("resnet5", kWords), "resnet50");
}

TEST(Nearest, FindsBeginnings) { EXPECT_EQ(nearest("band", kWords), "bandwidth"); }

TEST(Nearest, SuggestsNothingFarAway) {
    EXPECT_EQ(nearest("taper", kWords), "");
    EXPECT_EQ(nearest("", kWords), "");
    EXPECT_EQ(nearest("size", std::vector<std::string>{}), "");
    EXPECT_EQ(did_you_mean("taper", kWords), "");
    EXPECT_EQ(did_you_mean("link", kWords), "; did you mean \"links\"?");
}

TEST(Nearest, JoinsWords) {
    EXPECT_EQ(join(std::vector<std::string>{"a", "b"}), "a, b");
    EXPECT_EQ(join(std::vector<std::string>{"a", "b"}, " > "), "a > b");
    EXPECT_EQ(join(std::vector<std::string>{}), "");
}

RC_GTEST_PROP(Nearest, OfAWordItselfIsTheWord, ()) {
    const std::string word = *rc::gen::elementOf(kWords);
    RC_ASSERT(nearest(word, kWords) == word);
}

RC_GTEST_PROP(Nearest, ForgivesOneCharacter, ()) {
    std::string word = *rc::gen::elementOf(kWords);
    const std::string meant = word;
    RC_PRE(word.size() >= 4);
    word[*rc::gen::inRange<std::size_t>(0, word.size())] = '#';
    RC_ASSERT(nearest(word, kWords) == meant);
}

}  // namespace nearest_test
}  // namespace dodona
