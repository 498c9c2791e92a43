// What a framework makes of the kernels of a layer: formats, casts, the gradient buffer.
#include "step/kernel_cost.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace dodona::step {
namespace kernel_cost_test {

using graph::Kernel;
using graph::KernelKind;
using namespace dodona::literals;

/// 100 TFLOP/s in 16 bits, 200 in 8; 1 TB/s; nothing starts, no tiles.
cluster::Device device() {
    cluster::Device device;
    device.name = "simple";
    device.source = "test";
    device.matrix = {{Precision::bf16, 100_TFLOP_per_s}, {Precision::fp8, 200_TFLOP_per_s}};
    device.memory_bandwidth = 1000_GB_per_s;
    return device;
}

plan::Plan plan_in(Precision precision) {
    plan::Plan plan;
    plan.precision = precision;
    return plan;
}

double micro(const PassCost& cost) { return cost.compute.value.in(1_us); }

const Kernel kProduct = graph::matmul(4096, 4096, 4096);  // 2 * 4096^3 = 137.44 GFLOP
constexpr double kIn16Bits = 2.0 * 4096 * 4096 * 4096 / 100e6;

TEST(KernelCost, NarrowFormatsAreForProductsOfBlocks) {
    const cluster::Device on = device();
    const plan::Plan plan = plan_in(Precision::fp8);
    KernelCost kernels(on, plan, false);
    EXPECT_NEAR(micro(kernels.alone({kProduct}, true)), kIn16Bits / 2, 1e-6);
    EXPECT_NEAR(micro(kernels.alone({kProduct}, false)), kIn16Bits, 1e-6) << "embeddings and heads keep 16 bits";
    Kernel attention = kProduct;
    attention.kind = KernelKind::attention;
    EXPECT_NEAR(micro(kernels.alone({attention}, true)), kIn16Bits, 1e-6) << "attention does";
}

// Four bytes of each of 4096^2 elements of the operand that changes with the micro-batch: 67.1 MB at 1 TB/s, 67.1 us.
TEST(KernelCost, CastsTheOperandThatChanges) {
    const cluster::Device on = device();
    plan::Plan plan = plan_in(Precision::fp8);
    plan.framework.number(plan::FrameworkParameter::cast).value = 4;
    KernelCost kernels(on, plan, false);
    const double casts = 4.0 * 4096 * 4096 / 1e6;
    const PassCost with = kernels.with_casts({kProduct}, true, true);
    EXPECT_NEAR(micro(with) - micro(kernels.alone({kProduct}, true)), casts, 1e-6);
    EXPECT_EQ(with.launches, 2);
    EXPECT_NEAR(micro(kernels.with_casts({kProduct}, false, true)), kIn16Bits, 1e-6) << "nothing to cast in 16 bits";
}

// Three products at a time, twice: six times 256 x 512 elements of a byte.
TEST(KernelCost, CastsEveryProductOfABatch) {
    const cluster::Device on = device();
    plan::Plan plan = plan_in(Precision::fp8);
    plan.framework.number(plan::FrameworkParameter::cast).value = 1;
    KernelCost kernels(on, plan, false);
    Kernel product = graph::matmul(256, 1024, 512);
    product.batch = 3;
    product.times = 2;
    const double alone = micro(kernels.alone({product}, true));
    EXPECT_NEAR(micro(kernels.with_casts({product}, true, true)) - alone, 6 * 256 * 512 / 1e6, 1e-9);
    EXPECT_EQ(kernels.with_casts({product}, true, true).launches, 4);
}

// 24 steps of cells, and a product, which has none: 24 * 50 us more, all of it the software's.
TEST(KernelCost, SoftwareRunsCellsOperatorByOperator) {
    const cluster::Device on = device();
    plan::Plan plan = plan_in(Precision::bf16);
    Kernel cells = kProduct;
    cells.kind = KernelKind::recurrent;
    cells.times = 24;
    const PassCost fused = KernelCost(on, plan, false).alone({cells, kProduct}, true);
    plan.framework.number(plan::FrameworkParameter::recurrent_overhead).value = 50e-6;
    const PassCost run = KernelCost(on, plan, false).alone({cells, kProduct}, true);
    EXPECT_NEAR(micro(run) - micro(fused), 24 * 50, 1e-6);
    EXPECT_NEAR(run.by_source[cost::ErrorSource::recurrent_overhead].value.in(1_us), 24 * 50, 1e-6);
    EXPECT_EQ(fused.by_source[cost::ErrorSource::recurrent_overhead].value.in(1_us), 0);
}

// A thin product of dW is bound by memory: 4096^2 results in 2 bytes, or in the 4 of an fp32 buffer, read and written
// where there are several micro-batches.
TEST(KernelCost, WritesWeightGradientsIntoTheirBuffer) {
    const cluster::Device on = device();
    const plan::Plan plan = plan_in(Precision::bf16);
    const Kernel thin = graph::matmul(4096, 4096, 16);
    const double operands = 2.0 * 2 * 4096 * 16;
    const double results = 4096.0 * 4096;
    KernelCost once(on, plan, false);
    EXPECT_NEAR(micro(once.alone({thin}, true)), (operands + 2 * results) / 1e6, 1e-6);
    EXPECT_NEAR(micro(once.into_gradients({thin}, true)), (operands + 4 * results) / 1e6, 1e-6);
    KernelCost several(on, plan, true);
    EXPECT_NEAR(micro(several.into_gradients({thin}, true)), (operands + 8 * results) / 1e6, 1e-6);
    plan::Plan half = plan;
    half.gradient_precision = Precision::bf16;
    KernelCost narrow(on, half, true);
    EXPECT_NEAR(micro(narrow.into_gradients({thin}, true)), (operands + 4 * results) / 1e6, 1e-6);
}

TEST(KernelCost, SlowsKernelsDownByKind) {
    const cluster::Device on = device();
    plan::Plan plan = plan_in(Precision::bf16);
    plan.framework.number(plan::FrameworkParameter::matmul).value = 1.25;
    KernelCost kernels(on, plan, false);
    EXPECT_NEAR(micro(kernels.alone({kProduct}, true)), 1.25 * kIn16Bits, 1e-6);
    const Kernel stream = graph::stream(1e9);
    EXPECT_NEAR(micro(kernels.alone({stream}, true)), 2000, 1e-6);
    EXPECT_EQ(kernels.evidence().best, Evidence::data_sheet);
    EXPECT_EQ(kernels.evidence().worst, Evidence::data_sheet);
}

// 8,192 tokens of GPT-2's head on 80 multiprocessors: 0.93 TFLOP/s each for one element an access, 74.4 in all, of 100;
// of BERT's, whose rows are whole words of two elements, 148.8, which is no bound; outside the matrix units 10.
TEST(KernelCost, RowsThatAreNotPaddedAreReadAFewElementsAtATime) {
    cluster::Device on = device();
    on.family = "NVIDIA V100";
    on.multiprocessors = 80;
    on.vector = 10_TFLOP_per_s;
    plan::Plan plan = plan_in(Precision::bf16);
    const auto rate = [&](const Kernel& kernel) {
        KernelCost kernels(on, plan, false);
        return kernel.flops.in(unit::flop) / micro(kernels.alone({kernel}, false)) / 1e6;
    };
    const Kernel gpt2 = graph::matmul(8192, 50257, 1024);
    EXPECT_NEAR(rate(gpt2), 100, 1e-6) << "software pads";
    plan.framework.number(plan::FrameworkParameter::unpadded_rows).value = 1;
    EXPECT_NEAR(rate(gpt2), 80 * 0.93, 1e-6);
    EXPECT_NEAR(rate(graph::matmul(8192, 30522, 1024)), 100, 1e-6);
    EXPECT_NEAR(rate(graph::matmul(8192, 50264, 1024)), 100, 1e-6) << "a multiple of eight";
    EXPECT_NEAR(rate(graph::matmul(8191, 50264, 1024)), 100, 1e-6) << "there may be any number of tokens";
    EXPECT_NEAR(rate(graph::matmul(8192, 1024, 50257)), 80 * 0.93, 1e-6) << "the gradient of the input";
    Kernel weights = graph::matmul(50257, 1024, 8191);
    weights.direction = graph::Direction::backward_weight;
    EXPECT_NEAR(rate(weights), 80 * 0.93, 1e-6) << "the gradient of the weight";
    plan.framework.number(plan::FrameworkParameter::unaligned_gemm_fallback).value = 1;
    EXPECT_NEAR(rate(gpt2), 10, 1e-6);
    EXPECT_NEAR(rate(graph::matmul(8192, 30522, 1024)), 10, 1e-6);
    EXPECT_NEAR(rate(graph::matmul(8192, 50264, 1024)), 100, 1e-6);
    on.family = "AMD MI250X";
    EXPECT_NEAR(rate(gpt2), 100, 1e-6) << "nothing is known of others";
}

// 80 multiprocessors of 128 lanes at 1 GHz issue 10.24e12 instructions a second. A pass over 1e9 elements of 2 bytes
// takes 2 ms at 1 TB/s and 1e9 * 30.72 / 10.24e12 = 3 ms to issue, the root of 4 + 9 together; in fp32 4 ms and 5
// together.
TEST(KernelCost, PassesPayForTheirInstructionsBesideTheirMemory) {
    cluster::Device on = device();
    on.family = "NVIDIA V100";
    on.multiprocessors = 80;
    on.vector = 2 * 10.24_TFLOP_per_s;
    on.matrix[Precision::fp32] = on.vector;
    const Kernel pass = graph::stream(1e9, 0);
    const auto takes = [&](Precision precision, double instructions) {
        plan::Plan plan = plan_in(precision);
        plan.framework.number(plan::FrameworkParameter::element_instructions).value = instructions;
        KernelCost kernels(on, plan, false);
        return micro(kernels.alone({pass}, true));
    };
    EXPECT_NEAR(takes(Precision::bf16, 0), 2000, 1e-6);
    EXPECT_NEAR(takes(Precision::bf16, 30.72), 1000 * std::sqrt(13), 1e-6);
    EXPECT_NEAR(takes(Precision::fp32, 30.72), 5000, 1e-6);
    on.vector = 10.24_TFLOP_per_s;
    EXPECT_NEAR(takes(Precision::fp32, 30.72), 5000, 1e-6) << "64 vector units at the same clock";
    on.family = "AMD CDNA 2";
    EXPECT_NEAR(takes(Precision::bf16, 30.72), 1000 * std::sqrt(40), 1e-6) << "64 lanes at 1 GHz: 6 ms";
    on.vector = 40.96_TFLOP_per_s;
    EXPECT_NEAR(takes(Precision::bf16, 30.72), 1000 * std::sqrt(13), 1e-6) << "packed instructions at 2 GHz: 3 ms";
    on.family = "Intel Gaudi 2";
    EXPECT_NEAR(takes(Precision::bf16, 30.72), 2000, 1e-6) << "nothing is known of others";
}

/// A pass over 1e9 elements, 2 ms in 16 bits.
Kernel pass_of(const graph::Unfused& unfused) {
    Kernel pass = graph::stream(1e9);
    pass.unfused = unfused;
    return pass;
}

// A norm of four kernels that move 1.5 times as many numbers in fp32: 6 GB at 1 TB/s in bf16 as in fp32.
TEST(KernelCost, RunsNormsOperatorByOperatorInFp32) {
    const cluster::Device on = device();
    const Kernel norm = pass_of({.part = graph::Unfused::Part::norms, .kernels = 4, .traffic = 1.5, .in_fp32 = true});
    for (const Precision precision : {Precision::bf16, Precision::fp32}) {
        plan::Plan plan = plan_in(precision);
        EXPECT_NEAR(micro(KernelCost(on, plan, false).alone({norm}, true)), precision == Precision::bf16 ? 2000 : 4000,
                    1e-6)
            << "fused";
        plan.framework.number(plan::FrameworkParameter::unfused_passes).value = 1;
        EXPECT_EQ(KernelCost(on, plan, false).alone({norm}, true).launches, 1) << "is no norm's";
        plan.framework.number(plan::FrameworkParameter::unfused_norms).value = 1;
        const PassCost cost = KernelCost(on, plan, false).alone({norm}, true);
        EXPECT_NEAR(micro(cost), 6000, 1e-6);
        EXPECT_EQ(cost.launches, 4);
        plan.framework.number(plan::FrameworkParameter::unfused_norms).value = 0.5;
        EXPECT_EQ(KernelCost(on, plan, false).alone({norm}, true).launches, 2.5) << "half of them";
    }
}

TEST(KernelCost, RunsPassesOperatorByOperator) {
    const cluster::Device on = device();
    plan::Plan plan = plan_in(Precision::bf16);
    plan.framework.number(plan::FrameworkParameter::unfused_passes).value = 1;
    KernelCost kernels(on, plan, false);
    const PassCost several = kernels.alone({pass_of({.kernels = 2, .traffic = 3})}, true);
    EXPECT_NEAR(micro(several), 6000, 1e-6);
    EXPECT_EQ(several.launches, 2);
    EXPECT_NEAR(micro(kernels.alone({pass_of({})}, true)), 2000, 1e-6) << "one operator anyway";
}

// In fp32 twice what it moves in bf16, and in fp32 what it moves anyway.
TEST(KernelCost, AutocastRunsNormsInFp32) {
    const cluster::Device on = device();
    for (const Precision precision : {Precision::bf16, Precision::fp32}) {
        plan::Plan plan = plan_in(precision);
        plan.framework.number(plan::FrameworkParameter::autocast).value = 4;
        EXPECT_NEAR(micro(KernelCost(on, plan, false).alone({pass_of({.in_fp32 = true})}, true)), 4000, 1e-6);
    }
}

// 4 bytes of each of 4096^2 elements, and three kernels: operand, weight, bias. Not of weights that are not trained, which
// are kept in 16 bits, nor in fp32.
TEST(KernelCost, AutocastConvertsOperandsOfTrainedProducts) {
    const cluster::Device on = device();
    plan::Plan plan = plan_in(Precision::bf16);
    plan.framework.number(plan::FrameworkParameter::autocast).value = 4;
    KernelCost kernels(on, plan, false);
    const PassCost trained = kernels.with_casts({kProduct}, true, true);
    EXPECT_NEAR(micro(trained) - kIn16Bits, 4.0 * 4096 * 4096 / 1e6, 1e-6);
    EXPECT_EQ(trained.launches, 4);
    EXPECT_NEAR(micro(kernels.with_casts({kProduct}, true, false)), kIn16Bits, 1e-6);
    cluster::Device vectors = device();
    vectors.matrix[Precision::fp32] = 10_TFLOP_per_s;
    plan.precision = Precision::fp32;
    EXPECT_EQ(KernelCost(vectors, plan, false).with_casts({kProduct}, true, true).launches, 1);
}

// Fused attention has no tf32. It takes 2.6 times as long as 10 TFLOP/s of vector units make it, in training too.
TEST(KernelCost, AttentionInTf32IsThatInFp32) {
    cluster::Device on = device();
    on.matrix[Precision::tf32] = 50_TFLOP_per_s;
    on.matrix[Precision::fp32] = on.vector = 10_TFLOP_per_s;
    on.typical = true;
    Kernel attention = kProduct;
    attention.kind = KernelKind::attention;
    for (const Precision precision : {Precision::tf32, Precision::fp32}) {
        plan::Plan plan = plan_in(precision);
        plan.framework.number(plan::FrameworkParameter::attention).value = 0.75;
        EXPECT_NEAR(micro(KernelCost(on, plan, false).alone({attention}, true)), 2.6 * kIn16Bits * 100 / 10, 1e-6);
    }
}

/// Every kind of kernel, in a block and outside, forward and into gradients; of a data sheet, and of a device whose
/// convolutions were measured.
std::vector<double> times_under(const plan::Framework& framework) {
    cluster::Device known = device();
    known.family = "NVIDIA V100";
    known.multiprocessors = 80;
    known.vector = 10_TFLOP_per_s;
    cluster::Device measured = known;
    measured.tiles = {{}};
    measured.profile.fits = {
        {.kind = KernelKind::convolution, .precision = Precision::bf16, .overlap = 8, .window_gain = 2},
        {.kind = KernelKind::attention,
         .precision = Precision::bf16,
         .attention_library = cluster::AttentionLibrary::flash_attention_2},
        {.kind = KernelKind::attention,
         .precision = Precision::bf16,
         .attention_library = cluster::AttentionLibrary::cudnn,
         .compute = 0.5}};
    plan::Plan plan = plan_in(Precision::fp8);
    plan.framework = framework;
    std::vector<double> times;
    for (const cluster::Device& on : {known, measured}) {
        KernelCost kernels(on, plan, true);
        for (const KernelKind kind : {KernelKind::matmul, KernelKind::convolution, KernelKind::attention,
                                      KernelKind::stream, KernelKind::gather, KernelKind::recurrent}) {
            Kernel kernel = kProduct;
            kernel.kind = kind;
            kernel.window = 9;
            kernel.samples = kind == KernelKind::convolution ? 8 : 0;
            kernel.positions = kernel.m;
            kernel.filters = kernel.n;
            for (const bool in_block : {true, false}) {
                times.push_back(micro(kernels.with_casts({kernel}, in_block, true)));
                times.push_back(micro(kernels.into_gradients({kernel}, in_block)));
            }
        }
        times.push_back(micro(kernels.with_casts({graph::matmul(4096, 50257, 1024)}, false, true)));
        times.push_back(micro(kernels.alone({graph::stream(1e9)}, true)));
        plan.precision = Precision::bf16;
        KernelCost in_16_bits(on, plan, true);
        times.push_back(micro(in_16_bits.with_casts({kProduct}, true, true)));
        times.push_back(micro(in_16_bits.alone({pass_of({.kernels = 2, .traffic = 3})}, true)));
        times.push_back(micro(
            in_16_bits.alone({pass_of({.part = graph::Unfused::Part::softmax, .kernels = 2, .traffic = 3})}, true)));
        times.push_back(micro(
            in_16_bits.alone({pass_of({.part = graph::Unfused::Part::norms, .kernels = 2, .traffic = 3})}, true)));
        plan.precision = Precision::fp8;
    }
    return times;
}

/// What searches under varied conditions rest on: times are shared by frameworks whose kernels are alike, and only then.
TEST(KernelCost, IsTheSameUnderFrameworksWhoseKernelsAreAlike) {
    const plan::Framework neutral;
    const auto expect_shared = [&](const plan::Framework& other, std::string_view name) {
        EXPECT_EQ(kernels_are_alike(neutral, other), times_under(neutral) == times_under(other)) << name;
    };
    for (const plan::FrameworkParameterKind& kind : plan::kFrameworkParameters) {
        plan::Framework other;
        plan::FrameworkNumber& number = other.number(kind.parameter);
        number.value = number.value == kind.most ? 0.5 * kind.most : 0.5 * (number.value + kind.most);
        expect_shared(other, kind.word);
    }
    plan::Framework other;
    other.attention_library = cluster::AttentionLibrary::cudnn;
    expect_shared(other, "attention_library");
    EXPECT_NE(times_under(neutral), times_under(other));
}

}  // namespace kernel_cost_test
}  // namespace dodona::step
