// dodona.h: the same bytes as the command, its faults located in the question.
#include "bindings/c/dodona.h"

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "../cli/running.hpp"
#include "../seeds.hpp"

namespace dodona::bindings::testing {
namespace c_api_test {

struct Answer {
    int code = -1;
    std::string json;
    std::string message;
};

Answer ask(const std::string& question) {
    setenv("DODONA_DATA", std::getenv("DODONA_SOURCE"), 1);
    const std::unique_ptr<dodona_answer, void (*)(dodona_answer*)> answer(dodona_ask(question.data(), question.size()),
                                                                          dodona_free);
    size_t length = 0;
    const char* json = dodona_json(answer.get(), &length);
    return {dodona_code(answer.get()), std::string(json, length), dodona_message(answer.get(), nullptr)};
}

struct Asked {
    const char* words;
    const char* question;
};

const std::vector<Asked> kAsked{
    {"predict resnet50 --machine abci --gpus 8 --strategy data",
     R"({"command": "predict", "arguments": ["resnet50"], "options": {"machine": "abci", "gpus": 8, "strategy": "data"}})"},
    {"predict megatron-22b --machine selene --gpus 8 --batch 4 --strategy megatron-sequence --mesh tensor=8,data=1 "
     "--recompute selective --explain",
     R"({"command": "predict", "arguments": ["megatron-22b"], "options": {"machine": "selene", "gpus": 8, "batch": 4,
         "strategy": "megatron-sequence", "mesh": {"tensor": 8, "data": 1}, "recompute": "selective", "explain": true}})"},
    {"size resnet50 --machine abci --machine selene --samples 1e9 --deadline 10d --gpus 8..16",
     R"({"command": "size", "arguments": ["resnet50"], "options": {"machine": ["abci", "selene"], "samples": 1e9,
         "deadline": "10d", "gpus": "8..16"}})"},
    {"simulate resnet50 --machine abci --gpus 8 --strategy data",
     R"({"command": "simulate", "arguments": ["resnet50"], "options": {"machine": "abci", "gpus": 8, "strategy": "data",
         "observed": null}})"},
    {"models resnet50", R"({"command": "models", "arguments": ["resnet50"]})"},
    {"machines", R"({"command": "machines"})"},
    {"predict resnet50 --machine abci --gpus 8 --strategy data --set image=256 --set classes=10",
     R"({"command": "predict", "arguments": ["resnet50"], "options": {"machine": "abci", "gpus": 8, "strategy": "data",
         "set": {"image": 256, "classes": 10}}})"},
};

TEST(CApi, AnswersTheBytesOfTheCommand) {
    const cli::testing::Folder place;
    for (const Asked& asked : kAsked) {
        const cli::testing::Outcome command = place.run(std::string(asked.words) + " --format json");
        const Answer answer = ask(asked.question);
        EXPECT_EQ(answer.code, command.code) << asked.words << answer.message;
        EXPECT_EQ(answer.json, command.out) << asked.words;
        EXPECT_EQ(answer.message, "");
        EXPECT_FALSE(answer.json.empty());
    }
}

TEST(CApi, APlanDiffersInTheTimeOfItsSearchAlone) {
    const cli::testing::Folder place;
    auto command = nlohmann::json::parse(place.run("plan resnet50 --machine abci --gpus 8 --top 2 --format json").out);
    auto answer = nlohmann::json::parse(
        ask(R"({"command": "plan", "arguments": ["resnet50"], "options": {"machine": "abci", "gpus": 8, "top": 2}})")
            .json);
    command["search"].erase("seconds");
    answer["search"].erase("seconds");
    EXPECT_EQ(command, answer);
}

TEST(CApi, NothingFitsIsAnAnswer) {
    const Answer answer =
        ask(R"({"command": "plan", "arguments": ["gpt3-175b"], "options": {"machine": "abci", "gpus": 1}})");
    EXPECT_EQ(answer.code, DODONA_NO);
    EXPECT_EQ(answer.message, "");
    EXPECT_TRUE(nlohmann::json::parse(answer.json)["plans"].empty());
}

