// `dodona report` and `dodona diff` as a user runs them: files that are read back, gone on with, compared.
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace report_test {

constexpr const char* kReport = "report alexnet --machine abci --batch 64 --strategy data,filter ";

TEST(Report, IsShownAgainFromItsFile) {
    const Folder place;
    const Outcome made = place.run(std::string(kReport) + "--gpus 1..16 -o a.json");
    ASSERT_EQ(made.code, 0) << made.err;
    const Outcome direct = place.run(std::string(kReport) + "--gpus 1..16");
    EXPECT_EQ(place.run("report --from a.json").out, direct.out);
    EXPECT_EQ(place.run("report --from a.json --format json").out, content(place.path() / "a.json"));
    EXPECT_EQ(place.run("report --from a.json --gpus 4").code, 2);
}

TEST(Report, IsTheSameWithAnyNumberOfThreads) {
    const Folder place;
    const std::string words = std::string(kReport) + "--gpus 1..16 --batch-per-gpu 8 --format json --threads ";
    EXPECT_EQ(place.run(words + "1").out, place.run(words + "3").out);
}

TEST(Report, GoesOnWhereItStopped) {
    const Folder place;
    ASSERT_EQ(place.run(std::string(kReport) + "--gpus 1..16 -o whole.json").code, 0);
    ASSERT_EQ(place.run(std::string(kReport) + "--gpus 1..4 -o part.json").code, 0);
    const Outcome more = place.run(std::string(kReport) + "--gpus 1..16 --resume -o part.json");
    EXPECT_EQ(more.code, 0) << more.err;
    EXPECT_EQ(more.err, "note: 9 points were finished before\n");
    EXPECT_EQ(content(place.path() / "part.json"), content(place.path() / "whole.json"));
    const Outcome other =
        place.run("report alexnet --machine abci --batch 64 --strategy data --gpus 1..4 --resume -o part.json");
    EXPECT_EQ(other.code, 2);
    EXPECT_NE(other.err.find("is a report of another question or version"), std::string::npos) << other.err;
    EXPECT_EQ(place.run(std::string(kReport) + "--gpus 1..4 --resume").code, 2);
}

TEST(Report, DoesNotGoOnWithPointsThatAreWrong) {
    const Folder place;
    ASSERT_EQ(place.run(std::string(kReport) + "--gpus 1..4 -o part.json").code, 0);
    auto changed = nlohmann::ordered_json::parse(content(place.path() / "part.json"));
    auto& step = changed["scalings"][0]["strategies"][0]["points"][0]["plan"]["step_time_s"]["value"];
    step = 2 * step.get<double>();
    std::ofstream(place.path() / "part.json") << changed.dump();
    const Outcome more = place.run(std::string(kReport) + "--gpus 1..8 --resume -o part.json");
    EXPECT_EQ(more.code, 2);
    EXPECT_NE(more.err.find("is not what is computed now"), std::string::npos) << more.err;
}

TEST(Report, WritesItsImagesBesideAMarkdownPage) {
    const Folder place;
    ASSERT_EQ(place.run(std::string(kReport) + "--gpus 1..4 -o page.md").code, 0);
    const std::string page = content(place.path() / "page.md");
    for (const char* name :
         {"page-strong-scaling.svg", "page-time.svg", "page-memory.svg", "page-front.svg", "page-step.svg"}) {
        EXPECT_NE(page.find(name), std::string::npos) << name;
        EXPECT_TRUE(content(place.path() / name).starts_with("<svg ")) << name;
    }
}

TEST(Report, SaysWhatThereIsWithoutTheScriptsOfCharts) {
    const Folder place;
    const Outcome outcome =
        place.run(std::string(kReport) + "--gpus 1..4 -o page.html", "DODONA_REPORT_SCRIPTS=/nowhere");
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.err.find("-o FILE.md"), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(place.path() / "page.html"));
}

TEST(Report, ShowsMeasuredRunsOfItsModelAndMachine) {
    const Folder place;
    std::ofstream(place.path() / "runs.csv")
        << "id,model,input,global_batch,microbatch,machine,gpus,precision,strategy,data,step_time_s\n"
        << "a,alexnet,image=3x227x227,64,8,abci,8,fp16,data,8,0.05\n"
        << "b,resnet50,image=3x224x224,64,8,abci,8,fp16,data,8,0.05\n"
        << "c,alexnet,image=3x227x227,64,8,abci,8,fp16,magic,8,0.05\n";
    const Outcome outcome = place.run(std::string(kReport) + "--gpus 1..8 --measured runs.csv --format json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto report = nlohmann::json::parse(outcome.out);
    ASSERT_EQ(report["measured"].size(), 1U) << report["measured_notes"];
    EXPECT_EQ(report["measured"][0]["id"], "a");
    EXPECT_GT(report["measured"][0]["predicted_s"]["value"], 0);
    EXPECT_EQ(report["measured_notes"].size(), 2U) << "another model, and a strategy that there is not";
}

TEST(Diff, ExitsWithOneWhereReportsDiffer) {
    const Folder place;
    ASSERT_EQ(place.run(std::string(kReport) + "--gpus 1..4 -o a.json").code, 0);
    ASSERT_EQ(place.run(std::string(kReport) + "--gpus 1..4 --precision fp32 -o b.json").code, 0);
    EXPECT_EQ(place.run("diff a.json a.json").code, 0);
    EXPECT_EQ(place.run("diff a.json b.json").code, 1);
    EXPECT_EQ(place.run("diff a.json b.json --tolerance 100").code, 0);
    EXPECT_EQ(place.run("diff a.json").code, 2);
}

}  // namespace report_test
}  // namespace dodona::cli::testing
