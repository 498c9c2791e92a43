// `dodona validate LOG`: logs of every software that is read, beside what is predicted of their plans. Each in
// tests/files/logs.txt has the command below it, with what its log does not say of its run, and the answer.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace logs_test {

std::filesystem::path logs() { return source() / "tests/files/logs.txt"; }

void put_log(const Folder& place, const std::string& name) { cases::unpack(logs(), name + ".log", place.path()); }

class Log : public ::testing::TestWithParam<std::string> {};

TEST_P(Log, HasItsPredictionBesideIt) {
    const Folder place;
    cases::unpack(logs(), GetParam(), place.path());
    cases::expect(logs(), GetParam(), replayed(cases::expected(logs(), GetParam()), place));
}

INSTANTIATE_TEST_SUITE_P(All, Log, ::testing::ValuesIn(cases::names(logs())),
                         [](const auto& test) { return cases::identifier(test.param); });

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
                                                          "--format json")
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
