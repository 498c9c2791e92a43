// Answers end in "Next": commands that run as they are printed.
#include <set>
#include <sstream>
#include <tuple>

#include <gtest/gtest.h>

#include "running.hpp"

namespace dodona::cli::testing {
namespace next_test {

/// The commands below "Next", without their first word.
std::vector<std::string> next_in(const std::string& answer) {
    std::vector<std::string> commands;
    std::istringstream lines(answer.substr(std::min(answer.find("\nNext\n"), answer.size())));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  dodona ")) {
            commands.push_back(line.substr(9));
        }
    }
    return commands;
}

class Next : public ::testing::TestWithParam<std::string> {};

TEST_P(Next, AreThreeCommandsThatRun) {
    const Folder place;
    const Outcome asked = place.run(GetParam());
    ASSERT_EQ(asked.code, 0) << asked.err;
    const std::vector<std::string> commands = next_in(asked.out);
    EXPECT_EQ(commands.size(), 3U) << asked.out;
    EXPECT_EQ(std::set<std::string>(commands.begin(), commands.end()).size(), commands.size());
    for (const std::string& command : commands) {
        if (!command.starts_with("explorer")) {  // needs what only some builds have
            const Outcome outcome = place.run(command);
            EXPECT_EQ(outcome.code, 0) << command << "\n" << outcome.err;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Answers, Next,
    ::testing::Values("plan gpt --machine workstation --gpus 4 --batch 64",
                      "plan gpt --machine workstation --gpus 4 --batch 64 --save mine.yaml",
                      "simulate gpt --machine workstation --gpus 4 --strategy zero3 --batch 64 --seq 1024",
                      "tables dlrm-bench --machine dgx-h100 --gpus 8", "limits gpt --machine workstation --batch 64",
                      "predict gpt --machine workstation --gpus 4 --strategy zero3 --batch 64 --seq 1024",
                      "predict gpt --machine workstation --strategy megatron --mesh tensor=2,pipeline=2 --batch 64",
                      "limits gpt --machine workstation --gpus 4 --batch 64",
                      "size gpt --machine workstation --batch 64",
                      "size gpt --machine workstation --batch 64 --tokens 1e9 --budget 1e6USD --price 2USD/h",
                      "largest gpt batch --machine workstation --gpus 4",
                      "compare zero2 zero3 --model gpt --machine workstation --gpus 4 --batch 64",
                      "report gpt --machine workstation --gpus 1..4 --batch 64",
                      "cache resnet50 --machine tencent-v100-25gbe --gpus 8 --strategy data --batch 512", "models gpt",
                      "threads alexnet --machine theta --cores 4",
                      "goodput gpt --machine workstation --gpus 4 --strategy zero3 --batch 64 --mtbf 1826d/node "
                      "--storage-write 2GB/s --storage-read 2GB/s --restart 5min"));

TEST(NextCommands, LeadOnFromLogsTablesAndReports) {
    const Folder place;
    cases::unpack(source() / "tests/files/logs.txt", "megatron-srun.log", place.path());
    std::filesystem::copy_file(source() / "lab/evidence/tables/korthikanti-tab5.csv", place.path() / "runs.csv");
    for (const char* file : {"a.json --batch 64", "b.json --batch 32"}) {
        EXPECT_EQ(place.run(std::string("report gpt --machine workstation --gpus 1..4 -o ") + file).code, 0);
    }
    for (const auto& [words, code, count] : {std::tuple{"watch megatron-srun.log --machine dgx-h100 --once", 0, 3U},
                                             {"validate megatron-srun.log --machine dgx-h100", 0, 3U},
                                             {"validate runs.csv", 0, 3U},
                                             {"diff a.json b.json", 1, 2U}}) {
        const Outcome asked = place.run(words);
        EXPECT_EQ(asked.code, code) << words << asked.err;
        const std::vector<std::string> commands = next_in(asked.out);
        EXPECT_EQ(commands.size(), count) << words << "\n" << asked.out;
        for (const std::string& next : commands) {
            const std::string command =
                next + (next.starts_with("watch") ? " --once" : "");  // which follows a log else
            EXPECT_EQ(place.run(command).code, 0) << command;
        }
    }
    const Outcome no_plan = place.run("predict gpt --machine workstation --gpus 4 --batch 64");
    const std::size_t plan = no_plan.err.find("`dodona plan gpt");
    ASSERT_NE(plan, std::string::npos) << no_plan.err;
    const std::string command = no_plan.err.substr(plan + 8, no_plan.err.find('`', plan + 1) - plan - 8);
    EXPECT_EQ(place.run(command).code, 0) << command;
    EXPECT_EQ(place.run("predict gpt --machine workstation --plan plan.yaml").code, 0);
}

TEST(Compare, TakesAModelAndSeveralMachinesOrStrategies) {
    const Folder place;
    EXPECT_EQ(place.run("compare gpt --machine workstation --strategy zero2,zero3 --gpus 4 --batch 64").out,
              place.run("compare zero2 zero3 --model gpt --machine workstation --gpus 4 --batch 64").out);
    EXPECT_EQ(place.run("compare gpt --machine dgx-h100,dgx-a100 --gpus 8 --batch 64").out,
              place.run("compare dgx-h100 dgx-a100 --model gpt --gpus 8 --batch 64").out);
}

TEST(Budget, BuysTheFastestRunThatItPays) {
    const Folder place;
    const std::string job =
        "size gpt --machine workstation --batch 64 --tokens 1e9 --budget 1e6USD --price 2USD/h --brief";
    EXPECT_NE(place.run(job).out.find("trains fastest on 4 GPUs"), std::string::npos) << place.run(job).out;
    EXPECT_NE(place.run(job + " --deadline 365d").out.find("needs 1 GPU"), std::string::npos);
}

TEST(Words, ThatOthersUseAreUnderstoodOrAnsweredWithAHint) {
    const Folder place;
    const Outcome machine = place.run("plan gpt --machine 4xA100 --gpus 4 --batch 64 --brief");
    EXPECT_EQ(machine.code, 0) << machine.err;
    EXPECT_NE(machine.err.find("\"4xA100\" is taken as dgx-a100-80gb"), std::string::npos) << machine.err;
    EXPECT_NE(machine.err.find("how many train together is --gpus"), std::string::npos) << machine.err;
    EXPECT_NE(place.run("plan gpt --machine workstation --gpus 4 -b 4M").err.find("divide its tokens by"),
              std::string::npos);
    for (const char* words : {"-p bf16", "--gpus 8 -p bf16"}) {
        EXPECT_NE(place.run(std::string("plan gpt --machine workstation ") + words).err.find("write --precision bf16"),
                  std::string::npos);
    }
    EXPECT_NE(place.run("largest batch gpt --machine workstation --gpus 4").err.find("the model comes first"),
              std::string::npos);
}

}  // namespace next_test
}  // namespace dodona::cli::testing
