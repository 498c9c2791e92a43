// Measured memory of published runs, where the project's table of them is at hand: how far off, and what fits.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "runs.hpp"
#include "validate/comparison.hpp"

namespace dodona::validate::testing {
namespace measured_memory_test {

const std::string kTable = root() + "/../shared/measured/runs.csv";

/// Rows of one group, or of all; in the order of the table.
std::vector<files::MeasuredRun> measured(const std::string& group = {}) {
    std::vector<files::MeasuredRun> runs = files::load_runs(kTable, {});
    std::erase_if(runs, [&](const files::MeasuredRun& run) { return !group.empty() && run.group != group; });
    return runs;
}

Comparison compared(const std::vector<files::MeasuredRun>& runs) {
    Questions asked = published_questions();
    return compare(runs, asked, [](std::int64_t, std::int64_t) { return true; });
}

class MeasuredMemory : public ::testing::Test {
protected:
    void SetUp() override {
        if (!std::filesystem::exists(kTable)) {
            GTEST_SKIP() << kTable << " is not there";
        }
    }
};

// What torch.cuda.max_memory_allocated says of seven layouts of four models: tensor, pipeline, context and expert
// parallelism, nothing recomputed. 0.3 % on average, 1.1 % at most.
TEST_F(MeasuredMemory, OfMegatronCoreIsWithinAPercent) {
    const Comparison comparison = compared(measured("simumax-b200"));
    ASSERT_EQ(comparison.rows.size(), 17U);
    EXPECT_LT(comparison.groups.front().memory_mape.value_or(1), 0.005);
    for (const RunResult& row : comparison.rows) {
        ASSERT_TRUE(row.predicted_memory && row.measured_memory) << row.id;
        EXPECT_NEAR(*row.predicted_memory / *row.measured_memory, 1, 0.015) << row.id;
    }
}

// What nvidia-smi says of 47 prototypes of BLOOM, in printed GB: 4.5 % on average. Not BLOOM-0097, for which more is
// printed than for the same layout with twice the micro-batch.
TEST_F(MeasuredMemory, OfMegatronDeepSpeedIsWithinFivePercent) {
    const Comparison comparison = compared(measured("bloom"));
    EXPECT_LT(comparison.groups.front().memory_mape.value_or(1), 0.05);
    for (const RunResult& row : comparison.rows) {
        if (row.measured_memory && row.id != "BLOOM-0097") {
            EXPECT_NEAR(*row.predicted_memory / *row.measured_memory, 1, 0.17) << row.id;
        }
    }
}

// BLOOM-0252 did not fit although it has less of everything than prototypes that did: what else was on those devices
// is not said. BLOOM-0225, nearly all of it states, is predicted to leave 1 GiB of 79.
TEST_F(MeasuredMemory, TellsRunsThatFitFromThoseThatDidNot) {
    const std::vector<files::MeasuredRun> runs = measured("bloom");
    const Comparison comparison = compared(runs);
    std::int64_t did_not = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const bool fitted = runs[i].memory_kind != "oom";
        did_not += fitted ? 0 : 1;
        if (runs[i].id != "BLOOM-0252" && runs[i].id != "BLOOM-0225") {
            EXPECT_EQ(comparison.rows[i].fits, fitted) << runs[i].id;
        }
    }
    EXPECT_EQ(did_not, 6);
}

// Two rows print layouts that cannot have run: 70.6 billion 16-bit weights and gradients on one device, and 80 layers
// in flight with two samples each. Their recipe shards the weights and offloads activations, or runs one sample in
// five virtual stages (NVIDIA-NeMo/Megatron-Bridge: scripts/performance/configs/llama).
TEST_F(MeasuredMemory, OfEveryRunThatRanFits) {
    const std::set<std::string> contradictory{"NEMO-0165", "NEMO-0167"};
    const std::vector<files::MeasuredRun> runs = measured();
    const Comparison comparison = compared(runs);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const RunResult& row = comparison.rows[i];
        if (runs[i].step_time && row.refusal.empty() && contradictory.count(row.id) == 0) {
            EXPECT_TRUE(row.fits.value_or(false)) << row.id;
        }
    }
}

// NeMo's loss takes more than is modelled: 6 % less is predicted for 256,000 words.
TEST_F(MeasuredMemory, OfNeMoIsClose) {
    const Comparison fp8 = compared(measured("mlperf-llama8b"));
    EXPECT_LT(fp8.groups.front().memory_mape.value_or(1), 0.01);
    const Comparison wide = compared(measured("dgxc-nemotron4-h100"));
    EXPECT_LT(wide.groups.front().memory_mape.value_or(1), 0.07);
}

TEST_F(MeasuredMemory, OfNamedLayersIsAsked) {
    std::vector<files::MeasuredRun> runs = measured();
    std::erase_if(runs, [](const files::MeasuredRun& run) {
        return run.recompute.find("custom") == std::string::npos && run.recompute.find('[') == std::string::npos;
    });
    ASSERT_EQ(runs.size(), 14U);
    for (const RunResult& row : compared(runs).rows) {
        EXPECT_EQ(row.refusal, "") << row.id;
    }
}

}  // namespace measured_memory_test
}  // namespace dodona::validate::testing
