// The bounds behind `dodona size`, on real networks and machines: no plan that was found is better than they allow.
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace size_test {

class Bounds : public ::testing::TestWithParam<std::string> {};

TEST_P(Bounds, AreNotBeatenByAnyPlan) {
    const Folder place;
    // Cheapest: every count is searched that may train the network at all.
    const Outcome outcome = place.run(" size " + GetParam() + " --find cheapest --format json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const nlohmann::json machine = nlohmann::json::parse(outcome.out)["machines"][0];
    ASSERT_TRUE(machine["bounds"]["gpu_s_per_sample"].is_number());
    const double sample = machine["bounds"]["gpu_s_per_sample"];
    const double memory = machine["bounds"]["memory_bytes"];
    int fit = 0;
    for (const nlohmann::json& attempt : machine["attempts"]) {
        if (attempt["fits"]) {
            ++fit;
            const double devices = attempt["gpus"];
            EXPECT_LE(attempt["samples_per_s"].get<double>() * sample, devices);
            EXPECT_LE(memory, devices * attempt["memory_bytes"].get<double>());
            // A bound that says next to nothing would hold as well.
            EXPECT_GE(attempt["samples_per_s"].get<double>() * sample, 0.1 * devices);
        }
    }
    EXPECT_GT(fit, 0);
}

INSTANTIATE_TEST_SUITE_P(Size, Bounds,
                         ::testing::Values("resnet50 --machine abci --gpus 1,4,8 --strategy data,filter,spatial-2d",
                                           "vgg16 --machine dgx-2 --gpus 1,2 --strategy data,zero3",
                                           "alexnet --machine aws-p2-8xlarge --precision fp32 --gpus 1,2",
                                           "gpt --machine dgx-h100 --gpus 2,8 --batch 64",
                                           "llama-3.1-8b --machine dgx-b200 --precision fp8 --gpus 8 --batch 64",
                                           "llama-3.1-8b-lora --machine dgx-h100 --gpus 2,8 --batch 64",
                                           "gnmt --machine dgx-1-v100-16gb --gpus 1,8 --strategy data,zero1"));

}  // namespace size_test
}  // namespace dodona::cli::testing
