// dodona plan --strategy auto: never worse than strategies with names, and its plans are plans like any other.
#include <regex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace layers_test {

using Json = nlohmann::json;

Json answer(const Folder& folder, const std::string& words) {
    const Outcome outcome = folder.run("plan " + words + " --format json");
    EXPECT_EQ(outcome.code, 0) << words << "\n" << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
}

double fastest(const Json& answer) {
    double least = 1e30;
    for (const Json& plan : answer.at("plans")) {
        least = std::min(least, plan.at("step_time_s").at("value").get<double>());
    }
    return least;
}

/// Networks of several kinds on machines of several kinds, small enough for a test.
class EveryKind : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryKind, IsNeverSlowerThanTheBestStrategyWithAName) {
    const Folder folder;
    const std::string words = GetParam();
    const Json named = answer(folder, words);
    const Json made = answer(folder, words + " --strategy auto");
    EXPECT_LE(fastest(made), fastest(named) * (1 + 1e-12));
    EXPECT_EQ(made.at("inputs").at("strategies").back(), "auto");
    EXPECT_GT(made.at("search").at("layers").at("settings").get<int>(), 0);
    for (const Json& plan : made.at("plans")) {
        EXPECT_TRUE(plan.at("fits").get<bool>());
        EXPECT_EQ(plan.at("strategy") == "auto", plan.contains("rules"));
    }
}

INSTANTIATE_TEST_SUITE_P(Networks, EveryKind,
                         ::testing::Values("alexnet --machine abci --gpus 8", "vgg16 --machine cloud-pcie --gpus 4",
                                           "resnet18 --machine dgx-1-p100 --gpus 4 --batch 32",
                                           "dlrm-bench --machine abci --gpus 8",
                                           "cosmoflow-256 --machine abci --gpus 16 --batch 8",
                                           "gpt2-medium --machine dgx-a100 --gpus 4 --batch 8",
                                           "unet2d-medical --machine abci --gpus 2 --batch 8"));

/// Rules of the plan that a search by layers makes, as text.
std::string rules(const Json& answer) {
    std::string text;
    for (const Json& plan : answer.at("plans")) {
        if (plan.at("strategy") == "auto") {
            for (const Json& rule : plan.at("rules")) {
                text += rule.get<std::string>() + "\n";
            }
        }
    }
    return text;
}

/// Where reductions of the classifier's gradients take long: small batches on many ranks. With a batch of 4,096 on
/// these 64 V100 VGG-16 is fastest by data but for the widest layer.
TEST(Layers, ConvolutionsByDataAndTheClassifierByFeatures) {
    const Folder folder;
    for (const char* network : {"alexnet", "vgg16"}) {
        const Json made =
            answer(folder, std::string(network) + " --machine abci --gpus 64 --batch 1024 --strategy auto --top 1");
        const std::string text = rules(made);
        EXPECT_TRUE(std::regex_search(text, std::regex("kind conv[^:]*: batch on inner and outer\n"))) << text;
        EXPECT_TRUE(std::regex_search(text, std::regex("(kind linear|fc6[^:]*): [^\n]*(in|out)_feature on"))) << text;
        EXPECT_GT(fastest(answer(folder, std::string(network) + " --machine abci --gpus 64 --batch 1024")),
                  1.1 * fastest(made));
    }
}

TEST(Layers, ASavedPlanPredictsTheSame) {
    const Folder folder;
    const Json made = answer(folder, "alexnet --machine abci --gpus 8 --batch 512 --strategy auto --save best.yaml");
    const Outcome again =
        folder.run("predict alexnet --machine abci --gpus 8 --batch 512 --plan best.yaml --format json");
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_NEAR(Json::parse(again.out).at("plan").at("step_time_s").at("value").get<double>(), fastest(made),
                1e-9 * fastest(made));
}

TEST(Layers, AStrategyOfAUserThatIsCalledAutoWasNotMadeForTheNetwork) {
    const Folder folder;
    std::ofstream(folder.path() / "own.yaml")
        << "strategy: auto\nsource: a test\naxes: [data]\neverywhere: {batch: data}\n";
    const std::string job = "alexnet --machine abci --gpus 8 --batch 512 --strategy ./own.yaml";
    const Json answered = answer(folder, job);
    ASSERT_FALSE(answered.at("plans").empty());
    for (const Json& plan : answered.at("plans")) {
        EXPECT_EQ(plan.at("strategy"), "auto");
        EXPECT_FALSE(plan.contains("rules"));
    }
}

TEST(Layers, BesideOneNameOnlyThatOneIsSearched) {
    const Folder folder;
    const Json made = answer(folder, "alexnet --machine abci --gpus 8 --batch 512 --strategy data,auto");
    EXPECT_EQ(made.at("inputs").at("strategies"), Json({"data", "auto"}));
    for (const Json& plan : made.at("plans")) {
        EXPECT_TRUE(plan.at("strategy") == "data" || plan.at("strategy") == "auto") << plan.at("strategy");
    }
}

}  // namespace layers_test
}  // namespace dodona::cli::testing
