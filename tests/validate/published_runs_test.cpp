// Tables of published runs: a small one typed here, and the project's large one where it is at hand.
#include <algorithm>
#include <filesystem>

#include "plan/rules.hpp"
#include "runs.hpp"
#include "validate/comparison.hpp"

namespace dodona::validate::testing {
namespace published_runs_test {

Comparison compared(const std::string& path) {
    Questions asked = published_questions();
    return compare(files::load_runs(path, {}), asked, [](std::int64_t, std::int64_t) { return true; });
}

TEST(PublishedRuns, OfMegatronArePredicted) {
    const Comparison comparison = compared(root() + "/lab/evidence/tables/korthikanti-tab5.csv");
    ASSERT_EQ(comparison.rows.size(), 8U);
    for (const RunResult& row : comparison.rows) {
        EXPECT_EQ(row.refusal, "") << row.id;
        EXPECT_TRUE(row.fits.value_or(false)) << row.id;
        ASSERT_TRUE(row.error) << row.id;
        // Data sheets are optimistic; README says by how much.
        EXPECT_GT(*row.error, -0.45) << row.id;
        EXPECT_LT(*row.error, 0.05) << row.id;
    }
    ASSERT_EQ(comparison.groups.size(), 1U);
    EXPECT_EQ(comparison.groups[0].group, "korthikanti-tab5");
    EXPECT_EQ(comparison.groups[0].pair_accuracy, 1.0) << "selective recomputation is the faster one each time";
    EXPECT_EQ(comparison.overall.rows, 8);
}

TEST(PublishedRuns, StopWhenAsked) {
    Questions asked = published_questions();
    const auto runs = files::load_runs(root() + "/lab/evidence/tables/korthikanti-tab5.csv", {});
    const Comparison comparison = compare(runs, asked, [](std::int64_t done, std::int64_t) { return done < 3; });
    EXPECT_EQ(comparison.rows.size(), 3U);
    EXPECT_EQ(comparison.overall.rows, 3);
}

/// What rows may be refused for: models, machines and words that are not there yet.
const std::vector<std::string> kReasons{
    "unknown model *",
    "unknown cluster *",
    "unknown device *",
    "unknown strategy *",
    "optimizer \"*\" is not known",
    "strategy: no collective algorithm \"*\" is known",
    "strategy: * cannot be expressed: *",
    "recompute: \"*\" cannot be expressed: *",
    "model_overrides: *: the model has no such parameter*",
    "* has no * matrix units",
};

TEST(PublishedRuns, AreAllPredictedOrRefusedForAKnownReason) {
    const std::filesystem::path table = std::filesystem::path(root()) / "../shared/measured/runs.csv";
    if (!std::filesystem::exists(table)) {
        GTEST_SKIP() << "../shared/measured/runs.csv is not there";
    }
    const Comparison comparison = compared(table.string());
    EXPECT_EQ(comparison.rows.size(), 2006U);
    for (const RunResult& row : comparison.rows) {
        if (row.refusal.empty()) {
            ASSERT_TRUE(row.predicted) << row.id;
            EXPECT_GT(row.predicted->value, Seconds{}) << row.id;
            EXPECT_LE(row.predicted->lo, row.predicted->value) << row.id;
            EXPECT_GE(row.predicted->hi, row.predicted->value) << row.id;
        } else {
            EXPECT_TRUE(
                std::any_of(kReasons.begin(), kReasons.end(),
                            [&](const std::string& reason) { return plan::matches_pattern(row.refusal, reason); }))
                << row.id << ": " << row.refusal;
        }
    }
    EXPECT_EQ(comparison.overall.rows + comparison.overall.skipped, 2006);
    RecordProperty("predicted", static_cast<int>(comparison.overall.rows));
}

}  // namespace published_runs_test
}  // namespace dodona::validate::testing
