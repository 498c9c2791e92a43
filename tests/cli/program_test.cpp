// What transcripts cannot show: files that are written, colour, other environments.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace {

namespace fs = std::filesystem;
constexpr const char* kPredict = "predict resnet50 --machine abci --gpus 8 --strategy data --batch 512";
constexpr const char* kPlan = "plan resnet50 --machine abci --gpus 8 --strategy data --batch 512";

std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
}

TEST(Program, ReadsThePlanThatItSaved) {
    const Folder place;
    const Outcome plan = place.run(std::string(kPlan) + " --format json --save best.yaml");
    ASSERT_EQ(plan.code, 0) << plan.err;
    const Outcome predict =
        place.run("predict resnet50 --machine abci --gpus 8 --batch 512 --plan best.yaml --format json");
    ASSERT_EQ(predict.code, 0) << predict.err;
    const auto best = nlohmann::json::parse(plan.out)["plans"][0];
    auto again = nlohmann::json::parse(predict.out)["plan"];
    again["rank"] = 1;
    EXPECT_EQ(best, again);
}

TEST(Program, WritesAFileWholeAndLeavesNothingBeside) {
    const Folder place;
    const Outcome outcome = place.run(std::string(kPredict) + " -o result.json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(nlohmann::json::parse(content(place.path() / "result.json"))["schema"], "dodona/predict/1");
    EXPECT_EQ(files_in(place.path()), 1U);
}

TEST(Program, AnswersNoWithExitCodeOne) {
    const Folder place;
    const Outcome outcome = place.run(
        "plan gpt3-175b --machine workstation --gpus 1 --strategy serial --batch 1 "
        "--save none.yaml");
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_TRUE(outcome.out.starts_with("nothing fits: ")) << outcome.out;
    EXPECT_EQ(files_in(place.path()), 0U);
}

TEST(Program, PredictsWhatDoesNotFit) {
    const Folder place;
    const Outcome outcome = place.run(
        "predict gpt3-175b --machine workstation --gpus 1 --strategy serial --batch 1 "
        "--format json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_FALSE(nlohmann::json::parse(outcome.out)["plan"]["fits"].get<bool>());
}

TEST(Program, IsColouredOnlyWhenAskedOffATerminal) {
    const Folder place;
    EXPECT_EQ(place.run(kPredict, "FORCE_COLOR=1").out.find('\x1b'), std::string::npos);
    EXPECT_NE(place.run(std::string(kPredict) + " --color always").out.find('\x1b'), std::string::npos);
}

TEST(Program, SaysThatItsDataIsMissing) {
    const Folder place;
    const Outcome outcome = place.run("models", "DODONA_DATA=/nowhere");
    EXPECT_EQ(outcome.code, 3);
    EXPECT_EQ(outcome.err,
              "error: /nowhere does not hold dodona's models and machines; set DODONA_DATA to the folder that does\n");
}

TEST(Program, ReportsAFullDisk) {
    const Folder place;
    const Outcome outcome = place.run("strategies -o /dev/full");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, "error: /dev/full cannot be written: No space left on device\n");
}

TEST(Program, PrintsTheSameBytesTwice) {
    const Folder place;
    EXPECT_EQ(place.run(kPredict).out, place.run(kPredict).out);
}

TEST(Check, AcceptsEverythingThatComesWithDodona) {
    const Folder place;
    const Outcome outcome = place.run(
        "check \"$DODONA_SOURCE\"/models/*.yaml \"$DODONA_SOURCE\"/hardware/*/*.yaml "
        "\"$DODONA_SOURCE\"/oracle/plan/strategies/*.yaml");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
}

}  // namespace
}  // namespace dodona::cli::testing
