#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "base/check.hpp"
#include "cost/device_time.hpp"
#include "cost/roofline.hpp"
#include "scenes.hpp"

namespace dodona::cost {
namespace kernel_test {

using graph::Kernel;
using graph::KernelKind;
using namespace dodona::literals;

double micro(const KernelTime& found) { return found.time.value.in(1_us); }

// 1024^3: 64 tiles of 128 x 128 are one wave of 108: 108 * 2*128*128*1024 / 312e12 = 11.6153 us. Bytes: 6.29 MB, 3.1
// us.
TEST(Matmul, occupies_whole_waves_of_whole_tiles) {
    const auto found = kernel_time(scene::a100(), graph::matmul(1024, 1024, 1024), Precision::bf16);
    EXPECT_NEAR(micro(found), 5 + 108 * 2.0 * 128 * 128 * 1024 / 312e6, 1e-9);
    EXPECT_EQ(found.evidence, Evidence::data_sheet);
    EXPECT_LT(found.time.lo, found.time.value);
    EXPECT_GT(found.time.hi, found.time.value);
}

// 12 x 9 = 108 tiles fill the wave; one row of tiles more starts a second.
TEST(Matmul, pays_for_the_last_wave_in_full) {
    const cluster::Device device = scene::a100();
    EXPECT_DOUBLE_EQ(quantisation(device, 12 * 128, 9 * 128, 1), 1);
    EXPECT_DOUBLE_EQ(quantisation(device, 12 * 128 + 1, 9 * 128, 1), 2.0 * 12 * 128 / (12 * 128 + 1));
    EXPECT_DOUBLE_EQ(quantisation(device, 128, 128, 108), 1);
}

TEST(Matmul, takes_the_tile_that_fits_best) {
    cluster::Device device = scene::a100();
    device.tiles.push_back({64, 64});
    EXPECT_DOUBLE_EQ(quantisation(device, 64, 64, 108), 1);
    device.tiles.clear();
    EXPECT_DOUBLE_EQ(quantisation(device, 64, 64, 1), 1);
}

TEST(Matmul, of_a_card_that_does_not_keep_up_its_peak_takes_as_long_as_measured_ones) {
    cluster::Device device = scene::a100();
    device.launch = {};
    const Kernel large = graph::matmul(8192, 8192, 8192);
    const Seconds at_peak = roofline(device, large, Precision::bf16);
    device.achieved = {{Precision::bf16, 0.5 * device.peak(Precision::bf16)}};
    EXPECT_NEAR(roofline(device, large, Precision::bf16) / at_peak, 2, 1e-12);
}

// Heads of 150 or 108 features, as some of BLOOM's prototypes had: rows of activations that are not whole 16-byte
// words.
TEST(Matmul, of_misaligned_activations_leaves_the_matrix_units) {
    const cluster::Device device = scene::a100();
    const auto time = [&](const Kernel& kernel, Precision precision) {
        return kernel_time(device, kernel, precision).time.value;
    };
    const Kernel scores = graph::matmul(2048, 2048, 150, 12);
    EXPECT_EQ(misalignment(scores, Precision::fp16), 4);
    EXPECT_EQ(misalignment(graph::matmul(2048, 150, 2048, 12), Precision::bf16), 4);
    EXPECT_EQ(misalignment(graph::matmul(2048, 2048, 152, 12), Precision::fp16), 1) << "19 words";
    EXPECT_EQ(misalignment(graph::matmul(2047, 2048, 152, 12), Precision::fp16), 1) << "rows may be any number";
    EXPECT_EQ(misalignment(scores, Precision::fp32), 1);
    EXPECT_EQ(misalignment(graph::matmul(2048, 50257, 768), Precision::fp16), 1) << "weights are padded";
    EXPECT_EQ(time(scores, Precision::bf16), 4 * roofline(device, scores, Precision::bf16));
}

// A matrix times a vector: 2 * 4096^2 operations at the vector peak are 1.72 us, its 33.6 MB 16.8 us.
TEST(Matmul, deep_with_few_tiles_is_split_along_k) {
    // 64 multiprocessors, one 128 x 128 tile, k = 1 Mi: whole it runs on one multiprocessor. Split 64 ways it runs on
    // 64, so 1/64 of that time, plus 64 partial sums of 128 x 128 fp32 written and read.
    cluster::Device device;
    device.multiprocessors = 64;
    device.tiles = {{128, 128}};
    device.matrix = {{Precision::fp16, 64_TFLOP_per_s}};
    device.memory_bandwidth = 1000_GB_per_s;
    const graph::Kernel deep = graph::matmul(128, 128, 1048576);
    const double one = 2.0 * 128 * 128 * 1048576 / 1e12;
    const double sums = 64 * 2 * 128 * 128 * 4 / 1e12;
    EXPECT_NEAR(kernel_time(device, deep, Precision::fp16).time.value.in(unit::second), one / 64 + sums, 1e-12);
    // A shallow one stays whole.
    const graph::Kernel shallow = graph::matmul(128, 128, 300);
    EXPECT_NEAR(kernel_time(device, shallow, Precision::fp16).time.value.in(unit::second), 2.0 * 128 * 128 * 300 / 1e12,
                1e-15);
}

TEST(Matmul, of_a_vector_is_bound_by_memory) {
    const auto found = kernel_time(scene::a100(), graph::matmul(4096, 1, 4096), Precision::bf16);
    EXPECT_NEAR(micro(found), 5 + 2.0 * (4096.0 * 4096 + 2 * 4096) / 2e6, 1e-9);
}

TEST(Matmul, at_a_precision_that_the_device_lacks_is_our_fault) {
    EXPECT_THROW((void)kernel_time(scene::a100(), graph::matmul(64, 64, 64), Precision::fp8), InternalError);
}

// An implicit product of 256 x 256 x 288 with few bytes: 108 SMs for 4 tiles. With twice the bytes of its operands
// unrolled it would be no different; with 1 GB it is memory-bound.
TEST(Convolution, is_its_implicit_product_with_its_own_bytes) {
    Kernel conv = graph::matmul(256, 256, 288);
    conv.kind = KernelKind::convolution;
    conv.elements = 1000;
    const double compute = 108 * 2.0 * 128 * 128 * 288 / 312e6;
    EXPECT_NEAR(micro(kernel_time(scene::a100(), conv, Precision::bf16)), 5 + compute, 1e-9);
    conv.fixed_bytes = 1_GB;
    EXPECT_NEAR(micro(kernel_time(scene::a100(), conv, Precision::bf16)), 5 + 500 + 2000 / 2e6, 1e-9);
}

// Vector units of a device of which no convolution was measured: Winograd's algorithm in fp32 for windows of 3 x 3.
TEST(Convolution, with_an_overlapping_window_saves_arithmetic_on_vector_units) {
    cluster::Device device = scene::a100();
    device.family = "NVIDIA A100";
    const auto takes = [&](double window, Precision precision) {
        Kernel kernel = graph::matmul(12 * 128, 9 * 128, 1024);
        kernel.kind = KernelKind::convolution;
        kernel.window = window;
        return micro(kernel_time(device, kernel, precision)) - 5;
    };
    EXPECT_NEAR(takes(1, Precision::fp32) / takes(9, Precision::fp32), 1.8, 1e-9);
    EXPECT_DOUBLE_EQ(takes(1, Precision::fp32), takes(2.25, Precision::fp32)) << "3 x 3 with stride 2";
    EXPECT_DOUBLE_EQ(takes(1, Precision::bf16), takes(9, Precision::bf16)) << "matrix units";
    const double on_nvidia = takes(9, Precision::fp32);
    device.family = "Nvidia A100";
    EXPECT_DOUBLE_EQ(takes(9, Precision::fp32), on_nvidia) << "whatever its capitals";
    device.family = "AMD MI250X";
    EXPECT_DOUBLE_EQ(takes(1, Precision::fp32), takes(9, Precision::fp32)) << "nothing is known of others";
}

TEST(Attention, without_extents_runs_at_the_peak_on_its_operations) {
    const Kernel fused{.kind = KernelKind::attention, .flops = Flop::of_base(312e9), .elements = 1e6};
    EXPECT_NEAR(micro(kernel_time(scene::a100(), fused, Precision::bf16)), 5 + 1000, 1e-9);
    Kernel tiled = fused;
    tiled.m = tiled.n = 128;
    tiled.k = 64;
    tiled.batch = 54;
    EXPECT_NEAR(micro(kernel_time(scene::a100(), tiled, Precision::bf16)), 5 + 2000, 1e-9) << "half of the SMs";
}

TEST(Stream, takes_the_longer_of_bytes_and_operations) {
    const cluster::Device device = scene::a100();
    EXPECT_NEAR(micro(kernel_time(device, graph::stream(1e9), Precision::bf16)), 5 + 1000, 1e-9);
    EXPECT_NEAR(micro(kernel_time(device, graph::stream(1e9), Precision::fp32)), 5 + 2000, 1e-9);
    EXPECT_NEAR(micro(kernel_time(device, graph::stream(1e9, 195), Precision::bf16)), 5 + 10000, 1e-9);
    EXPECT_NEAR(micro(stream_time(device, 2_GB)), 5 + 1000, 1e-9);
}

TEST(Gather, moves_its_rows) {
    const Kernel rows{.kind = KernelKind::gather, .n = 1024, .elements = 1e6, .fixed_bytes = 2'000'000_B};
    EXPECT_EQ(moved_bytes(rows, Precision::bf16), 4'000'000_B);
    EXPECT_NEAR(micro(kernel_time(scene::a100(), rows, Precision::bf16)), 5 + 2, 1e-9);
}

cluster::Device measured_a100() {
    cluster::Device device = scene::a100();
    cluster::KernelCurve matmuls{.precision = Precision::bf16, .held_out_error = 0.08};
    for (const double size : {512.0, 1024.0, 2048.0, 4096.0}) {
        const Seconds ideal = roofline(device, graph::matmul(size, size, size), Precision::bf16);
        matmuls.points.push_back({.m = size, .n = size, .k = size, .time = ideal / 0.8});
    }
    matmuls.points.push_back({.m = 256, .n = 8192, .k = 512, .time = 77_us});
    cluster::KernelCurve streams{.kind = KernelKind::stream, .held_out_error = 0.04};
    streams.points = {{.bytes = 1'000'000_B, .time = 2 * 5.5_us}, {.bytes = 100'000'000_B, .time = 1.25 * 55_us}};
    device.curves = {matmuls, streams};
    return device;
}

TEST(MeasuredKernel, of_the_same_shape_is_the_answer) {
    const auto found = kernel_time(measured_a100(), graph::matmul(256, 8192, 512), Precision::bf16);
    EXPECT_EQ(found.evidence, Evidence::measured);
    EXPECT_EQ(found.time.value, 77_us);
    EXPECT_NEAR(found.time.hi.in(1_us), 77 * 1.08, 1e-9);
}

TEST(MeasuredKernel, lends_its_efficiency_to_shapes_nearby) {
    cluster::Device device = measured_a100();
    device.curves[0].points.pop_back();
    const Kernel between = graph::matmul(1500, 1500, 1500);
    const auto found = kernel_time(device, between, Precision::bf16);
    EXPECT_EQ(found.evidence, Evidence::interpolated);
    EXPECT_NEAR(found.time.value / roofline(device, between, Precision::bf16), 1 / 0.8, 1e-12);
    EXPECT_NEAR(found.time.hi / found.time.value, 1.08, 1e-12);
}

TEST(MeasuredKernel, says_nothing_an_octave_outside_or_at_another_precision) {
    const cluster::Device device = measured_a100();
    const auto evidence = [&](const Kernel& kernel, Precision precision) {
        return kernel_time(device, kernel, precision).evidence;
    };
    EXPECT_EQ(evidence(graph::matmul(8000, 4096, 4096), Precision::bf16), Evidence::interpolated);
    EXPECT_EQ(evidence(graph::matmul(8200, 4096, 4096), Precision::bf16), Evidence::data_sheet);
    EXPECT_EQ(evidence(graph::matmul(8192, 4096, 256), Precision::bf16), Evidence::interpolated) << "just an octave";
    EXPECT_EQ(evidence(graph::matmul(4096, 4096, 255), Precision::bf16), Evidence::data_sheet);
    EXPECT_EQ(evidence(graph::matmul(1024, 1024, 1024, 3), Precision::bf16), Evidence::data_sheet);
    EXPECT_EQ(evidence(graph::matmul(1024, 1024, 1024), Precision::fp32), Evidence::data_sheet);
}

TEST(MeasuredKernel, of_other_work_on_the_same_shape_lends_its_efficiency_only) {
    cluster::Device device = scene::a100();
    cluster::KernelCurve curve{.kind = KernelKind::attention, .precision = Precision::bf16, .held_out_error = 0.1};
    curve.points = {{.m = 4096, .n = 4096, .k = 128, .batch = 32, .time = 2000_us}};
    device.curves = {curve};
    Kernel forward = graph::matmul(4096, 4096, 128, 32);
    forward.kind = KernelKind::attention;
    forward.elements = 4 * 32 * 4096.0 * 128;
    forward.flops *= 2;
    EXPECT_EQ(kernel_time(device, forward, Precision::bf16).evidence, Evidence::measured);
    Kernel causal = forward;
    causal.flops *= 0.5;
    const auto found = kernel_time(device, causal, Precision::bf16);
    EXPECT_EQ(found.evidence, Evidence::interpolated);
    EXPECT_NEAR(found.time.value / 2000_us,
                roofline(device, causal, Precision::bf16) / roofline(device, forward, Precision::bf16), 1e-12);
}

// A convolution with the bytes of its images, which are fewer than those of its implicit product.
TEST(MeasuredKernel, that_says_its_bytes_is_the_answer_for_these_bytes) {
    cluster::Device device = scene::a100();
    cluster::KernelCurve curve{.kind = KernelKind::convolution, .precision = Precision::bf16, .held_out_error = 0.1};
    curve.points = {{.m = 4096, .n = 256, .k = 576, .bytes = 3'000'000_B, .time = 20_us}};
    device.curves = {curve};
    Kernel kernel = graph::matmul(4096, 256, 576);
    kernel.kind = KernelKind::convolution;
    kernel.elements = 1.5e6;
    EXPECT_EQ(kernel_time(device, kernel, Precision::bf16).evidence, Evidence::measured);
    kernel.elements = 3e6;
    EXPECT_EQ(kernel_time(device, kernel, Precision::bf16).evidence, Evidence::interpolated);
}

// Efficiency 1/2 at 1 MB and 4/5 at 100 MB: at 10 MB, halfway in log, their geometric mean; roofline 10 us.
TEST(MeasuredStream, interpolates_efficiency_over_bytes_at_any_precision) {
    const cluster::Device device = measured_a100();
    const auto found = stream_time(device, 10'000'000_B);
    EXPECT_EQ(found.evidence, Evidence::interpolated);
    EXPECT_NEAR(micro(found), 10 / std::sqrt(0.4), 1e-9);
    EXPECT_EQ(stream_time(device, 100'000'000_B).evidence, Evidence::measured);
    EXPECT_EQ(kernel_time(device, graph::stream(5e6), Precision::bf16).time.value, found.time.value);
    EXPECT_NEAR(micro(stream_time(device, 200'000'000_B)), 105 / 0.8, 1e-9) << "beyond the points: the nearest one's";
    EXPECT_EQ(stream_time(device, 201'000'000_B).evidence, Evidence::data_sheet);
}

TEST(MeasuredStream, still_pays_for_its_operations) {
    const Kernel busy = graph::stream(5e6, 3900);
    EXPECT_NEAR(micro(kernel_time(measured_a100(), busy, Precision::bf16)), 5 + 1000, 1e-9);
}

RC_GTEST_PROP(RooflineProperty, is_never_faster_than_peak_or_memory, ()) {
    const cluster::Device device = scene::a100();
    const auto extent = rc::gen::inRange(8, 5000);
    const Kernel kernel = graph::matmul(*extent, *extent, *extent, *rc::gen::inRange(1, 9));
    const Seconds time = roofline(device, kernel, Precision::bf16);
    RC_ASSERT(time >= kernel.flops / device.peak(Precision::bf16));
    RC_ASSERT(time >= moved_bytes(kernel, Precision::bf16) / device.memory_bandwidth);
}

// Along k alone a longer product may take less: from k = 512 on it may be split.
RC_GTEST_PROP(RooflineProperty, more_work_never_takes_less_time, ()) {
    const cluster::Device device = scene::a100();
    const auto extent = rc::gen::inRange(8, 3000);
    const double m = *extent;
    const double n = *extent;
    const double k = *extent;
    const Seconds time = roofline(device, graph::matmul(m, n, k), Precision::bf16);
    RC_ASSERT(roofline(device, graph::matmul(m + *extent, n, k), Precision::bf16) >= (1 - 1e-12) * time);
    RC_ASSERT(roofline(device, graph::matmul(m, n + *extent, k), Precision::bf16) >= (1 - 1e-12) * time);
    RC_ASSERT(roofline(device, graph::matmul(m, n, k, 2), Precision::bf16) >= (1 - 1e-12) * time);
}

}  // namespace kernel_test
}  // namespace dodona::cost
