// Frameworks adjusted to a few runs of each user, and what that gains for the others.
#include "validate/anchors.hpp"

#include <algorithm>

#include "runs.hpp"
#include "step/predict.hpp"
#include "validate/comparison.hpp"

namespace dodona::validate::testing {
namespace anchors_test {

/// Four runs of one user at growing batches that take `longer` times as long as predicted, and one of another user.
std::vector<files::MeasuredRun> slow_runs(double longer) {
    std::vector<files::MeasuredRun> runs;
    Questions asked = questions();
    for (const int batch : {1, 2, 4, 8, 16}) {
        const Cells cells{{"id", "run" + std::to_string(batch)},
                          {"group", "own"},
                          {"framework", batch == 16 ? "other" : "NeMo"},
                          {"model", "llama-2-7b"},
                          {"input", "seq=4096"},
                          {"machine", "selene"},
                          {"gpus", "8"},
                          {"data", "8"},
                          {"shard", "states"},
                          {"precision", "bf16"},
                          {"strategy", "data"},
                          {"global_batch", std::to_string(8 * batch)}};
        files::MeasuredRun one = run(cells);
        const Question question = asked.of(one);
        one.step_time = longer * step::predict(*question.graph, *question.cluster, question.plan).step.value;
        runs.push_back(std::move(one));
    }
    return runs;
}

const Progress kGoOn = [](std::int64_t, std::int64_t) { return true; };

TEST(Anchors, PredictTheOtherRunsOfTheirUserBetter) {
    const std::vector<files::MeasuredRun> runs = slow_runs(1.3);
    Questions asked = questions();
    const Comparison before = compare(runs, asked, kGoOn);
    EXPECT_NEAR(*before.overall.mape, 1 - 1 / 1.3, 1e-9);
    const Comparison after = compare(runs, asked, kGoOn, 1);
    EXPECT_EQ(after.anchors, 2) << "one of each user";
    ASSERT_EQ(after.rows.size(), 3U);
    EXPECT_LT(*after.overall.mape, 0.6 * *before.overall.mape);
}

TEST(Anchors, LeaveLessUnknownWhereTheyMissedByLittle) {
    const std::vector<files::MeasuredRun> runs = slow_runs(1.1);
    Questions asked = questions();
    const Comparison before = compare(runs, asked, kGoOn);
    const Comparison after = compare(runs, asked, kGoOn, 1);
    ASSERT_EQ(after.rows.size(), 3U);
    for (const RunResult& row : after.rows) {
        const auto same = [&](const RunResult& other) { return other.id == row.id; };
        const RunResult& was = *std::find_if(before.rows.begin(), before.rows.end(), same);
        EXPECT_LT(row.predicted->hi / row.predicted->lo, was.predicted->hi / was.predicted->lo);
    }
}

TEST(Anchors, AreTheSameInAnyOrder) {
    std::vector<files::MeasuredRun> runs = slow_runs(1.1);
    Questions asked = questions();
    const auto ids = [&](const std::vector<files::MeasuredRun>& table) {
        std::set<std::string> left;
        for (const RunResult& row : compare(table, asked, kGoOn, 2).rows) {
            left.insert(row.id);
        }
        return left;
    };
    const std::set<std::string> found = ids(runs);
    EXPECT_EQ(found.size(), 2U) << "the other user has one run only";
    std::reverse(runs.begin(), runs.end());
    EXPECT_EQ(ids(runs), found);
}

TEST(Anchors, AreNoRunsThatCannotBeAsked) {
    std::vector<files::MeasuredRun> runs = slow_runs(1.1);
    for (files::MeasuredRun& one : runs) {
        one.step_time.reset();
    }
    Questions asked = questions();
    EXPECT_EQ(compare(runs, asked, kGoOn, 3).anchors, 0);
}

}  // namespace anchors_test
}  // namespace dodona::validate::testing
