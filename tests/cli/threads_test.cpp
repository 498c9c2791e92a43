// `dodona threads`: the unrolled LSTM of four layers and 64 steps, and what is asked for wrongly.
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace threads_test {

/// A folder with the LSTM in it.
class LstmFolder : public Folder {
public:
    LstmFolder() {
        std::ofstream(path() / "lstm.yaml") << "model: lstm\nsource: here\nparameters: {steps: 64}\n"
                                               "input: {words: {sequence: steps, feature: 1024}}\n"
                                               "layers: [{name: lstm, op: lstm, layers: 4, hidden: 1024}]\n";
    }

    [[nodiscard]] nlohmann::json asked(const std::string& words, int code = 0) const {
        const Outcome outcome = run("threads " + words + " --format json");
        EXPECT_EQ(outcome.code, code) << outcome.err;
        return nlohmann::json::parse(outcome.out);
    }
};

/// 4 x 64 cells in 4 + 64 - 1 depths. That the guideline beats 78 % of settings is the claim of the study that this
/// follows; its network and machine are not known.
TEST(Threads, OfTheLstmFollowItsWavefront) {
    const LstmFolder place;
    const nlohmann::json answer = place.asked("lstm.yaml --machine theta --cores 48")["forecast"];
    EXPECT_EQ(answer["operators"], 256);
    EXPECT_EQ(answer["depths"], 67);
    EXPECT_NEAR(answer["average_width"], 3.82, 0.005);
    EXPECT_EQ(answer["widest"], 4);
    EXPECT_EQ(answer["guideline"]["workers"], 4);
    EXPECT_EQ(answer["guideline"]["threads"], 12);
    EXPECT_GE(answer["beaten_within_cores"], 0.78);
    EXPECT_GE(answer["beaten_of_all"], 0.78);
    EXPECT_EQ(answer["none"]["workers"], 48);
    EXPECT_GT(answer["none"]["time_s"], answer["guideline"]["time_s"]);
    EXPECT_LE(answer["fixed"]["time_s"], answer["guideline"]["time_s"]);
    EXPECT_LE(answer["dynamic_s"], answer["fixed"]["time_s"]);
    EXPECT_EQ(answer["grid"].size(), 198U) << "the sum of 48 / k, rounded down";
    EXPECT_EQ(answer["kernels"], "data sheet");
    EXPECT_EQ(answer["costs"]["assumed"].size(), 6U);
}

/// One operator at a time all 4 x 8 cells wait for the serial parts of their two kernels: 64 x 1 us more.
TEST(Threads, CostsThatAreGivenCount) {
    const LstmFolder place;
    const std::string words = "lstm.yaml --machine theta --cores 48 --set steps=8 --fork 1us --barrier 1us";
    const nlohmann::json cheap = place.asked(words + " --serial 1us")["forecast"];
    const nlohmann::json dear = place.asked(words + " --serial 2us")["forecast"];
    EXPECT_EQ(cheap["costs"]["assumed"].size(), 3U);
    EXPECT_EQ(cheap["costs"]["serial_s"], 1e-6);
    EXPECT_NEAR(dear["chain"]["time_s"].get<double>() - cheap["chain"]["time_s"].get<double>(), 64e-6, 1e-9);
}

TEST(Threads, WhatDoesNotFitIsTold) {
    const Folder place;
    const Outcome outcome = place.run("threads gpt3-175b --machine theta");
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_NE(outcome.out.find("gpt3-175b does not fit on one knl-7230"), std::string::npos) << outcome.out;
}

TEST(Threads, WhatIsWrongIsTold) {
    const LstmFolder place;
    const auto told = [&](const std::string& words) {
        const Outcome outcome = place.run("threads " + words);
        EXPECT_EQ(outcome.code, 2) << outcome.out;
        return outcome.err;
    };
    EXPECT_NE(told("lstm.yaml --machine selene").find("a100-sxm4-80gb is no CPU"), std::string::npos);
    EXPECT_NE(told("lstm.yaml --machine theta --cores 65").find("65 are more than knl-7230 has"), std::string::npos);
    EXPECT_NE(told("lstm.yaml --machine theta --cores 0").find("--cores"), std::string::npos);
    EXPECT_NE(told("lstm.yaml --machine theta --fork 3").find("--fork"), std::string::npos);
    EXPECT_NE(told("lstm.yaml --machine theta --set steps=20000").find("more than 10000 operators"), std::string::npos);
    EXPECT_NE(told("lstm.yaml").find("--machine"), std::string::npos);
}

/// A table with a line a setting, of two networks.
void write_table(const Folder& place, const std::string& lines) {
    std::ofstream(place.path() / "runs.csv") << "network,workers,threads,lower_s,median_s,upper_s\n" << lines;
}

/// The prediction's own order of 1 x 1, 1 x 2 and 2 x 1 of theta's cores, in a table; the other network does not count.
TEST(Threads, AreComparedWithSettingsThatWereRun) {
    const LstmFolder place;
    write_table(place, "lstm,1,1,2.9,3,3.1\nlstm,2,1,1.9,2,2.1\nlstm,4,12,0.9,1,1.1\nother,1,1,1,1,1\n");
    const nlohmann::json answer = place.asked("lstm.yaml --machine theta --cores 48 --measured runs.csv");
    const nlohmann::json& measured = answer["measured"];
    EXPECT_EQ(measured["settings"].size(), 3U);
    EXPECT_EQ(measured["told_apart"], 3);
    EXPECT_EQ(measured["ranked"], 1.0);
    EXPECT_EQ(measured["guideline_s"], 1.0);
    EXPECT_EQ(measured["slower_than_guideline"], 2);
    EXPECT_EQ(measured["faster_than_guideline"], 0);
    EXPECT_GT(measured["settings"][0]["predicted_s"], measured["settings"][2]["predicted_s"]);
    EXPECT_TRUE(place.asked("lstm.yaml --machine theta --cores 48")["measured"].is_null());
    write_table(place, "lstm,1,1,1,3,5\nlstm,2,1,2,4,6\n");
    EXPECT_TRUE(place.asked("lstm.yaml --machine theta --cores 48 --measured runs.csv")["measured"]["ranked"].is_null())
        << "their quartiles overlap";
}

TEST(Threads, BeyondTheCoresAreTriedWhereAsked) {
    const LstmFolder place;
    const nlohmann::json grid =
        place.asked("lstm.yaml --machine theta --cores 2 --most 3 --set steps=8")["forecast"]["grid"];
    EXPECT_EQ(grid.size(), 9U);
    EXPECT_EQ(grid[8]["workers"], 3);
    EXPECT_EQ(grid[8]["threads"], 3);
}

TEST(Threads, TablesOfRunsWithFaultsAreRefusedWithTheirPlaces) {
    const LstmFolder place;
    const auto refused = [&](const std::string& lines) {
        write_table(place, lines);
        const Outcome outcome = place.run("threads lstm.yaml --machine theta --measured runs.csv");
        EXPECT_EQ(outcome.code, 2) << lines;
        return outcome.err;
    };
    EXPECT_NE(refused("lstm,1,1,1,fast,1\n").find("runs.csv:2:12: error: \"fast\" is no number"), std::string::npos);
    EXPECT_NE(refused("lstm,1.5,1,1,1,1\n").find("1.5 is no whole number"), std::string::npos);
    EXPECT_NE(refused("lstm,1,1,3,2,1\n").find("not between its quartiles"), std::string::npos);
    EXPECT_NE(refused("lstm,1,1,1,1,1\nlstm,1,1,1,1,1\n").find("a second line of this setting"), std::string::npos);
    EXPECT_NE(refused("other,1,1,1,1,1\n").find("no line is of the network lstm"), std::string::npos);
}

}  // namespace threads_test
}  // namespace dodona::cli::testing
