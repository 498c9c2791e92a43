// `dodona validate LOG`: logs of every software that is read, beside what is predicted of their plans. The answers are
// in logs/*.txt; DODONA_ACCEPT=1 writes them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace logs_test {

namespace fs = std::filesystem;

fs::path source() { return std::getenv("DODONA_SOURCE"); }

/// A log of tests/files/logs, and what it does not say of its run.
struct Logged {
    const char* name;
    const char* options;
};

const std::vector<Logged> kLogs{
    {"megatron", "--machine selene"},
    {"megatron-srun", "--machine dgx-h100"},
    {"nemo",
     "--machine dgx-h100 --gpus 8 --model llama-3.1-8b --strategy megatron-sequence --mesh tensor=2,data=4 "
     "--zero 1"},
    {"nemo-bar", "--machine selene"},
    {"torchtitan",
     "--machine dgx-h100 --model llama-3.1-8b --strategy megatron-sequence --mesh tensor=4,data=8 "
     "--micro-batch 2 --zero 3"},
    {"torchtitan-color", "--machine dgx-h100"},
    {"deepspeed", "--machine selene --model megatron-1.7b"},
    {"deepspeed-2022", "--machine selene --model bert-large --strategy data --zero 1"},
    {"nanotron", "--machine dgx-h100 --gpus 8 --batch 1024 --model llama-tied --seq 1024 --strategy data"},
    {"trainer", "--machine dgx-h100 --gpus 8 --model llama-3.1-8b --seq 2048 --strategy zero3"},
    {"maxtext", "--machine dgx-h100 --gpus 8 --model llama-3.1-8b --strategy zero3"},
    {"composer", "--machine selene --gpus 8 --batch 256 --model mpt-1b --strategy zero3"},
};

void put_log(const Folder& place, const std::string& name) {
    fs::copy_file(source() / "tests/files/logs" / (name + ".log"), place.path() / (name + ".log"));
}

class Log : public ::testing::TestWithParam<Logged> {};

TEST_P(Log, HasItsPredictionBesideIt) {
    const std::string name = GetParam().name;
    const Folder place;
    put_log(place, name);
    const std::string command = "validate " + name + ".log " + GetParam().options;
    const Outcome outcome = place.run(command);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const std::string now = "$ dodona " + command + "\n" + outcome.out + outcome.err;
    const fs::path golden = source() / "tests/cli/logs" / (name + ".txt");
    const char* accept = std::getenv("DODONA_ACCEPT");
    if (accept != nullptr && std::string(accept) == "1") {
        std::ofstream(golden, std::ios::binary) << now;
    }
    EXPECT_EQ(content(golden), now);
}

INSTANTIATE_TEST_SUITE_P(All, Log, ::testing::ValuesIn(kLogs), [](const auto& info) {
    std::string name = info.param.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(Logs, AreComparedTogether) {
    const Folder place;
    put_log(place, "megatron-srun");
    put_log(place, "torchtitan-color");
    put_log(place, "nanotron");
    const Outcome outcome =
        place.run("validate megatron-srun.log torchtitan-color.log nanotron.log --machine dgx-h100 --format json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(document["schema"], "dodona/validate/1");
    ASSERT_EQ(document["rows"].size(), 3U);
    EXPECT_EQ(document["rows"][0]["group"], "Megatron-LM");
    EXPECT_NEAR(document["rows"][0]["measured_s"], 14.6499, 1e-9);
    EXPECT_FALSE(document["rows"][1]["predicted_memory_bytes"].is_null());
    EXPECT_TRUE(document["rows"][2]["predicted_s"].is_null()) << "it prints no plan";
    EXPECT_FALSE(document["rows"][2]["refused"].is_null());
    EXPECT_EQ(document["overall"]["rows"], 2);
}

TEST(Logs, OfTheSamePlanAsPredictHaveItsTime) {
    const Folder place;
    put_log(place, "megatron-srun");
    const auto row =
        nlohmann::json::parse(place.run("validate megatron-srun.log --machine dgx-h100 --format json").out)["rows"][0];
    const auto predicted = nlohmann::json::parse(place
                                                     .run("predict --from megatron-srun.log --machine dgx-h100 "
                                                          "--framework megatron-2024+other-source --format json")
                                                     .out);
    EXPECT_EQ(row["predicted_s"], predicted["plan"]["step_time_s"]["value"]) << predicted.dump(1).substr(0, 400);
}

TEST(Logs, OfAnotherJobThanThePlanAreRefused) {
    const Folder place;
    put_log(place, "megatron-srun");
    const Outcome other = place.run("validate megatron-srun.log --machine dgx-h100 --batch 64");
    EXPECT_EQ(other.code, 2);
    EXPECT_NE(other.err.find("megatron-srun.log: the log is of a batch of 128, the plan of 64"), std::string::npos)
        << other.err;
}

TEST(Logs, AreAskedWithWhatIsOfLogs) {
    const Folder place;
    put_log(place, "nanotron");
    EXPECT_EQ(place.run("validate nanotron.log").err,
              "error: --machine is missing\n  help: the machine that the logs are of: --machine dgx-h100\n");
    EXPECT_NE(place.run("validate nanotron.log runs.csv --machine dgx-h100").err.find("tables and logs"),
              std::string::npos);
    EXPECT_NE(place.run("validate nanotron.log --machine dgx-h100 --by model").err.find("--by: is of tables of runs"),
              std::string::npos);
    EXPECT_NE(place.run("validate runs.csv --machine dgx-h100").err.find("--machine: is of logs"), std::string::npos);
    EXPECT_EQ(place.run("validate none.log --machine dgx-h100").err, "error: there is no file none.log\n");
}

}  // namespace logs_test
}  // namespace dodona::cli::testing
