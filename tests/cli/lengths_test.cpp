// Samples of different lengths and loads of experts, from their files to the answer.
#include <cmath>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace lengths_test {

using nlohmann::json;

const std::string kJob =
    "llama-3.1-8b --seq 4096 --machine dgx-h100 --gpus 8 --batch 64 --strategy zero2 --micro-batch 2";
const std::string kLengths = "length,share\n256,0.5\n1024,0.25\n4096,0.25\n";

Outcome run(const std::string& words, const std::string& file) {
    const Folder place;
    std::ofstream(place.path() / "t.csv") << file;
    return place.run(words);
}

json asked(const std::string& words, const std::string& file) {
    const Outcome outcome = run(words + " --format json", file);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out, nullptr, false);
}

json packing_of(const json& answer, const std::string& name) {
    for (const json& one : answer["lengths"]["packings"]) {
        if (one["packing"] == name) {
            return one;
        }
    }
    return {};
}

TEST(Lengths, OfOneLengthAreTheStepThatIsPredicted) {
    const json answer = asked("predict " + kJob + " --lengths t.csv", "length\n4096\n");
    const double step = answer["plan"]["step_time_s"]["value"];
    for (const char* packing : {"pack", "bucket", "pad"}) {
        const json one = packing_of(answer, packing);
        EXPECT_NEAR(one["step_s"].get<double>() / step, 1, 1e-9) << packing;
        EXPECT_NEAR(one["padding"], 0, 1e-12);
        EXPECT_NEAR(one["tokens_per_step"], 64 * 4096, 1e-6);
    }
}

TEST(Lengths, ArePaddedBucketedAndPacked) {
    const json answer = asked("predict " + kJob + " --lengths t.csv", kLengths);
    EXPECT_EQ(answer["lengths"]["mean"], 1408);
    EXPECT_EQ(answer["lengths"]["ranks_together"], 8) << "ZeRO-2 reduces gradients in every pass";
    // Two samples, the longer one of 256, 1,024 or 4,096 with 4/16, 5/16 and 7/16.
    const json pad = packing_of(answer, "pad");
    const double positions = 2 * (256 * 4.0 + 1024 * 5 + 4096 * 7) / 16;
    EXPECT_NEAR(pad["positions"]["mean"], positions, 1e-9);
    EXPECT_NEAR(pad["padding"], 1 - 2816 / positions, 1e-12);
    EXPECT_NEAR(packing_of(answer, "bucket")["padding"], 0, 1e-12);
    // 256-token samples fill up what the others leave.
    const json pack = packing_of(answer, "pack");
    EXPECT_LT(pack["padding"], 0.01);
    EXPECT_NEAR(pack["samples_per_step"].get<double>() * 1408, 64 * 4096, 0.01 * 64 * 4096);
    // The step that all wait for is between that of equal ranks and that of full length.
    const double full = answer["plan"]["step_time_s"]["value"];
    for (const json& one : {pad, pack}) {
        EXPECT_GT(one["step_s"], one["even_s"]);
        EXPECT_LT(one["step_s"], full);
    }
    EXPECT_EQ(answer["lengths"]["packings"][0]["packing"], "pack");
}

TEST(Lengths, ArePlayed) {
    const json answer = asked("simulate " + kJob + " --lengths t.csv --packing pad", kLengths);
    const json played = answer["lengths"]["played"];
    const double closed = packing_of(answer, "pad")["step_s"];
    EXPECT_EQ(played["steps"], 100);
    EXPECT_NEAR(played["mean_s"].get<double>() / closed, 1, 0.05);
    EXPECT_LT(played["deviation_s"].get<double>(), 0.3 * closed);
}

const std::string kSearch = "plan llama-3.1-8b --seq 4096 --machine dgx-h100 --gpus 8 --batch 64 --lengths t.csv";

double rate_of(const json& ranked) { return ranked["packings"][0]["tokens_per_second"]; }

TEST(Lengths, RankPlans) {
    const json answer = asked(kSearch + " --top 3 --packing pad", kLengths);
    ASSERT_EQ(answer["lengths"].size(), 3U);
    EXPECT_EQ(answer["lengths"][1]["packings"].size(), 1U);
    EXPECT_GE(rate_of(answer["lengths"][0]), 0.98 * rate_of(answer["lengths"][1]));
    EXPECT_GE(rate_of(answer["lengths"][1]), rate_of(answer["lengths"][2]));
}

// Padded micro-batches of one sample have no padding; with even samples larger ones are faster.
TEST(Lengths, AsTheyDifferAnotherPlanIsFastest) {
    const std::string search =
        "plan llama-2-7b --machine dgx-a100-80gb --gpus 16 --batch 128 --lengths t.csv --packing pad";
    const json first = asked(search, kLengths)["lengths"][0];
    EXPECT_GT(first["even_rank"], 1);
    EXPECT_EQ(first["microbatch"], 1);
    EXPECT_EQ(asked(search, "length\n4096\n")["lengths"][0]["even_rank"], 1);
}

