// --observed takes only what can have been measured of a plan that can run.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace observed_test {

constexpr const char* kColumns =
    "id,model,global_batch,microbatch,machine,gpus,precision,strategy,tensor,pipeline,virtual_stages,data,step_time_"
    "s\n";
constexpr const char* kPredict =
    "predict gpt3-20b --machine selene --gpus 8 --batch 8 --strategy megatron --mesh tensor=8 --micro-batch 8";

double step(const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["plan"]["step_time_s"]["value"];
}

class ObservedTest : public ::testing::Test {
protected:
    void runs(const std::string& rows) const { std::ofstream(place_.path() / "runs.csv") << kColumns << rows; }
    [[nodiscard]] Outcome predicted(const std::string& observed) const {
        return place_.run(std::string(kPredict) + " --observed " + observed + " --format json");
    }
    Folder place_;
};

constexpr const char* kGood = "good,gpt3-20b,8,8,selene,8,bf16,megatron,8,1,1,1,2.0\n";

TEST_F(ObservedTest, LeavesOutRunsThatCannotBeScheduledOrSplit) {
    runs(kGood);
    const double of_good = step(predicted("runs.csv"));
    // Interleaving needs as many micro-batches as stages; gpt3-20b has 48 heads.
    runs(std::string("bad,gpt3-20b,10,1,selene,8,bf16,megatron,2,4,2,1,2.0\n") + kGood +
         "worse,gpt3-20b,8,8,selene,64,bf16,megatron,64,1,1,1,2.0\n");
    const Outcome mixed = predicted("runs.csv");
    EXPECT_DOUBLE_EQ(step(mixed), of_good) << "a good run before or after a refused one of its time counts";
    EXPECT_NE(mixed.err.find("2 of 3 runs of runs.csv left out: bad: "), std::string::npos) << mixed.err;
}

TEST_F(ObservedTest, RefusesATableWithoutARunThatCanBe) {
    runs("bad,gpt3-20b,10,1,selene,8,bf16,megatron,2,4,2,1,2.0\n");
    const Outcome none = predicted("runs.csv");
    EXPECT_EQ(none.code, 2);
    EXPECT_NE(none.err.find("no run of runs.csv can be predicted: bad: "), std::string::npos) << none.err;
}

TEST_F(ObservedTest, RefusesATimeThatTheDevicesCannotReach) {
    const Outcome bare = predicted("10ms");
    EXPECT_EQ(bare.code, 2);
    EXPECT_NE(bare.err.find("of the devices' peak, which is impossible"), std::string::npos) << bare.err;
    runs("fast,gpt3-20b,8,8,selene,8,bf16,megatron,8,1,1,1,0.01\n");
    EXPECT_EQ(predicted("runs.csv").code, 2);
}

// Winograd's algorithms skip multiplications: the time is named, not refused, up to what they can save.
TEST_F(ObservedTest, NamesATimeThatOnlyFewConvolutionsReach) {
    const std::string vgg = "predict vgg16 --machine abci --gpus 1 --batch 32 --strategy serial --precision fp32 ";
    const auto plan = nlohmann::json::parse(place_.run(vgg + "--format json").out)["plan"];
    const double at_peak = plan["step_time_s"]["value"].get<double>() * plan["mfu"].get<double>();
    const Outcome fast = place_.run(vgg + "--observed " + std::to_string(at_peak / 1.5) + "s");
    EXPECT_EQ(fast.code, 0) << fast.err;
    EXPECT_NE(fast.err.find("would be 150 % of the devices' peak, which only convolutions"), std::string::npos)
        << fast.err;
    EXPECT_EQ(place_.run(vgg + "--observed " + std::to_string(at_peak / 4.1) + "s").code, 2);
}

}  // namespace observed_test
}  // namespace dodona::cli::testing
