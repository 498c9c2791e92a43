// `dodona validate` on a small table, from the file to each format.
#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace validate_test {

namespace fs = std::filesystem;

/// The table of tests/validate in the folder of the run.
void put_table(const Folder& place) {
    fs::copy_file(fs::path(std::getenv("DODONA_SOURCE")) / "lab/evidence/tables/korthikanti-tab5.csv",
                  place.path() / "runs.csv");
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

TEST(Validate, KnowsStrategiesAsPlansNameThem) {
    const Folder place;
    const auto times = [&](const std::string& rows) {
        put(place, "runs.csv",
            "id,model,global_batch,microbatch,machine,gpus,precision,strategy,shard,data,pipeline,step_time_s\n" +
                rows);
        const Outcome outcome = place.run("validate runs.csv --format json");
        std::vector<double> found;
        const nlohmann::json answer = nlohmann::json::parse(outcome.out);
        for (const auto& row : answer["rows"]) {
            found.push_back(row["predicted_s"].is_null() ? -1 : row["predicted_s"].get<double>());
        }
        return found;
    };
    const std::string job = ",gpt2,64,8,dgx-a100,8,bf16,";
    EXPECT_EQ(times("1" + job + "zero1,,8,1,0.1\n2" + job + "zero2,,8,1,0.1\n3" + job + "zero3,,8,1,0.1\n4" + job +
                    "pipeline,,2,4,0.1\n"),
              times("1" + job + "data,states,8,1,0.1\n2" + job + "data,gradients,8,1,0.1\n3" + job +
                    "data,parameters,8,1,0.1\n4" + job + "megatron,,2,4,0.1\n"));
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
    const std::string refused = rows[2]["refused"];
    EXPECT_EQ(refused.find("strategy: \"gossip\" is not known; these are: channel, data, "), 0) << refused;

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

TEST(Validate, TakesNetworksAndMachinesFromTables) {
    const Folder place;
    const fs::path tables = fs::path(std::getenv("DODONA_SOURCE")) / "tests/validate";
    fs::copy_file(tables / "models.csv", place.path() / "models.csv");
    fs::copy_file(tables / "machines.csv", place.path() / "machines.csv");
    const auto step = [&](const std::string& model, const std::string& machine, const std::string& options) {
        put(place, "runs.csv", std::string(kHeader) + "1,a," + model + ",8,8," + machine + ",1,bf16,none,1\n");
        return nlohmann::json::parse(place.run("validate runs.csv --format json " + options).out)["rows"][0];
    };
    const auto mine = step("my-llama", "my-a100", "--models models.csv --machines machines.csv");
    EXPECT_TRUE(mine["refused"].is_null()) << mine["refused"];
    const auto ours = step("llama-3.1-8b", "selene", "");
    EXPECT_EQ(mine["predicted_s"], ours["predicted_s"]);
    EXPECT_EQ(step("my-llama", "selene", "")["refused"], "unknown model \"my-llama\"");
    EXPECT_EQ(step("my-cnn", "selene", "--models models.csv")["refused"],
              "models.csv:15: family: cnn: a table has no column for the layers of a convolutional network; name a "
              "built-in one or a model file");
    EXPECT_EQ(place.run("validate runs.csv --models nowhere.csv").err, "error: there is no file nowhere.csv\n");
}

TEST(Validate, GroupsByAColumn) {
    const Folder place;
    put_table(place);
    const auto groups =
        nlohmann::json::parse(place.run("validate runs.csv --by recompute --format json").out)["groups"];
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0]["group"], "full");
    EXPECT_EQ(groups[1]["group"], "selective");
    EXPECT_EQ(groups[1]["rows"], 4);
    const Outcome unknown = place.run("validate runs.csv --by recmpute");
    EXPECT_EQ(unknown.code, 2);
    EXPECT_NE(unknown.err.find("did you mean \"recompute\"?"), std::string::npos) << unknown.err;
}

TEST(Validate, ShowsTheWorstRuns) {
    const Folder place;
    put_table(place);
    const std::string two = place.run("validate runs.csv --worst 2").out;
    EXPECT_NE(two.find("Worst runs"), std::string::npos);
    const std::string below = two.substr(two.find("Worst runs"));
    std::size_t rows = 0;
    for (std::size_t at = below.find("\n  MEGA-"); at != std::string::npos; at = below.find("\n  MEGA-", at + 1)) {
        ++rows;
    }
    EXPECT_EQ(rows, 2U) << below;
    EXPECT_NE(below.find("backward"), std::string::npos) << below;
}

