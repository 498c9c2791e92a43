// Questions in questions/*.txt, each with a command and what its answer must contain: users can add theirs.
//
//   ? the question
//   $ dodona ...
//   > a text that must be there     !> one that must not     [exit 2]
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "reports/render/text_layout.hpp"
#include "running.hpp"

namespace dodona::cli::testing {
namespace questions_test {

namespace fs = std::filesystem;

struct Question {
    std::string asked;
    std::string command;  ///< the words after "dodona"
    std::vector<std::string> with;
    std::vector<std::string> without;
    int code = 0;
};

std::vector<Question> questions() {
    std::vector<Question> all;
    const char* const root = std::getenv("DODONA_SOURCE");
    std::error_code fault;
    for (const auto& file :
         fs::directory_iterator(fs::path(root == nullptr ? "." : root) / "tests/cli/questions", fault)) {
        std::istringstream lines(content(file.path()));
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("? ")) {
                all.push_back({.asked = line.substr(2)});
            } else if (!all.empty() && line.starts_with("$ dodona ")) {
                all.back().command = line.substr(9);
            } else if (!all.empty() && line.starts_with("> ")) {
                all.back().with.push_back(line.substr(2));
            } else if (!all.empty() && line.starts_with("!> ")) {
                all.back().without.push_back(line.substr(3));
            } else if (!all.empty() && line.starts_with("[exit ")) {
                all.back().code = std::stoi(line.substr(6));
            }
        }
    }
    return all;
}

/// Blanks and line ends as one blank each, as reports are wrapped.
std::string words_of(const std::string& text) {
    std::istringstream words(text);
    std::string all;
    for (std::string word; words >> word;) {
        all += (all.empty() ? "" : " ") + word;
    }
    return all;
}

TEST(Questions, OfANewcomerAreAtLeastForty) { EXPECT_GE(questions().size(), 40U); }

class Asked : public ::testing::TestWithParam<Question> {};

TEST_P(Asked, IsAnswered) {
    const Question& question = GetParam();
    ASSERT_FALSE(question.command.empty()) << question.asked;
    ASSERT_FALSE(question.with.empty()) << question.asked;
    if (question.command.starts_with("calibrate") && !can_calibrate()) {
        GTEST_SKIP() << "dodona-calibrate is not built";
    }
    const Folder place;
    const Outcome outcome = place.run(question.command);
    const std::string answer = words_of(outcome.out + " " + outcome.err);
    EXPECT_EQ(outcome.code, question.code) << question.command << "\n" << outcome.err;
    for (const std::string& text : question.with) {
        EXPECT_NE(answer.find(words_of(text)), std::string::npos)
            << question.asked << "\n$ dodona " << question.command << "\nlacks: " << text << "\n"
            << outcome.out << outcome.err;
    }
    for (const std::string& text : question.without) {
        EXPECT_EQ(answer.find(words_of(text)), std::string::npos)
            << question.asked << "\n$ dodona " << question.command << "\nhas: " << text << "\n"
            << outcome.out << outcome.err;
    }
}

// 50 rows: the command, its note on the machine, the answer.
TEST(Answers, FitOneScreen) {
    constexpr std::size_t kRows = 49;
    constexpr std::size_t kColumns = 100;
    const Folder place;
    for (
        const std::string command :
        {"plan llama-3.1-8b --machine h100 --gpus 8", "plan deepseek-v3 --machine h100 --gpus 2048",
         "plan llama-3.1-70b --machine h100 --gpus 8", "plan resnet50 --machine v100 --gpus 16",
         "plan qwen2.5-7b --machine rtx-4090-x8 --gpus 8 --task lora",
         "predict llama-3.1-8b --machine h100 --gpus 8 --strategy zero3",
         "predict gpt3-175b --machine a100 --gpus 1024 --strategy megatron-sequence --mesh tensor=8,pipeline=16,data=8",
         "predict deepseek-v3 --machine h100 --gpus 2048 --strategy megatron-moe --mesh data=128,pipeline=16,expert=64",
         "plan llama-3.1-8b --machine gb200 --gpus 72 --batch 512", "tables dlrm --machine h100 --gpus 8",
         "limits resnet50 --machine h100", "limits gpt3-175b --machine h100 --gpus 1024",
         "compare zero3 megatron --model llama-3.1-8b --machine h100 --gpus 8",
         "compare llama-3.1-8b llama-2-7b --machine h100 --gpus 8",
         "goodput llama-3.1-8b --machine h100 --gpus 8 --strategy zero3 --mtbf 1826d/node --storage-write 2GB/s",
         "simulate llama-3.1-8b --machine h100 --gpus 8 --strategy zero3 --batch 16",
         "size llama-3.1-70b --machine h100 --tokens 1e12 --deadline 30d --gpus 256..512",
         "size llama-3.1-8b --machine h100 --tokens 1e11 --budget 1e5USD --price dgx-h100=2.5USD --gpus 8..64"}) {
        const std::string answer = place.run(command).out;
        std::istringstream lines(answer);
        std::size_t rows = 0;
        for (std::string line; std::getline(lines, line); ++rows) {
            EXPECT_TRUE(line.starts_with("  dodona ") || reports::display_columns(line) <= kColumns) << line;
        }
        EXPECT_LE(rows, kRows) << command << "\n" << answer;
        EXPECT_GT(rows, 20U) << command << "\n" << answer;
    }
}

INSTANTIATE_TEST_SUITE_P(Newcomer, Asked, ::testing::ValuesIn(questions()),
                         [](const auto& test) { return "number" + std::to_string(test.index + 1); });

}  // namespace questions_test
}  // namespace dodona::cli::testing
