// A machine of A100 and V100 nodes, from its file to the report.
#include <regex>

#include <gtest/gtest.h>

#include "running.hpp"

namespace dodona::cli::testing {
namespace mixed_test {

constexpr const char* kMachine = R"(cluster: both
source: a test
device: v100-sxm2-32gb
levels:
  - {name: node, size: 8, kind: switch, bandwidth: 150 GB/s, latency: 2 us}
  - {name: system, size: 4, kind: fat-tree, links: 4, bandwidth: 12.5 GB/s, latency: 4 us}
nodes:
  - {device: a100-sxm4-40gb, count: 2}
)";

class MixedMachine : public ::testing::Test {
protected:
    MixedMachine() { std::ofstream(folder_.path() / "both.yaml") << kMachine; }

    [[nodiscard]] Outcome predict(const std::string& words) const {
        return run("predict megatron-1.7b --machine both.yaml --gpus 32 --batch 128 --micro-batch 1 " + words);
    }

    [[nodiscard]] Outcome run(const std::string& words) const { return folder_.run(words); }

private:
    Folder folder_;
};

/// What the pattern's first group matches first, as a number.
int number(const Outcome& outcome, const std::string& pattern) {
    std::smatch match;
    return std::regex_search(outcome.out, match, std::regex(pattern)) ? std::stoi(match[1]) : -1;
}

bool has(const Outcome& outcome, const std::string& text) { return outcome.out.find(text) != std::string::npos; }

TEST_F(MixedMachine, StagesFollowTheirDevices) {
    const Outcome found = predict("--strategy megatron --mesh tensor=2,data=4,pipeline=4 --format md");
    ASSERT_EQ(found.code, 0) << found.err;
    EXPECT_TRUE(has(found, "16 x a100-sxm4-40gb and 16 x v100-sxm2-32gb of both.yaml")) << found.out;
    EXPECT_TRUE(has(found, "; fp16, adam")) << "the V100 has no bf16: " << found.out;
    // How many exactly is the cost model's to say.
    EXPECT_GT(number(found, "([0-9]+) x layers \\| a100"), number(found, "([0-9]+) x layers \\| v100")) << found.out;
}

TEST_F(MixedMachine, DataRanksGetMicroBatchesBySpeed) {
    const Outcome found = predict("--strategy megatron --mesh tensor=2,pipeline=4,data=4");
    ASSERT_EQ(found.code, 0) << found.err;
    EXPECT_TRUE(has(found, "Replica groups (gradients are weighted by samples)")) << found.out;
    const std::string few = "micro-batch 1 x ([0-9]+) to [0-9]+";
    const std::string many = "micro-batch 1 x [0-9]+ to ([0-9]+)";
    EXPECT_GT(number(found, many), number(found, few)) << found.out;
    EXPECT_EQ(2 * (number(found, many) + number(found, few)), 128) << found.out;
    const Outcome json = predict("--strategy megatron --mesh tensor=2,pipeline=4,data=4 --format json");
    EXPECT_TRUE(has(json, "\"replicas\": [")) << json.out;
}

TEST_F(MixedMachine, PlansAreFound) {
    EXPECT_EQ(run("plan megatron-1.7b --machine both.yaml --gpus 32 --batch 128 --top 1").code, 0);
}

TEST_F(MixedMachine, APrecisionThatSomeDeviceLacksIsAFault) {
    const Outcome found = predict("--strategy megatron --mesh tensor=2,data=4,pipeline=4 --precision bf16");
    EXPECT_EQ(found.code, 2);
    EXPECT_NE(found.err.find("v100-sxm2-32gb has no bf16 matrix units"), std::string::npos) << found.err;
}

}  // namespace mixed_test
}  // namespace dodona::cli::testing
