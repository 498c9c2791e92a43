// The field's words, one by one.
#include "cli/words.hpp"

#include <gtest/gtest.h>

namespace dodona::cli::testing {
namespace words_test {

const std::vector<std::string> kMegatron{"tensor", "context", "data", "pipeline", "expert", "expert_tensor"};
const std::vector<std::string> kHybrid{"shard", "replicate"};

TEST(Axis, IsTheOneThatTheWordMeansInThisStrategy) {
    EXPECT_EQ(axis_meant("tp", kMegatron), "tensor");
    EXPECT_EQ(axis_meant("PP", kMegatron), "pipeline");
    EXPECT_EQ(axis_meant("dp", kMegatron), "data");
    EXPECT_EQ(axis_meant("cp", kMegatron), "context");
    EXPECT_EQ(axis_meant("ep", kMegatron), "expert");
    EXPECT_EQ(axis_meant("etp", kMegatron), "expert_tensor");
    EXPECT_EQ(axis_meant("fsdp", kMegatron), "data");
    EXPECT_EQ(axis_meant("fsdp", kHybrid), "shard");
    EXPECT_EQ(axis_meant("dp", kHybrid), "replicate");
    EXPECT_EQ(axis_meant("tp", kHybrid), "tp") << "it has none: the fault names what was typed";
    EXPECT_EQ(axis_meant("tensor", kMegatron), "tensor");
    EXPECT_TRUE(means_virtual_stages("vp"));
    EXPECT_TRUE(means_virtual_stages("VPP"));
    EXPECT_FALSE(means_virtual_stages("pp"));
}

TEST(SizedAxis, IsReadAsTypedAndAsPrinted) {
    using Pair = std::pair<std::string, std::string>;
    EXPECT_EQ(sized_axis("tensor=8"), Pair("tensor", "8"));
    EXPECT_EQ(sized_axis(" tensor 8"), Pair("tensor", "8"));
    EXPECT_EQ(sized_axis("expert 16 over tensor and data"), Pair("expert", "16"));
    EXPECT_FALSE(sized_axis("tensor"));
    EXPECT_FALSE(sized_axis("tensor="));
    EXPECT_FALSE(sized_axis("=8"));
    EXPECT_FALSE(sized_axis(""));
}

TEST(Choice, IsTheOneThatTheFieldMeans) {
    const std::vector<std::string> precisions{"fp32", "fp16", "bf16"};
    EXPECT_EQ(choice_meant("BF16", precisions), "bf16");
    EXPECT_EQ(choice_meant("bfloat16", precisions), "bf16");
    EXPECT_EQ(choice_meant("half", precisions), "fp16");
    EXPECT_FALSE(choice_meant("fp8", precisions));
    EXPECT_FALSE(choice_meant("", precisions));
    EXPECT_EQ(choice_meant("zero-3", std::vector<std::string>{"0", "1", "2", "3"}), "3");
}

TEST(Count, TakesThousandsAs1024) {
    EXPECT_EQ(count_meant("8k"), 8192);
    EXPECT_EQ(count_meant("1.5K"), 1536);
    EXPECT_EQ(count_meant("1M"), 1048576);
    EXPECT_FALSE(count_meant("8"));
    EXPECT_FALSE(count_meant("8m"));
    EXPECT_FALSE(count_meant("0.0001k"));
    EXPECT_FALSE(count_meant("-1k"));
}

TEST(Amount, TakesPowersOfAThousand) {
    EXPECT_EQ(amount_meant("15T"), 1.5e13);
    EXPECT_EQ(amount_meant("15T tokens"), 1.5e13);
    EXPECT_EQ(amount_meant("15 T tokens"), 1.5e13);
    EXPECT_EQ(amount_meant("300B"), 3e11);
    EXPECT_EQ(amount_meant("1e6"), 1e6);
    EXPECT_EQ(amount_meant("2000 samples"), 2000);
    EXPECT_FALSE(amount_meant("15X"));
    EXPECT_FALSE(amount_meant("15T dollars"));
    EXPECT_FALSE(amount_meant("0"));
    EXPECT_FALSE(amount_meant("T"));
}

TEST(Duration, IsReadInWords) {
    EXPECT_EQ(duration_meant("30 days"), "30d");
    EXPECT_EQ(duration_meant("2 weeks"), "14d");
    EXPECT_EQ(duration_meant("12 hours"), "12h");
    EXPECT_EQ(duration_meant("30d"), "30d");
    EXPECT_EQ(duration_meant("soon"), "soon");
}

TEST(Money, IsReadWithItsSignAndPower) {
    EXPECT_EQ(money_meant("$2.5"), "2.5 USD");
    EXPECT_EQ(money_meant("$2.5/h"), "2.5 USD/h");
    EXPECT_EQ(money_meant("1M USD"), "1000000 USD");
    EXPECT_EQ(money_meant("2.5usd/h"), "2.5 USD/h");
    EXPECT_EQ(money_meant("3 EUR"), "3 EUR");
    EXPECT_EQ(money_meant("a lot"), "a lot");
    for (const char* without_currency : {"1e6", "1M", "2k "}) {
        EXPECT_EQ(money_meant(without_currency), without_currency) << "a fault, as typed";
    }
}

}  // namespace words_test
}  // namespace dodona::cli::testing
