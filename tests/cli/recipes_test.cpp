// Public recipes predicted from their own flags: the same numbers as from the row of the table of runs that they are of.
// recipes.txt has the rows (runs.csv) and the recipes, which name their source. Below each: its row; the machine, and the
// software that the table's conventions take for such a row; a tolerance, where Megatron pads a vocabulary to a multiple of
// 128 for each tensor rank (128,256 to 128,512) and the row names a network whose vocabulary is not padded. Rows do not say
// that gradients of fp16 are in fp16, as scripts do that lack --accumulate-allreduce-grads-in-fp32.
#include <cmath>
#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace recipes_test {

std::filesystem::path recipes() { return source() / "tests/cli/recipes.txt"; }

constexpr const char* kRows = "runs.csv";

/// What `dodona validate` predicts of each row, by its id.
std::map<std::string, double> predicted_from_rows() {
    const Folder place;
    cases::unpack(recipes(), kRows, place.path());
    const std::string conventions = (source() / "lab/evidence/conventions.yaml").string();
    const Outcome outcome =
        place.run(std::string("validate ") + kRows + " --conventions '" + conventions + "' --format json");
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
    const Folder place;
    std::size_t read = 0;
    for (const cases::Case& recipe : cases::read(recipes())) {
        if (recipe.name == kRows) {
            continue;
        }
        std::string row, options;
        std::istringstream expected(recipe.expected.at(0).text);
        std::getline(expected, row);
        std::getline(expected, options);
        double given = 0;
        const double tolerance = expected >> given ? given : 1e-9;
        cases::unpack(recipes(), recipe.name, place.path());
        const Outcome outcome = place.run("predict --from " + recipe.name + " " + options + " --format json");
        ASSERT_EQ(outcome.code, 0) << recipe.name << "\n" << outcome.err;
        EXPECT_EQ(outcome.err.find("not known to dodona"), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.err.find("not modelled"), std::string::npos) << outcome.err;
        const double step = nlohmann::json::parse(outcome.out)["plan"]["step_time_s"]["value"];
        EXPECT_NEAR(step / rows.at(row), 1, tolerance) << recipe.name << "\n" << outcome.err;
        ++read;
    }
    EXPECT_EQ(read, rows.size());
}

}  // namespace recipes_test
}  // namespace dodona::cli::testing
