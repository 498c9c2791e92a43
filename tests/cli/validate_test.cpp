// `dodona validate` on a small table, from the file to each format.
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace {

namespace fs = std::filesystem;

/// The table of tests/validate in the folder of the run.
void put_table(const Folder& place) {
    fs::copy_file(fs::path(std::getenv("DODONA_SOURCE")) / "tests/validate/published/korthikanti-tab5.csv", place.path() / "runs.csv");
}

void put(const Folder& place, const std::string& name, const std::string& text) {
    std::ofstream(place.path() / name, std::ios::binary) << text;
}

constexpr const char* kHeader = "id,group,model,global_batch,microbatch,machine,gpus,precision,strategy,step_time_s\n";

TEST(Validate, ComparesEveryRunOfATable) {
    const Folder place;
    put_table(place);
    const Outcome outcome = place.run("validate runs.csv --format json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(document["schema"], "dodona/validate/1");
    ASSERT_EQ(document["rows"].size(), 8U);
    for (const auto& row : document["rows"]) {
        const double predicted = row["predicted_s"];
        const double measured = row["measured_s"];
        EXPECT_LE(row["lo_s"], predicted);
        EXPECT_GE(row["hi_s"], predicted);
        EXPECT_NEAR(row["error"], predicted / measured - 1, 1e-12);
        EXPECT_TRUE(row["refused"].is_null());
    }
    EXPECT_EQ(document["rows"][0]["id"], "MEGA-0055");
    EXPECT_EQ(document["overall"]["rows"], 8);
    EXPECT_EQ(document["overall"]["skipped"], 0);
    EXPECT_EQ(document["overall"]["mape"], document["groups"][0]["mape"]);
}

TEST(Validate, PrintsTheSameRunsInEachFormat) {
    const Folder place;
    put_table(place);
    const std::string text = place.run("validate runs.csv").out;
    EXPECT_EQ(text.rfind("runs.csv: 8 of 8 runs predicted; mean error ", 0), 0U) << text;
    EXPECT_EQ(place.run("validate runs.csv -o errors.md").code, 0);
    EXPECT_NE(content(place.path() / "errors.md").find("| korthikanti-tab5 |"), std::string::npos);
    const std::string csv = place.run("validate runs.csv --format csv").out;
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 9);
    EXPECT_EQ(csv.rfind("id,group,predicted_s,lo_s,hi_s,measured_s,error,", 0), 0U);
}

TEST(Validate, SaysWhyItRefusesARun) {
    const Folder place;
    put(place, "runs.csv",
        std::string(kHeader) + "1,a,vgg16,8,8,abci,1,fp32,none,0.1\n2,a,vgg17,8,8,abci,1,fp32,none,0.1\n" +
            "3,b,vgg16,8,8,abci,4,fp32,gossip,0.1\n");
    const Outcome outcome = place.run("validate runs.csv --format json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto rows = nlohmann::json::parse(outcome.out)["rows"];
    EXPECT_TRUE(rows[0]["refused"].is_null());
    EXPECT_EQ(rows[1]["refused"], "unknown model \"vgg17\"; did you mean \"vgg16\"?");
    EXPECT_TRUE(rows[1]["predicted_s"].is_null());
    EXPECT_EQ(rows[2]["refused"], "strategy: \"gossip\" in this layout is not known");

    const Outcome none = place.run("validate runs.csv --group b");
    EXPECT_EQ(none.code, 1) << "no run of it can be predicted";
    EXPECT_NE(none.out.find("0 of 1 run predicted, 1 refused"), std::string::npos) << none.out;
}

TEST(Validate, TakesTheGroupsThatAreNamed) {
    const Folder place;
    put(place, "runs.csv",
        std::string(kHeader) + "1,alpha,vgg16,8,8,abci,1,fp32,none,0.1\n2,beta,vgg16,8,8,abci,1,fp32,none,0.1\n");
    const auto one = nlohmann::json::parse(place.run("validate runs.csv --group beta --format json").out);
    ASSERT_EQ(one["rows"].size(), 1U);
    EXPECT_EQ(one["rows"][0]["id"], "2");
    const Outcome unknown = place.run("validate runs.csv --group gama");
    EXPECT_EQ(unknown.code, 2);
    EXPECT_EQ(unknown.err, "error: --group: no run is of \"gama\"\n  help: groups of this table: alpha, beta\n");
}

TEST(Validate, LocatesWhatIsWrongWithATable) {
    const Folder place;
    put(place, "runs.csv", std::string(kHeader) + "1,a,vgg16,8,8,abci,one,fp32,none,0.1\n");
    const Outcome outcome = place.run("validate runs.csv");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err.rfind("runs.csv:2:20: error: gpus: \"one\" is not a whole number\n", 0), 0U) << outcome.err;
    EXPECT_EQ(place.run("validate runz.csv").err, "error: there is no file runz.csv\n");
    EXPECT_EQ(place.run("validate").code, 2);
}

}  // namespace
}  // namespace dodona::cli::testing