TEST(Lengths, OfTheFastestPlanAreWhatIsSaved) {
    const Folder place;
    std::ofstream(place.path() / "t.csv") << kLengths;
    ASSERT_EQ(place.run(kSearch + " --packing pad --save best.yaml").code, 0);
    const Outcome saved = place.run(
        "predict llama-3.1-8b --seq 4096 --machine dgx-h100 --gpus 8 --batch 64 --plan best.yaml --lengths t.csv "
        "--packing pad --format json");
    ASSERT_EQ(saved.code, 0) << saved.err;
    const json ranked = asked(kSearch + " --packing pad", kLengths)["lengths"][0];
    EXPECT_DOUBLE_EQ(rate_of(json::parse(saved.out)["lengths"]), rate_of(ranked));
}

TEST(Lengths, ThatCannotBeReadAreLocated) {
    const auto told = [](const std::string& words, const std::string& file) {
        const Outcome outcome = run("predict " + words, file);
        EXPECT_EQ(outcome.code, 2);
        return outcome.err;
    };
    const std::string asks = kJob + " --lengths t.csv";
    EXPECT_NE(told(asks, "length,share\n8192,1\n").find("t.csv:2:1: error: length: 8192 is more than 4096"),
              std::string::npos);
    EXPECT_NE(told(asks, "length,shore\n512,1\n").find("did you mean \"share\"?"), std::string::npos);
    EXPECT_NE(told(asks, "length,share\n512,-1\n").find("t.csv:2:5: error: share: -1 is less than 0"),
              std::string::npos);
    EXPECT_NE(told(asks, "length,share\n512,0\n").find("the rows count nothing"), std::string::npos);
    EXPECT_NE(told(kJob + " --packing pad", "").find("add --lengths FILE"), std::string::npos);
    EXPECT_NE(told(kJob + " --lengths t.csv --buckets 512,256", "length\n8\n").find("each is longer"),
              std::string::npos);
    EXPECT_NE(told("resnet50 --machine abci --gpus 4 --strategy data --lengths t.csv", "length\n8\n")
                  .find("resnet50 reads no tokens"),
              std::string::npos);
}

const std::string kMixture =
    "mixtral-8x7b --machine dgx-h100 --gpus 64 --batch 64 --strategy expert --mesh "
    "data=64,expert=8";

/// Eight experts over eight ranks, the busiest with 10 of 64 tokens: 1.25 of the mean.
TEST(ExpertLoads, AreTheImbalanceOfTheirFullestRank) {
    const std::string loads = "expert,tokens\n0,10\n1,8\n2,8\n3,6\n4,8\n5,8\n6,8\n7,8\n";
    const double even = asked("predict " + kMixture, loads)["plan"]["step_time_s"]["value"];
    const double measured =
        asked("predict " + kMixture + " --expert-loads t.csv", loads)["plan"]["step_time_s"]["value"];
    const double given = asked("predict " + kMixture + " --set imbalance=1.25", loads)["plan"]["step_time_s"]["value"];
    EXPECT_DOUBLE_EQ(measured, given);
    EXPECT_GT(measured, even);
}

TEST(ExpertLoads, EvenOutOnFewerRanks) {
    std::string loads = "expert,tokens\n0,10\n1,6\n2,10\n3,6\n4,10\n5,6\n6,10\n7,6\n";
    const std::string four =
        "mixtral-8x7b --machine dgx-h100 --gpus 64 --batch 64 --strategy expert --mesh "
        "data=64,expert=4";
    const double even = asked("predict " + four, loads)["plan"]["step_time_s"]["value"];
    EXPECT_DOUBLE_EQ(asked("predict " + four + " --expert-loads t.csv", loads)["plan"]["step_time_s"]["value"], even)
        << "16 tokens on each of four";
}

/// Commands that read the network again take the loads too.
TEST(ExpertLoads, CountInSizesAndLargestJobs) {
    const std::string loads = "expert,tokens\n0,40\n1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n7,1\n";
    const std::string job = " --machine dgx-h100 --strategy expert --fixed expert=8,recompute=full";
    for (const std::string words : {"size mixtral-8x7b --gpus 64 --batch 64 --tokens 1e9",
                                    "largest mixtral-8x7b layers --gpus 64 --batch 64 --upto 32 --step 32"}) {
        const Outcome even = run(words + job + " --format json", loads);
        const Outcome skewed = run(words + job + " --expert-loads t.csv --format json", loads);
        ASSERT_EQ(even.code, skewed.code) << words << skewed.err;
        EXPECT_NE(even.out, skewed.out) << words;
    }
}

TEST(ExpertLoads, ThatDoNotFitAreTold) {
    const auto told = [](const std::string& words, const std::string& file) {
        const Outcome outcome = run("predict " + words + " --expert-loads t.csv", file);
        EXPECT_EQ(outcome.code, 2);
        return outcome.err;
    };
    EXPECT_NE(told(kMixture, "expert,tokens\n0,1\n1,1\n").find("has no mixture of so many"), std::string::npos);
    EXPECT_NE(told(kMixture, "expert,tokens\n0,1\n2,1\n").find("expert 1 is missing"), std::string::npos);
    EXPECT_NE(told(kMixture, "expert,tokens\n0,1\n0,1\n").find("t.csv:3:1: error: expert 0 is here twice"),
              std::string::npos);
}

}  // namespace lengths_test
}  // namespace dodona::cli::testing
