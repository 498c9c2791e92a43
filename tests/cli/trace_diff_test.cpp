// `dodona diff TRACE PREDICTION`: a trace of the PyTorch profiler and one of Chakra beside predictions. The answers are in
// traces/*.txt; DODONA_ACCEPT=1 writes them.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace trace_diff_test {

namespace fs = std::filesystem;

fs::path traces() { return fs::path(std::getenv("DODONA_SOURCE")) / "tests/cli/traces"; }

const std::string kPlan =
    "llama-3.1-8b --machine dgx-h100 --gpus 16 --batch 64 --strategy zero2 --software composer-fsdp";

/// A folder with zero2.json, two steps of kernels as PyTorch 2.8 names them.
class Traced : public ::testing::Test {
protected:
    Traced() { fs::copy_file(traces() / "zero2.json", place.path() / "zero2.json"); }
    Folder place;
};

void expect_golden(const std::string& name, const std::string& now) {
    const fs::path path = traces() / (name + ".txt");
    const char* accept = std::getenv("DODONA_ACCEPT");
    if (accept != nullptr && std::string(accept) == "1") {
        std::ofstream(path, std::ios::binary) << now;
    }
    EXPECT_EQ(now, content(path));
}

TEST_F(Traced, ShowsWhichPartIsOff) {
    const Outcome outcome = place.run("diff zero2.json " + kPlan);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    expect_golden("zero2", outcome.out);
}

TEST_F(Traced, TakesAPredictionFromItsFileAsFromItsOptions) {
    ASSERT_EQ(place.run("predict " + kPlan + " --json -o prediction.json").code, 0);
    ASSERT_EQ(place.run("predict " + kPlan + " -o prediction.html", "DODONA_REPORT_SCRIPTS=/nowhere").code, 0);
    const auto asked = nlohmann::json::parse(place.run("diff zero2.json " + kPlan + " --json").out);
    for (const char* file : {"prediction.json", "prediction.html"}) {
        auto written = nlohmann::json::parse(place.run("diff zero2.json " + std::string(file) + " --json").out);
        EXPECT_EQ(written["prediction"], file);
        written["prediction"] = asked["prediction"];
        EXPECT_EQ(written, asked) << file;
    }
}

TEST_F(Traced, ReadsCompressedTraces) {
    ASSERT_EQ(std::system(("gzip -k '" + (place.path() / "zero2.json").string() + "'").c_str()), 0);
    const std::string plain = place.run("diff zero2.json " + kPlan).out;
    const std::string packed = place.run("diff zero2.json.gz " + kPlan).out;
    EXPECT_EQ(packed.substr(packed.find('\n')), plain.substr(plain.find('\n')));
}

TEST_F(Traced, ExitsWith1WhereTheStepIsOutsideOfTheIntervalOrTheTolerance) {
    EXPECT_EQ(place.run("diff zero2.json " + kPlan + " --tolerance 0.01").code, 1);
    EXPECT_EQ(place.run("diff zero2.json " + kPlan + " --tolerance 0.05").code, 0);
    const Outcome other = place.run(
        "diff zero2.json llama-3.1-8b --machine dgx-h100 --gpus 16 --batch 16 --strategy zero2 --software "
        "composer-fsdp");
    EXPECT_EQ(other.code, 1);
    EXPECT_NE(other.out.find("the traced step is outside of the predicted interval"), std::string::npos) << other.out;
}

TEST_F(Traced, AddsUpToTheStepInEveryFormat) {
    const auto answer = nlohmann::json::parse(place.run("diff zero2.json " + kPlan + " --json").out);
    double traced = 0;
    double predicted = 0;
    for (const auto& part : answer["parts"]) {
        traced += part["traced_s"].get<double>();
        predicted += part["predicted_s"].get<double>();
    }
    EXPECT_NEAR(traced, answer["traced_step_s"]["value"].get<double>(), 1e-9);
    EXPECT_NEAR(predicted, answer["predicted_step_s"]["value"].get<double>(), 1e-9);
    EXPECT_EQ(answer["most_off"], "attention");
    const std::string csv = place.run("diff zero2.json " + kPlan + " --format csv").out;
    EXPECT_NE(csv.find("attention,"), std::string::npos) << csv;
}

TEST(Chakra, IsReadBackFromWhatSimulateWrites) {
    const Folder place;
    ASSERT_EQ(place.run("simulate " + kPlan + " --chakra et --chakra-ranks 1").code, 0);
    const Outcome outcome = place.run("diff et/step.0.et " + kPlan);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    expect_golden("chakra", outcome.out);
}

TEST_F(Traced, SaysWhatIsMissingOrTooMuch) {
    ASSERT_EQ(place.run("predict " + kPlan + " --json -o prediction.json").code, 0);
    ASSERT_EQ(place.run("report alexnet --machine abci --batch 64 --strategy data --gpus 1..2 -o report.json").code, 0);
    std::ofstream(place.path() / "cut.json") << content(place.path() / "zero2.json").substr(0, 9000);
    std::ofstream(place.path() / "empty.json") << R"({"schema": "dodona/predict/1", "plan": {}})";
    std::string now;
    for (const char* command :
         {"diff zero2.json", "diff zero2.json prediction.json --gpus 4", "diff prediction.json zero2.json",
          "diff zero2.json report.json", "diff zero2.json empty.json", "diff cut.json prediction.json",
          "diff report.json report.json --machine abci", "diff zero2.json prediction.json --tolerance x"}) {
        const Outcome outcome = place.run(command);
        EXPECT_EQ(outcome.code, 2) << command;
        now += std::string("$ dodona ") + command + "\n" + outcome.err;
    }
    expect_golden("refused", now);
}

}  // namespace trace_diff_test
}  // namespace dodona::cli::testing
