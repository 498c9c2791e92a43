// Public recipes predicted from their own flags: the same numbers as from the row of the table of runs that they are of.
// recipes/*.sh, *.yaml and *.toml name their source; recipes/runs.csv has the rows.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace recipes_test {

namespace fs = std::filesystem;

struct Recipe {
    const char* file;
    const char* run;      ///< its row
    const char* options;  ///< the machine, and the software that the table's conventions take for such a row
    double tolerance = 1e-9;
};

/// Megatron pads a vocabulary to a multiple of 128 for each tensor rank, 128,256 to 128,512; the row names a network whose
/// vocabulary is not padded.
constexpr double kPadded = 1e-4;

const std::vector<Recipe> kRecipes{
    {"sc21-1.7b.sh", "MEGA-0001", "--machine selene --framework megatron-2021"},
    {"sc21-18b.sh", "MEGA-0004", "--machine selene --framework megatron-2021"},
    {"sc21-39b.sh", "MEGA-0005", "--machine selene --framework megatron-2021"},
    {"sc21-76b.sh", "MEGA-0006", "--machine selene --framework megatron-2021"},
    {"korthikanti-22b-full.sh", "MEGA-0055", "--machine selene --framework megatron-2021"},
    {"korthikanti-22b-selective.sh", "MEGA-0056", "--machine selene --framework megatron-2021"},
    {"korthikanti-175b-selective.sh", "MEGA-0058", "--machine selene --framework megatron-2021"},
    {"nemo-gpt3-20b.yaml", "NEMO-0295", "--machine dgx-h100 --framework megatron-2024"},
    {"nemo-gpt3-175b.yaml", "NEMO-0296", "--machine dgx-h100 --framework megatron-2024"},
    {"nemo-llama3-8b.yaml", "NEMO-0304", "--machine dgx-h100 --framework megatron-2024"},
    {"nemo-llama3-70b.yaml", "NEMO-0305", "--machine dgx-h100 --framework megatron-2024", kPadded},
    {"torchtitan-llama3-8b.toml", "TITAN-0003", "--machine dgx-h100 --gpus 128 --framework typical"},
};

fs::path folder() { return fs::path(std::getenv("DODONA_SOURCE")) / "tests/cli/recipes"; }

/// What `dodona validate` predicts of each row, by its id.
std::map<std::string, double> predicted_from_rows() {
    const Folder place;
    const fs::path conventions = fs::path(std::getenv("DODONA_SOURCE")) / "calibrate/evidence/conventions.yaml";
    const Outcome outcome = place.run("validate '" + (folder() / "runs.csv").string() + "' --conventions '" +
                                      conventions.string() + "' --format json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    std::map<std::string, double> steps;
    for (const auto& row : document["rows"]) {
        EXPECT_TRUE(row["refused"].is_null()) << row["refused"];
        steps[row["id"]] = row["predicted_s"];
    }
    return steps;
}

TEST(Recipes, AreReadAsTheirRows) {
    const std::map<std::string, double> rows = predicted_from_rows();
    ASSERT_EQ(rows.size(), kRecipes.size());
    for (const Recipe& recipe : kRecipes) {
        const Folder place;
        fs::copy_file(folder() / recipe.file, place.path() / recipe.file);
        const Outcome outcome =
            place.run("predict --from " + std::string(recipe.file) + " " + recipe.options + " --format json");
        ASSERT_EQ(outcome.code, 0) << recipe.file << "\n" << outcome.err;
        EXPECT_EQ(outcome.err.find("not known to dodona"), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.err.find("not modelled"), std::string::npos) << outcome.err;
        const double step = nlohmann::json::parse(outcome.out)["plan"]["step_time_s"]["value"];
        EXPECT_NEAR(step / rows.at(recipe.run), 1, recipe.tolerance) << recipe.file << "\n" << outcome.err;
    }
}

}  // namespace recipes_test
}  // namespace dodona::cli::testing
