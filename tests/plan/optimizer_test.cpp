// What optimizers keep and move: every row of the table, bytes worked out by hand.
#include "plan/optimizer.hpp"

#include <gtest/gtest.h>

#include "base/quantity.hpp"

namespace dodona::plan::test {
namespace optimizer_test {

using namespace dodona::literals;

/// A matrix of 100 rows and 30 columns; its gradient is dense.
const WeightSize kMatrix{.elements = 3000, .rows = 100, .factors = 130};
/// The same as a table of which a micro-batch touches ten rows.
const WeightSize kTable{.elements = 3000, .rows = 100, .factors = 130, .touched = 300};

double kept(OptimizerKind kind, const WeightSize& size, Precision precision) {
    return kept_bytes(optimizer(kind), size, training_bytes(precision)).in(1_B);
}

double moved(OptimizerKind kind, Precision precision) {
    return update_traffic(optimizer(kind), kMatrix, training_bytes(precision)).in(1_B);
}

TEST(Optimizers, HaveARowAndAWordEach) {
    EXPECT_EQ(optimizers().size(), kOptimizerKinds.size());
    for (const OptimizerKind kind : kOptimizerKinds) {
        EXPECT_EQ(optimizer(kind).kind, kind);
        EXPECT_EQ(optimizer_from(name(kind)), kind);
        EXPECT_FALSE(optimizer(kind).source.empty());
    }
    EXPECT_EQ(optimizer_from("adan"), std::nullopt);
}

TEST(Optimizers, KeepTheirStates) {
    const auto fp32 = [](OptimizerKind kind) { return kept(kind, kMatrix, Precision::fp32); };
    EXPECT_EQ(fp32(OptimizerKind::sgd), 0);
    EXPECT_EQ(fp32(OptimizerKind::momentum), 4 * 3000);
    EXPECT_EQ(fp32(OptimizerKind::adam), 8 * 3000);
    EXPECT_EQ(fp32(OptimizerKind::adamw), 8 * 3000);
    EXPECT_EQ(fp32(OptimizerKind::lars), 4 * 3000);
    EXPECT_EQ(fp32(OptimizerKind::lamb), 8 * 3000);
    EXPECT_EQ(fp32(OptimizerKind::adagrad), 4 * 3000);
    EXPECT_EQ(fp32(OptimizerKind::rowwise_adagrad), 4 * 3000) << "a matrix that is no table has full states";
    // Rows and columns: 130 numbers instead of 3000.
    EXPECT_EQ(fp32(OptimizerKind::adafactor), 4 * 130);
    // Two bytes, and two scales of four bytes for every 2,048 elements.
    EXPECT_EQ(fp32(OptimizerKind::adam_bf16), 4 * 3000) << "two states of two bytes";
    EXPECT_EQ(fp32(OptimizerKind::adam_bf16_moments), 4 * 3000);
    EXPECT_DOUBLE_EQ(fp32(OptimizerKind::adam_8bit), 2 * 3000 + 8 * 3000.0 / 2048);
}

TEST(Optimizers, KeepAMasterCopyBesideHalfPrecisionWeights) {
    for (const OptimizerKind kind : kOptimizerKinds) {
        const double master = kind == OptimizerKind::adam_bf16 ? 0 : 4 * 3000;
        EXPECT_DOUBLE_EQ(kept(kind, kMatrix, Precision::bf16), kept(kind, kMatrix, Precision::fp32) + master)
            << name(kind);
    }
    // Korthikanti et al.: 12 of Adam's 18 bytes a parameter are states and master copy.
    EXPECT_EQ(kept(OptimizerKind::adam, kMatrix, Precision::bf16), 12 * 3000);
    // DeepSeek-V3: master weights in fp32, both moments in bf16.
    EXPECT_EQ(kept(OptimizerKind::adam_bf16_moments, kMatrix, Precision::bf16), (4 + 2 + 2) * 3000);
}

TEST(RowwiseAdagrad, KeepsOneNumberARowOfATableAndNoMasterCopy) {
    EXPECT_EQ(kept(OptimizerKind::rowwise_adagrad, kTable, Precision::fp32), 4 * 100);
    EXPECT_EQ(kept(OptimizerKind::rowwise_adagrad, kTable, Precision::bf16), 4 * 100);
    EXPECT_EQ(kept(OptimizerKind::adagrad, kTable, Precision::bf16), 8 * 3000);
}

// Read the gradient (4), read and write states and master (2 * kept), write the weight; read it where it has no master.
TEST(AnUpdate, MovesStatesTwiceGradientAndWeightOnce) {
    EXPECT_EQ(moved(OptimizerKind::sgd, Precision::fp32), 3000 * (4 + 4 + 4));
    EXPECT_EQ(moved(OptimizerKind::adam, Precision::fp32), 3000 * (16 + 4 + 4 + 4));
    EXPECT_EQ(moved(OptimizerKind::adam, Precision::bf16), 3000 * (2 * 12 + 4 + 2));
    EXPECT_EQ(moved(OptimizerKind::adafactor, Precision::fp32), 8 * 130 + 3000 * (3 * 4 + 4 + 4 + 4));
}

TEST(AnUpdate, ReadsWeightAndGradientAgainForNorms) {
    const double plain = moved(OptimizerKind::momentum, Precision::bf16);
    EXPECT_EQ(moved(OptimizerKind::lars, Precision::bf16) - plain, 3000 * (4 + 4));
    // LAMB: the master copy for its norm and for the second stage; the update written, read for its norm and applied.
    const double adam = moved(OptimizerKind::adam, Precision::bf16);
    EXPECT_EQ(moved(OptimizerKind::lamb, Precision::bf16) - adam, 3000 * (2 * 4 + 3 * 4));
}

TEST(WeightSizes, AddUpAndScale) {
    WeightSize sum = 2.0 * kTable;
    sum += kMatrix;
    EXPECT_EQ(sum.elements, 9000);
    EXPECT_EQ(sum.rows, 300);
    EXPECT_EQ(sum.factors, 390);
    EXPECT_EQ(sum.touched, 600);
}

}  // namespace optimizer_test
}  // namespace dodona::plan::test
