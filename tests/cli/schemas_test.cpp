// Schemas of answers, as `dodona check --schemas` writes them.
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace schemas_test {

using nlohmann::json;
namespace fs = std::filesystem;

/// Files that references in a schema name.
void expect_there(const json& schema, const fs::path& folder) {
    if (schema.is_object() && schema.contains("$ref")) {
        const std::string to = schema["$ref"];
        const std::string file = to.substr(0, to.find('#'));
        if (!file.empty()) {
            std::ifstream stream(folder / file);
            ASSERT_TRUE(stream) << to;
            EXPECT_TRUE(json::parse(stream).contains(json::json_pointer(to.substr(to.find('#') + 1)))) << to;
        }
    }
    for (const json& part : schema) {
        if (part.is_structured()) {
            expect_there(part, folder);
        }
    }
}

TEST(Schemas, OfAnswersAreInOneFolderWithWhatTheyReferTo) {
    const Folder place;
    ASSERT_EQ(place.run("check --schemas schemas").code, 0);
    const fs::path folder = place.path() / "schemas";
    for (const std::string name :
         {"cache", "compare", "goodput", "largest", "limits", "model", "plan", "predict", "rollout", "simulate", "size",
          "tables", "threads", "trace", "trials", "trials-run", "validate"}) {  // described, and by hand
        std::ifstream stream(folder / (name + "-answer.schema.json"));
        ASSERT_TRUE(stream) << name;
        const json schema = json::parse(stream);
        EXPECT_EQ(schema["properties"]["schema"]["const"], "dodona/" + name + "/1");
        expect_there(schema, folder);
    }
    std::ifstream stream(folder / "goodput-answer.schema.json");
    EXPECT_EQ(json::parse(stream)["properties"]["plan"]["$ref"], "#/definitions/plan");
}

}  // namespace schemas_test
}  // namespace dodona::cli::testing
