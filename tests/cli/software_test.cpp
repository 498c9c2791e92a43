// What runs a plan is a fact of the plan: one plan has one time, however it is asked about.
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace software_test {

using nlohmann::json;

json answer_of(const std::string& words) {
    const Outcome outcome = Folder().run(words + " --format json");
    EXPECT_EQ(outcome.code, 0) << words << "\n" << outcome.err;
    return json::parse(outcome.out, nullptr, false);
}

/// What is decided about a plan, without its software.
json decisions(const json& plan) {
    json found;
    for (const char* key : {"strategy", "mesh", "fold", "microbatch", "schedule", "virtual_stages", "recompute",
                            "shard", "shard_group", "overlap", "offload", "stages"}) {
        found[key] = plan.at(key);
    }
    return found;
}

std::vector<json> plans_of(const json& answer) {
    std::vector<json> all = answer.at("plans");
    const json others = answer.value("in_other_software", json::array());
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

const std::vector<std::string> kQuestions{"plan gpt3-20b --machine selene --gpus 32 --batch 128",
                                          "plan llama-3.1-8b --machine dgx-h100 --gpus 16 --batch 512",
                                          "plan mixtral-8x7b --machine dgx-gb200 --gpus 16 --batch 256"};

TEST(Software, OfAPlanIsTheSameWhereItsStrategyIsAskedForAlone) {
    std::size_t compared = 0;
    std::set<std::string> software;
    for (const std::string& question : kQuestions) {
        for (const json& plan : plans_of(answer_of(question))) {
            const std::string strategy = plan.at("strategy");
            for (const json& alone : plans_of(answer_of(question + " --strategy " + strategy))) {
                if (decisions(alone) == decisions(plan)) {
                    EXPECT_EQ(alone.at("framework"), plan.at("framework")) << question << ": " << strategy;
                    EXPECT_EQ(alone.at("step_time_s"), plan.at("step_time_s")) << question << ": " << strategy;
                    software.insert(plan.at("framework"));
                    ++compared;
                }
            }
        }
    }
    EXPECT_GE(compared, 9U);
    EXPECT_GE(software.size(), 3U) << "of 2024, of 2026 and FSDP";
}

TEST(Software, IsSearchedForWhatItCanRun) {
    for (const char* name : {"transformers", "composer-fsdp", "deepspeed"}) {
        const json answer = answer_of(std::string("plan llama-3.1-8b --machine dgx-h100 --gpus 16 --software ") + name);
        for (const json& plan : answer.at("plans")) {
            EXPECT_EQ(plan.at("framework"), name);
            EXPECT_FALSE(std::string(plan.at("strategy")).starts_with("megatron")) << name;
        }
        EXPECT_FALSE(answer.contains("in_other_software"));
    }
}

TEST(Software, MayBeSeveralOfWhichTheFirstIsPreferred) {
    const std::string question = "plan llama-3.1-70b --machine dgx-h100 --gpus 64 --software ";
    for (const std::string first : {"megatron-2024", "torchtitan"}) {
        const std::string other = first == "torchtitan" ? "megatron-2024" : "torchtitan";
        const json both = answer_of(question + first + "," + other);
        EXPECT_EQ(both.at("plans")[0].at("framework"), first) << "their predictions do not tell which is faster";
        EXPECT_EQ(both.at("in_other_software")[0].at("framework"), other);
        for (const json& best : {both.at("plans")[0], both.at("in_other_software")[0]}) {
            const json alone = answer_of(question + std::string(best.at("framework"))).at("plans")[0];
            EXPECT_EQ(decisions(alone), decisions(best));
            EXPECT_EQ(alone.at("step_time_s"), best.at("step_time_s"));
        }
    }
}

TEST(Software, ThatSeveralNameIsRefusedWhereNoneRunsAStrategyOrAPlanIsOne) {
    const auto fault = [](const std::string& words) { return Folder().run(words).err; };
    const std::string job = "llama-3.1-8b --machine dgx-h100 --gpus 8 --software ";
    EXPECT_NE(fault("plan " + job + "transformers,composer-fsdp --strategy expert").find("cannot run expert"),
              std::string::npos);
    EXPECT_NE(fault("plan " + job + "transformers,transformers").find("named twice"), std::string::npos);
    EXPECT_NE(fault("predict " + job + "transformers,composer-fsdp --strategy data").find("one piece of software"),
              std::string::npos);
}

TEST(Software, IsOfTheGenerationOfTheDevice) {
    const auto first = [](const std::string& machine) {
        return std::string(
            answer_of("plan llama-3.1-8b --batch 64 --gpus 8 --strategy megatron --top 1 --machine " + machine)
                .at("plans")[0]
                .at("framework"));
    };
    EXPECT_EQ(first("dgx-1-v100-32gb"), "megatron-2024");
    EXPECT_EQ(first("dgx-a100-80gb"), "megatron-2024");
    EXPECT_EQ(first("dgx-h100"), "megatron-2024");
    EXPECT_EQ(first("dgx-b200"), "megatron-2026");
}

}  // namespace software_test
}  // namespace dodona::cli::testing
