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

/// The matrix inside a network, where some optimizers update it otherwise.
const WeightSize kHidden{.elements = 3000, .rows = 100, .factors = 130, .touched = 0, .hidden = 3000};

/// Gate and up projection of Llama-2-7B, and a square one.
constexpr MatrixShape kWide{4096, 11008};
constexpr MatrixShape kSquare{4096, 4096};

std::vector<graph::Kernel> kernels(OptimizerKind kind, MatrixShape shape) {
    return optimizer(kind).hidden->kernels(shape);
}

/// Arithmetic of the matrix products of one update.
double products(OptimizerKind kind, MatrixShape shape) {
    double flops = 0;
    for (const graph::Kernel& kernel : kernels(kind, shape)) {
        flops += kernel.kind == graph::KernelKind::matmul ? kernel.times * kernel.flops.in(Flop::of_base(1)) : 0;
    }
    return flops;
}

/// ... and of its factorisations.
double factorised(OptimizerKind kind, MatrixShape shape) {
    double flops = 0;
    for (const graph::Kernel& kernel : kernels(kind, shape)) {
        flops += kernel.kind == graph::KernelKind::stream ? kernel.times * kernel.flops.in(Flop::of_base(1)) : 0;
    }
    return flops;
}

double kept(OptimizerKind kind, const WeightSize& size, Precision precision) {
    return kept_bytes(optimizer(kind), size, training_bytes(precision)).in(1_B);
}

double moved(OptimizerKind kind, Precision precision) {
    return update_traffic(optimizer(kind), kMatrix, training_bytes(precision)).in(1_B);
}

// Half of 4,096: P = M Q, R = M'P and two products of both, 2 * 4 m n r; the sketch, two triangular solves and P'P, 2 *
// 4.25 r r m.
TEST(Optimizers, DionIteratesOnABasisOfHalfTheSmallerSide) {
    const double m = 4096, n = 11008, r = 2048;
    EXPECT_DOUBLE_EQ(products(OptimizerKind::dion, kWide), 2 * (4 * m * n * r + 4.25 * r * r * m));
    EXPECT_DOUBLE_EQ(factorised(OptimizerKind::dion, kWide), 2.5 * r * r * r + r * r * r / 3);
    EXPECT_EQ(optimizer(OptimizerKind::dion).hidden->states(kWide).in(1_B), 4 * r * n);
    EXPECT_FALSE(optimizer(OptimizerKind::dion).hidden->whole);
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
    EXPECT_EQ(fp32(OptimizerKind::lion), 4 * 3000);
    EXPECT_EQ(fp32(OptimizerKind::adam_mini), 4 * 3000 + 4 * 100);
    EXPECT_EQ(fp32(OptimizerKind::schedule_free), 8 * 3000);
}

TEST(Optimizers, KeepOtherStatesOfMatricesInsideTheNetwork) {
    const auto fp32 = [](OptimizerKind kind) { return kept(kind, kHidden, Precision::fp32); };
    for (const OptimizerKind kind : {OptimizerKind::muon, OptimizerKind::muon_gram}) {
        EXPECT_EQ(fp32(kind), 4 * 3000) << "one momentum";
        EXPECT_EQ(kept(kind, kMatrix, Precision::fp32), 8 * 3000) << "AdamW elsewhere";
    }
    EXPECT_EQ(fp32(OptimizerKind::soap), 8 * 3000);
    EXPECT_EQ(fp32(OptimizerKind::galore), 0) << "moments are those of what is projected";
    EXPECT_EQ(fp32(OptimizerKind::adam), 8 * 3000) << "Adam makes no difference";
    WeightSize half = kHidden;
    half += kMatrix;
    EXPECT_EQ(kept(OptimizerKind::muon, half, Precision::bf16), 3000 * (4 + 4) + 3000 * (8 + 4));
}

TEST(Optimizers, KeepMatricesOfTheirOwn) {
    const auto further = [](OptimizerKind kind, MatrixShape shape) {
        return optimizer(kind).hidden->states(shape).in(1_B);
    };
    EXPECT_EQ(optimizer(OptimizerKind::muon).hidden->states, nullptr);
    // Statistics and basis of 4,096 rows, 4 bytes an entry; 11,008 columns are more than 10,000.
    EXPECT_EQ(further(OptimizerKind::soap, kWide), 2 * 4 * 4096.0 * 4096);
    EXPECT_EQ(further(OptimizerKind::soap, kSquare), 2 * 2 * 4 * 4096.0 * 4096);
    // Blocks of 4096 x 8192 and 4096 x 2816, each with statistics and root of both sides.
    EXPECT_EQ(further(OptimizerKind::shampoo, kWide), 2 * 4 * (2 * 4096.0 * 4096 + 8192.0 * 8192 + 2816.0 * 2816));
    EXPECT_EQ(further(OptimizerKind::shampoo, {16384, 8192}), 2 * 4 * 2 * (2 * 8192.0 * 8192)) << "two blocks";
    // A projection of 4,096 x 128 and two moments of 128 x 11,008.
    EXPECT_EQ(further(OptimizerKind::galore, kWide), 4 * 128 * (4096 + 2 * 11008));
    EXPECT_EQ(further(OptimizerKind::galore, {64, 100}), 4 * 64 * (64 + 2 * 100)) << "of rank 64 at most";
}