TEST(CApi, FaultsAreLocatedInTheQuestion) {
    const auto fault = [](const std::string& question, const std::string& due) {
        const Answer answer = ask(question);
        EXPECT_EQ(answer.code, DODONA_BAD_INPUT) << question;
        EXPECT_EQ(answer.json, "") << question;
        EXPECT_NE(answer.message.find(due), std::string::npos) << question << "\n" << answer.message;
    };
    fault(R"({"command": "pln"})", "question:1:13: error: command: \"pln\" cannot be asked; did you mean \"plan\"?");
    fault(R"({"command": "calibrate"})", "\"calibrate\" cannot be asked");
    fault(R"({"command": "models", "argments": []})", "unknown key; did you mean \"arguments\"?");
    fault(R"({"command": "predict", "options": {"machin": "abci"}})", "did you mean \"machine\"?");
    fault(R"({"command": "predict", "options": {"output": "a.json"}})", "the answer is returned, as JSON");
    fault(R"({"command": "predict", "options": {"explain": 3}})", "true or false");
    fault(R"({"command": "predict", "options": {"mesh": {"data": [8]}}})", "expected a number or a text");
    fault(R"({"command": "predict", "arguments": ["resnet51"], "options": {"machine": "abci", "gpus": 8,
              "strategy": "data"}})",
          "did you mean \"resnet50\"?");
    fault(R"({"command": "models", "arguments": ["--format=text"]})", "--format=text");
    fault(R"({"command": )", "question:1:");
    fault("", "empty: nothing to read");
    fault("3", "expected");
    fault("{}", "command: missing");
}

TEST(CApi, OptionsAreWrittenWithEitherDash) {
    const std::string begin =
        R"({"command": "predict", "arguments": ["resnet50"], "options": {"machine": "abci", "gpus": 8,
        "strategy": "data", ")";
    EXPECT_EQ(ask(begin + "micro-batch\": 32}}").json, ask(begin + "micro_batch\": 32}}").json);
}

TEST(CApi, SeveralQuestionsAtOnceHaveTheirOwnAnswers) {
    const std::size_t kTimes = drawn::full() ? 5 : 2;
    std::vector<Answer> due;
    for (const Asked& asked : kAsked) {
        due.push_back(ask(asked.question));
    }
    std::vector<std::vector<Answer>> got(kAsked.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kAsked.size(); ++i) {
        threads.emplace_back([&got, kTimes, i] {
            for (std::size_t times = 0; times < kTimes; ++times) {
                got[i].push_back(ask(kAsked[(i + times) % kAsked.size()].question));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (std::size_t i = 0; i < kAsked.size(); ++i) {
        for (std::size_t times = 0; times < kTimes; ++times) {
            EXPECT_EQ(got[i][times].json, due[(i + times) % kAsked.size()].json);
        }
    }
}

TEST(CApi, SignalsStayThoseOfTheProcess) {
    struct sigaction mine {};
    mine.sa_handler = SIG_IGN;
    struct sigaction before {};
    sigaction(SIGINT, &mine, &before);
    static_cast<void>(
        ask(R"({"command": "plan", "arguments": ["resnet50"], "options": {"machine": "abci", "gpus": 1}})"));
    struct sigaction after {};
    sigaction(SIGINT, &before, &after);
    EXPECT_EQ(after.sa_handler, SIG_IGN);
}

TEST(CApi, VersionsAreThoseOfTheLibrary) {
    EXPECT_EQ(dodona_abi(), DODONA_ABI);
    const cli::testing::Folder place;
    EXPECT_EQ(place.run("--version").out, std::string("dodona ") + dodona_version() + "\n");
    dodona_free(nullptr);
    EXPECT_EQ(ask(std::string()).code, DODONA_BAD_INPUT);
}

RC_GTEST_PROP(CApi, AnyTextIsAnsweredOrRefused, (const std::string& text)) {
    for (const char* before : {"", "{\"command\": \"models\", ", "{\"command\": \"models\", \"arguments\": ["}) {
        const Answer answer = ask(before + text);
        RC_ASSERT(answer.code == DODONA_BAD_INPUT || answer.code == DODONA_ANSWERED);
    }
}

}  // namespace c_api_test
}  // namespace dodona::bindings::testing