TEST(Validate, RecordsErrorsAndStopsWhereTheyGrow) {
    const Folder place;
    put_table(place);
    EXPECT_EQ(place.run("validate runs.csv --record errors.md").code, 0);
    const Outcome same = place.run("validate runs.csv --gate errors.md");
    EXPECT_EQ(same.code, 0);
    EXPECT_EQ(same.err, "note: 1 recorded group as recorded or better, 0 worse\n");

    std::string page = content(place.path() / "errors.md");
    const std::size_t figure = page.rfind("mape: 0.") + 8;
    page.replace(figure, 2, "00");
    put(place, "better.md", page);
    const Outcome worse = place.run("validate runs.csv --gate better.md");
    EXPECT_EQ(worse.code, 1);
    EXPECT_NE(worse.err.find(": worse: korthikanti-tab5: mean error of time "), std::string::npos) << worse.err;

    put(place, "empty.md", "# Nothing\n");
    const Outcome none = place.run("validate runs.csv --gate empty.md");
    EXPECT_EQ(none.code, 2);
    EXPECT_EQ(none.err,
              "error: empty.md has no record of errors\n"
              "  help: `dodona validate RUNS --record FILE` writes such a page\n");
    put(place, "broken.md", "# Page\n\n```yaml\nrecorded: x\ngroups:\n  a: {rows: many}\n```\n");
    EXPECT_EQ(place.run("validate runs.csv --gate broken.md").err.rfind("broken.md:6:13: error: ", 0), 0U)
        << place.run("validate runs.csv --gate broken.md").err;
}

TEST(Validate, TakesConventionsOfTheUser) {
    const Folder place;
    const std::string header = "id,group,model,global_batch,microbatch,machine,gpus,precision,strategy,framework\n";
    put(place, "runs.csv", header + "1,a,vgg16,32,8,abci,4,fp32,gossip,ours\n");
    EXPECT_EQ(place.run("validate runs.csv").code, 1) << "nobody says what gossip is";
    fs::create_directories(place.path() / "words/frameworks");
    put(place, "words/mine.yaml",
        "conventions: mine\nsource: ours\n"
        "strategies: [{when: {strategy: gossip}, use: data, mesh: {data: gpus}}]\n"
        "frameworks: [{when: {framework: ours}, use: slow}]\n");
    const auto predicted = [&](const std::string& seconds) -> double {
        put(place, "words/frameworks/slow.yaml",
            "framework: slow\nsource: ours\nparameters: {step: {value: " + seconds + " s, source: ours}}\n");
        const Outcome outcome = place.run("validate runs.csv --conventions words/mine.yaml --format json");
        EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
        return nlohmann::json::parse(outcome.out)["rows"][0]["predicted_s"];
    };
    EXPECT_NEAR(predicted("8") - predicted("5"), 3, 1e-9) << "the framework beside the conventions";

    put(place, "words/broken.yaml", "conventions: mine\nsource: ours\noptimizers: [{when: {modl: x}, use: adam}]\n");
    EXPECT_EQ(place.run("validate runs.csv --conventions words/broken.yaml").err.rfind("words/broken.yaml:3:", 0), 0U)
        << place.run("validate runs.csv --conventions words/broken.yaml").err;
    EXPECT_EQ(place.run("validate runs.csv --conventions none.yaml").err, "error: there is no file none.yaml\n");
}

TEST(Validate, CountsARunOfSeveralTablesOnce) {
    const Folder place;
    put_table(place);
    put(place, "more.csv",
        "id,group,model,global_batch,microbatch,machine,gpus,precision,strategy,step_time_s\n"
        "MEGA-0055,other,vgg16,8,8,abci,1,fp32,none,0.1\nV-1,other,vgg16,8,8,abci,1,fp32,none,0.1\n");
    const Outcome both = place.run("validate runs.csv more.csv --format json");
    EXPECT_EQ(both.err, "note: 1 run in more than one table, counted once\n");
    EXPECT_EQ(nlohmann::json::parse(both.out)["rows"].size(), 9U);
}

TEST(Validate, ReadsTablesOfOtherPrograms) {
    const Folder place;
    const std::string row = "1,a,vgg16,8,8,abci,1,fp32,none,0.1\n";
    put(place, "bom.csv", "\xef\xbb\xbf" + std::string(kHeader) + row);
    EXPECT_EQ(place.run("validate bom.csv").code, 0) << place.run("validate bom.csv").err;
    std::string crlf = kHeader + row;
    for (std::size_t at = 0; (at = crlf.find('\n', at)) != std::string::npos; at += 2) {
        crlf.replace(at, 1, "\r\n");
    }
    put(place, "crlf.csv", crlf);
    EXPECT_EQ(place.run("validate crlf.csv").code, 0) << place.run("validate crlf.csv").err;
    std::string semicolons = kHeader + row;
    std::replace(semicolons.begin(), semicolons.end(), ',', ';');
    put(place, "semicolons.csv", semicolons);
    EXPECT_NE(place.run("validate semicolons.csv").err.find("help: cells are separated by commas"), std::string::npos);
    put(place, "header.csv", kHeader);
    EXPECT_EQ(place.run("validate header.csv").code, 1) << "no runs at all";
    put(place, "empty.csv", "");
    EXPECT_EQ(place.run("validate empty.csv").err, "empty.csv: error: empty: nothing to read\n");
    EXPECT_EQ(place.run("validate header.csv -o nowhere/errors.md").code, 2);
}

}  // namespace validate_test
}  // namespace dodona::cli::testing