// Five times X X' and B X with 2 n n m operations each, and A A with 2 n n n; n = 4,096, m = 11,008.
TEST(NewtonSchulz, IsFiveTimesThreeProducts) {
    EXPECT_EQ(products(OptimizerKind::muon, kWide), 5 * (2 * 369'367'187'456.0 + 137'438'953'472.0));
    EXPECT_EQ(products(OptimizerKind::muon, {11008, 4096}), products(OptimizerKind::muon, kWide)) << "transposed";
    // Jordan et al.: of a square matrix T m / B of its training, 6 m m B operations; T = 5 iterations, B tokens.
    const double tokens = 1 << 20;
    EXPECT_DOUBLE_EQ(products(OptimizerKind::muon, kSquare) / (6 * 4096.0 * 4096 * tokens), 5 * 4096 / tokens);
    EXPECT_LT(products(OptimizerKind::muon, kWide) / (6 * 4096.0 * 11008 * tokens), 5 * 4096 / tokens);
}

// R = X X': 2 x 2 n n m to make it, as much to apply results, and 14 products of 2 n n n.
TEST(NewtonSchulz, IteratesOnTheSmallSideWithGram) {
    EXPECT_EQ(products(OptimizerKind::muon_gram, kWide), 4 * 369'367'187'456.0 + 14 * 137'438'953'472.0);
    EXPECT_EQ(products(OptimizerKind::muon_gram, kSquare), products(OptimizerKind::muon, kSquare));
    EXPECT_LT(products(OptimizerKind::muon_gram, kWide), products(OptimizerKind::muon, kWide));
}

TEST(NewtonSchulz, HoldsTwoMatricesAndTwoSquaresIn16Bits) {
    EXPECT_EQ(optimizer(OptimizerKind::muon).hidden->workspace(kWide).in(1_B),
              2 * (2 * 4096.0 * 11008 + 2 * 4096.0 * 4096));
}

TEST(Soap, ProjectsThriceAndRenewsItsBasesEveryTenSteps) {
    // For each side: statistics and three projections, 2 n n n each; a tenth of a power iteration.
    const double cube = 4096.0 * 4096 * 4096;
    EXPECT_DOUBLE_EQ(products(OptimizerKind::soap, kSquare), 2 * (4 * 2 * cube + 0.1 * 2 * cube));
    EXPECT_DOUBLE_EQ(factorised(OptimizerKind::soap, kSquare), 2 * 0.1 * 8 / 3 * cube);
    EXPECT_DOUBLE_EQ(products(OptimizerKind::soap, kWide), 4 * 2 * 4096.0 * 4096 * 11008 + 0.1 * 2 * cube)
        << "one side alone";
}

TEST(Shampoo, RenewsItsRootsEveryHundredSteps) {
    const double cube = 4096.0 * 4096 * 4096;
    EXPECT_DOUBLE_EQ(products(OptimizerKind::shampoo, kSquare), 2 * (2 * 2 * cube + 0.01 * 2 * cube));
    EXPECT_DOUBLE_EQ(factorised(OptimizerKind::shampoo, kSquare), 2 * 0.01 * 9 * cube);
    // Two blocks of half the rows: as much for columns, half as much for rows.
    const double block = 8192.0 * 8192 * 8192;
    EXPECT_DOUBLE_EQ(products(OptimizerKind::shampoo, {16384, 8192}), 2 * 2 * (2 * 2 * block + 0.01 * 2 * block));
}

TEST(GaLore, ProjectsToRank128AndDecomposesEvery200Steps) {
    EXPECT_DOUBLE_EQ(products(OptimizerKind::galore, kWide), 2 * 2 * 128.0 * 4096 * 11008);
    EXPECT_DOUBLE_EQ(factorised(OptimizerKind::galore, kWide),
                     (6 * 11008.0 * 4096 * 4096 + 20.0 * 4096 * 4096 * 4096) / 200);
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
    EXPECT_EQ((2.0 * kHidden).hidden, 6000);
    sum += kHidden;
    EXPECT_EQ(sum.hidden, 3000);
}

}  // namespace optimizer_test
}  // namespace dodona::plan::test
