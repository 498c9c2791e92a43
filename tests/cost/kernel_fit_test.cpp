// Fitted kernel models, made up so that their answers are known by hand.
#include "cost/kernel_fit.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "cost/roofline.hpp"
#include "scenes.hpp"

namespace dodona::cost {
namespace kernel_fit_test {

using cluster::KernelFit;
using graph::Direction;
using graph::Kernel;
using graph::KernelKind;
using namespace dodona::literals;

/// 80 % of 312 TFLOP/s, 50 % of 2,000 GB/s, 4 us; nothing else costs anything. `overlap` 64 is the larger of the two.
KernelFit plain() {
    return {.precision = Precision::bf16,
            .start = 4_us,
            .compute = 0.8,
            .memory = 0.5,
            .overlap = 64,
            .side = {64, 65536},
            .depth = {64, 65536},
            .work = {1e6, 1e15},
            .rows = 100,
            .error = {.median = 0.05, .p90 = 0.15, .low = 0.9, .high = 1.2}};
}

cluster::Device device(std::vector<KernelFit> fits) {
    cluster::Device device = scene::a100();
    device.profile.fits = std::move(fits);
    return device;
}

double micro(const cluster::Device& device, const Kernel& kernel, Precision precision = Precision::bf16) {
    return kernel_time(device, kernel, precision).time.value.in(1_us);
}

// 12 x 9 tiles of 128 x 128 are one wave of 108: 2 * 1536*1152*2048 operations at 249.6 TFLOP/s are 29.036 us.
constexpr double kOneWave = 2 * 1536.0 * 1152 * 2048 / (0.8 * 312e6);
Kernel one_wave() { return graph::matmul(1536, 1152, 2048); }

Kernel without_bytes(Kernel kernel) {
    kernel.elements = 0;
    return kernel;
}

TEST(FittedMatmul, takes_its_start_and_its_share_of_the_peak) {
    const cluster::Device a100 = device({plain()});
    const auto found = kernel_time(a100, one_wave(), Precision::bf16);
    EXPECT_NEAR(found.time.value.in(1_us), 4 + kOneWave, 1e-6);
    EXPECT_EQ(found.evidence, Evidence::fitted);
    EXPECT_NEAR(found.time.lo / found.time.value, 0.9, 1e-12);
    EXPECT_NEAR(found.time.hi / found.time.value, 1.2, 1e-12);
    Kernel twice = one_wave();
    twice.times = 2;
    EXPECT_NEAR(micro(a100, twice), 2 * (4 + kOneWave), 1e-6);
}

// 1536 x 2048 elements of the input at 6 bytes and 2,000 GB/s are 9.437 us, and 3 us to start: the benchmark's alone.
TEST(FittedMatmul, leaves_out_what_the_benchmark_cast) {
    KernelFit fit = plain();
    fit.benchmark_cast = cluster::InputCast{.start = 3_us, .bytes = 6};
    const cluster::Device a100 = device({fit});
    EXPECT_NEAR(micro(a100, one_wave()), 4 + kOneWave, 1e-6);
    const double cast = 6 * 1536.0 * 2048 / (a100.memory_bandwidth * 1_us).in(unit::byte);
    EXPECT_NEAR(benchmark_seconds(a100, fit, one_wave(), Precision::bf16).in(1_us), 4 + kOneWave + 3 + cast, 1e-6);
    const Kernel batch = without_bytes(graph::matmul(1536, 1152, 2048, 4));
    EXPECT_NEAR(benchmark_seconds(a100, fit, batch, Precision::bf16).in(1_us), 4 + 4 * kOneWave + 3 + 4 * cast, 1e-6);
}

// Products run at three quarters of the clock; attention, measured at its own, and bytes do not.
TEST(FittedMatmul, slows_to_the_clocks_of_continuous_use) {
    cluster::Device a100 = device({plain()});
    a100.sustained = 0.75;
    EXPECT_NEAR(micro(a100, one_wave()), 4 + kOneWave / 0.75, 1e-6);
    Kernel attention = one_wave();
    attention.kind = KernelKind::attention;
    KernelFit fit = plain();
    fit.kind = KernelKind::attention;
    cluster::Device cool = device({fit});
    const double before = micro(cool, attention);
    cool.sustained = 0.75;
    EXPECT_NEAR(micro(cool, attention), before, 1e-9);
}

// What no kernel exceeds: 80 % of the peak at three quarters of the clock, twice that where a window saves arithmetic;
// attention at its own clock, and passes of their bandwidth.
TEST(FittedMatmul, knows_the_most_of_the_peak_that_a_kind_reaches) {
    const auto most = [](KernelKind kind, double window_gain) {
        KernelFit fit = plain();
        fit.kind = kind;
        fit.window_gain = window_gain;
        cluster::Device a100 = device({fit});
        a100.sustained = 0.75;
        return most_of_peak(a100, kind, Precision::bf16).value_or(0);
    };
    EXPECT_DOUBLE_EQ(most(KernelKind::matmul, 2), 0.75 * 0.8);
    EXPECT_DOUBLE_EQ(most(KernelKind::convolution, 2), 0.75 * 0.8 * 2);
    EXPECT_DOUBLE_EQ(most(KernelKind::convolution, 0.5), 0.75 * 0.8);
    EXPECT_DOUBLE_EQ(most(KernelKind::attention, 1), 0.8);
    EXPECT_DOUBLE_EQ(most(KernelKind::stream, 1), 0.5);
}

// 162 tiles are 1.5 waves; of the idle half wave a quarter is waited for: 1.625. 54 tiles are never less than one.
TEST(FittedMatmul, waits_for_part_of_the_last_wave) {
    KernelFit fit = plain();
    fit.tail = 0.25;
    const cluster::Device a100 = device({fit});
    EXPECT_NEAR(micro(a100, graph::matmul(2304, 1152, 2048)), 4 + 1.625 * kOneWave, 1e-6);
    EXPECT_NEAR(micro(a100, without_bytes(graph::matmul(1536, 576, 500))), 4 + kOneWave * 500 / 2048, 1e-6);
}

// Smaller than any product that was measured, and many: neither tiles nor their ramp, but instructions of 16 x 8 x 16.
// 20 x 20 x 20 is computed as 32 x 24 x 32: 3.072 times the work, of 1e6 products 2 * 24,576e6 flop at 0.8 of the peak.
TEST(FittedMatmul, many_small_products_pay_for_whole_instructions) {
    KernelFit fit = plain();
    fit.side = {32, 65536};
    fit.ramp = 512;
    const cluster::Device a100 = device({fit});
    EXPECT_NEAR(micro(a100, without_bytes(graph::matmul(20, 20, 20, 1e6))), 4 + 2 * 24'576e6 / (0.8 * 312e6), 1e-6);
    EXPECT_GT(micro(a100, without_bytes(graph::matmul(20, 20, 20, 100))), 4.5) << "few: tiles";
    const Kernel smallest = without_bytes(graph::matmul(32, 32, 32, 1e6));
    const double in_tiles = micro(a100, smallest);
    fit.side = {33, 65536};
    EXPECT_LT(micro(device({fit}), smallest), in_tiles / 2) << "as small as the smallest that was measured: tiles";
}

// Pooled look-ups read rows as passes read memory; a fit of plain look-ups says nothing of them.
TEST(FittedGather, that_pools_is_a_pass) {
    KernelFit pass = plain(), rows = plain();
    pass.kind = KernelKind::stream;
    rows.kind = KernelKind::gather;
    rows.memory = pass.memory / 4;
    const cluster::Device a100 = device({rows, pass});
    Kernel kernel{.kind = KernelKind::gather, .n = 128, .flops = Flop{}, .elements = 1e8};
    const double plain_rows = micro(a100, kernel) - 4;
    kernel.pooled = true;
    EXPECT_NEAR(micro(a100, kernel) - 4, plain_rows / 4, 1e-6 * plain_rows);
}

// k = 2048 with a ramp of 512: a quarter more.
TEST(FittedMatmul, pays_for_the_ramp_of_every_tile) {
    KernelFit fit = plain();
    fit.ramp = 512;
    EXPECT_NEAR(micro(device({fit}), one_wave()), 4 + 1.25 * kOneWave, 1e-6);
}

// Tiles of 64 x 64 have edges of 1/32 against 1/64: with an edge of 32 rows they cost 1.5 times as much. One tile of
// 128 x 128 on 27 of 108 multiprocessors leaves all but a wave idle; the small ones fill it.
TEST(FittedMatmul, small_tiles_cost_more_and_are_taken_where_they_pay) {
    KernelFit fit = plain();
    fit.edge = 32;
    cluster::Device a100 = device({fit});
    a100.tiles.push_back({64, 64});
    EXPECT_NEAR(micro(a100, one_wave()), 4 + kOneWave, 1e-6);
    const double small = 2.0 * 108 * 64 * 64 * 500 / (0.8 * 312e6) * 1.5;
    EXPECT_NEAR(micro(a100, without_bytes(graph::matmul(128 * 9, 128 * 3, 500))), 4 + small, 1e-6);
}

// 100 MB at 1,000 GB/s are 100 us. Joined with exponent 1 both add up.
TEST(FittedMatmul, joins_arithmetic_and_bytes) {
    KernelFit fit = plain();
    Kernel kernel = one_wave();
    kernel.elements = 50e6;
    EXPECT_NEAR(micro(device({fit}), kernel), 104, 1e-6);
    fit.overlap = 1;
    EXPECT_NEAR(micro(device({fit}), kernel), 104 + kOneWave, 1e-6);
    fit.overlap = 2;
    EXPECT_NEAR(micro(device({fit}), kernel), 4 + std::sqrt(1e4 + kOneWave * kOneWave), 1e-6);
}

TEST(FittedMatmul, of_a_backward_pass_takes_its_ratio_longer) {
    KernelFit fit = plain();
    fit.backward = 1.1;
    Kernel kernel = one_wave();
    kernel.direction = Direction::backward_weight;
    EXPECT_NEAR(micro(device({fit}), kernel), 4 + 1.1 * kOneWave, 1e-6);
}

TEST(FittedConvolution, gains_where_windows_overlap_and_has_fits_of_its_passes) {
    KernelFit fit = plain();
    fit.kind = KernelKind::convolution;
    fit.direction = Direction::forward;
    fit.window_gain = 2;
    KernelFit weight = plain();
    weight.kind = KernelKind::convolution;
    weight.direction = Direction::backward_weight;
    weight.compute = 0.4;
    const cluster::Device a100 = device({fit, weight});
    Kernel kernel = without_bytes(one_wave());
    kernel.kind = KernelKind::convolution;
    kernel.window = 2.25;  // 3 x 3 with stride 2
    EXPECT_NEAR(micro(a100, kernel), 4 + kOneWave, 1e-6);
    kernel.window = 4;  // 2 x 2
    EXPECT_NEAR(micro(a100, kernel), 4 + kOneWave / 2, 1e-6);
    kernel.window = 9;
    EXPECT_NEAR(micro(a100, kernel), 4 + kOneWave / 2, 1e-6);
    kernel.direction = Direction::backward_weight;
    EXPECT_NEAR(micro(a100, kernel), 4 + 2 * kOneWave, 1e-6);
    kernel.direction = Direction::backward_input;
    EXPECT_EQ(kernel_time(a100, kernel, Precision::bf16).evidence, Evidence::data_sheet) << "nobody measured it";
}

// Half precision that is no faster than single: the single kernel with half the bytes. 100 MB of fp16 at 1 TB/s.
TEST(FittedMatmul, of_stored_halves_computes_in_single_precision) {
    KernelFit fit = plain();
    fit.precision = Precision::fp32;
    cluster::Device pascal = device({fit});
    pascal.matrix[Precision::fp16] = 312_TFLOP_per_s;
    EXPECT_EQ(kernel_time(pascal, one_wave(), Precision::fp16).evidence, Evidence::data_sheet) << "it has units for it";
    pascal.matrix[Precision::fp16] = pascal.matrix[Precision::fp32];
    Kernel kernel = one_wave();
    EXPECT_NEAR(micro(pascal, kernel, Precision::fp16), micro(pascal, kernel, Precision::fp32), 1e-9);
    kernel.elements = 1e9;
    EXPECT_NEAR(micro(pascal, kernel, Precision::fp16), 4 + 2e3, 1e-6);
    EXPECT_NEAR(micro(pascal, kernel, Precision::fp32), 4 + 4e3, 1e-6);
    EXPECT_EQ(kernel_time(pascal, kernel, Precision::fp16).evidence, Evidence::extrapolated);
}

TEST(FittedConvolution, without_a_fit_is_its_implicit_product_less_surely) {
    Kernel kernel = one_wave();
    kernel.kind = KernelKind::convolution;
    const auto found = kernel_time(device({plain()}), kernel, Precision::bf16);
    EXPECT_NEAR(found.time.value.in(1_us), 4 + kOneWave, 1e-6);
    EXPECT_EQ(found.evidence, Evidence::extrapolated);
    EXPECT_GT(found.time.hi / found.time.value, 1.2);
}

// 108 blocks of 128 queries and 1,024 keys, heads of 80 padded to 96: with 32 keys and 16 features on top
// 108 * 4 * 128 * 1056 * 112 operations for forward's two products.
TEST(FittedAttention, works_on_blocks_of_queries_and_padded_heads) {
    KernelFit fit = plain();
    fit.kind = KernelKind::attention;
    fit.edge = 32;
    fit.ramp = 16;
    Kernel kernel = graph::matmul(128, 1024, 80, 108);
    kernel.kind = KernelKind::attention;
    kernel.flops *= 2;
    kernel.elements = 0;
    const double by_hand = 108 * 4.0 * 128 * 1056 * 112 / (0.8 * 312e6);
    EXPECT_NEAR(micro(device({fit}), kernel), 4 + by_hand, 1e-6);
    kernel.flops *= 0.5;  // causal
    EXPECT_NEAR(micro(device({fit}), kernel), 4 + by_hand / 2, 1e-6);
}

// 2 * 128*1024*96 * 108 operations of a product at half or a quarter of the peak, whatever else speaks for a fit.
TEST(FittedAttention, is_that_of_the_library_which_runs_it) {
    using cluster::AttentionLibrary;
    KernelFit faster{.kind = KernelKind::attention,
                     .precision = Precision::bf16,
                     .attention_library = AttentionLibrary::cudnn,
                     .start = 4_us,
                     .compute = 0.5,
                     .overlap = 64};
    KernelFit slower = faster;
    slower.compute = 0.25;
    slower.attention_library = AttentionLibrary::flash_attention_2;
    slower.precision = Precision::fp16;
    slower.work = {1e3, 1e4};
    Kernel kernel = graph::matmul(128, 1024, 96, 108);
    kernel.kind = KernelKind::attention;
    kernel.elements = 0;
    const double at_peak = 108 * 2.0 * 128 * 1024 * 96 / 312e6;
    const auto found = [&](std::vector<KernelFit> fits, AttentionLibrary library) {
        return kernel_time(device(std::move(fits)), kernel, Precision::bf16, library).time.value.in(1_us);
    };
    EXPECT_NEAR(found({faster, slower}, AttentionLibrary::cudnn), 4 + at_peak / 0.5, 1e-6);
    EXPECT_NEAR(found({faster, slower}, AttentionLibrary::flash_attention_2), 4 + at_peak / 0.25, 1e-6);
    EXPECT_NEAR(micro(device({faster, slower}), kernel), 4 + at_peak / 0.25, 1e-6) << "unless another is named";
    EXPECT_NEAR(found({faster}, AttentionLibrary::flash_attention_2), 4 + at_peak / 0.5, 1e-6)
        << "where it was measured";
    slower.attention_library.reset();
    EXPECT_NEAR(found({slower}, AttentionLibrary::cudnn), 4 + at_peak / 0.25, 1e-6) << "of any library";
}

TEST(FittedStream, takes_its_share_of_the_bandwidth_at_any_precision) {
    KernelFit fit = plain();
    fit.kind = KernelKind::stream;
    fit.bytes = {1e6, 1e9};
    const cluster::Device a100 = device({fit});
    EXPECT_NEAR(micro(a100, graph::stream(50e6)), 104, 1e-9);
    EXPECT_NEAR(micro(a100, graph::stream(25e6), Precision::fp32), 104, 1e-9);
    EXPECT_EQ(kernel_time(a100, graph::stream(50e6), Precision::bf16).evidence, Evidence::fitted);
    EXPECT_EQ(kernel_time(a100, graph::stream(1e9), Precision::bf16).evidence, Evidence::extrapolated);
}

TEST(FittedMatmul, of_nothing_is_a_start) { EXPECT_NEAR(micro(device({plain()}), graph::matmul(128, 0, 64)), 4, 0.1); }

// Twice as deep as measured: one octave; the interval is a quarter wider in log.
TEST(FittedKernel, outside_the_measured_range_is_extrapolated_with_a_wider_interval) {
    const auto found = kernel_time(device({plain()}), graph::matmul(1536, 1152, 131072), Precision::bf16);
    EXPECT_EQ(found.evidence, Evidence::extrapolated);
    EXPECT_NEAR(found.time.hi / found.time.value, std::pow(1.2, 1.25), 1e-9);
    EXPECT_NEAR(found.time.lo / found.time.value, std::pow(0.9, 1.25), 1e-9);
}

// A fit that does not say what it was measured on is not left.
TEST(FittedKernel, without_a_measured_range_is_in_range) {
    KernelFit fit = plain();
    fit.depth = {};
    const auto found = kernel_time(device({fit}), graph::matmul(1536, 1152, 131072), Precision::bf16);
    EXPECT_EQ(found.evidence, Evidence::fitted);
    EXPECT_NEAR(found.time.hi / found.time.value, 1.2, 1e-12);
}

// Depths up to 1,200 and 1,600 were measured; 2,048 is 0.77 and 0.36 octaves deeper.
TEST(FittedKernel, out_of_range_the_nearest_fit_answers) {
    KernelFit far = plain(), near = plain();
    far.depth = {64, 1200};
    near.depth = {64, 1600};
    near.compute = 0.4;
    EXPECT_NEAR(micro(device({far, near}), one_wave()), 4 + 2 * kOneWave, 1e-6);
    EXPECT_NEAR(micro(device({near, far}), one_wave()), 4 + 2 * kOneWave, 1e-6);
}

TEST(FittedKernel, a_borrowed_profile_is_less_sure) {
    cluster::Device cousin = device({plain()});
    cousin.profile.borrowed = true;
    const auto found = kernel_time(cousin, one_wave(), Precision::bf16);
    EXPECT_EQ(found.evidence, Evidence::extrapolated);
    EXPECT_GT(found.time.hi / found.time.value, 1.2);
    EXPECT_LT(found.time.lo / found.time.value, 0.9);
}

// The lender's best products reached 0.8 of its peak, this card's 1.2: half as much again of the arithmetic's rate.
TEST(FittedKernel, a_borrowed_profile_is_corrected_by_the_best_products_of_both) {
    cluster::Device card = device({plain()});
    card.matrix[Precision::tf32] = 0.5 * card.peak(Precision::bf16);
    card.achieved = {{Precision::bf16, 1.2 * card.peak(Precision::bf16)}};
    card.profile.best = 0.8;
    EXPECT_NEAR(micro(card, one_wave()), 4 + kOneWave, 1e-6) << "its own profile knows better";
    card.profile.borrowed = true;
    EXPECT_NEAR(micro(card, one_wave()), 4 + kOneWave / 1.5, 1e-6);
    EXPECT_NEAR(micro(card, one_wave(), Precision::tf32), 4 + 2 * kOneWave / 1.5, 1e-6) << "as 16 bits do";
    EXPECT_NEAR(*most_of_peak(card, graph::KernelKind::matmul, Precision::bf16), 1.5 * plain().compute, 1e-12);
    card.achieved[Precision::tf32] = 0.4 * card.peak(Precision::tf32);
    EXPECT_NEAR(micro(card, one_wave(), Precision::tf32), 4 + 4 * kOneWave, 1e-6) << "by its own figure";
    card.achieved = {};
    EXPECT_NEAR(micro(card, one_wave()), 4 + kOneWave, 1e-6) << "nothing is known of this card";
}

TEST(FittedKernel, lends_its_shares_to_related_precisions_only) {
    cluster::Device a100 = device({plain()});
    a100.matrix[Precision::fp16] = 312_TFLOP_per_s;
    a100.matrix[Precision::tf32] = 156_TFLOP_per_s;
    EXPECT_EQ(kernel_time(a100, one_wave(), Precision::fp16).evidence, Evidence::fitted);
    EXPECT_NEAR(micro(a100, one_wave(), Precision::tf32), 4 + 2 * kOneWave, 1e-6);
    EXPECT_EQ(kernel_time(a100, one_wave(), Precision::tf32).evidence, Evidence::extrapolated);
    EXPECT_EQ(kernel_time(a100, one_wave(), Precision::fp32).evidence, Evidence::data_sheet);
    const double sheet = micro(a100, one_wave(), Precision::fp32);
    a100.typical = true;
    EXPECT_NEAR(micro(a100, one_wave(), Precision::fp32), 1.15 * sheet, 1e-6) << "as products of other devices miss it";
}

TEST(FittedKernel, the_fit_in_range_and_of_the_own_precision_answers) {
    KernelFit half = plain();
    half.precision = Precision::fp16;
    half.compute = 0.4;
    half.depth = {1024, 4096};
    cluster::Device a100 = device({plain(), half});
    a100.matrix[Precision::fp16] = 312_TFLOP_per_s;
    EXPECT_NEAR(micro(a100, one_wave(), Precision::fp16), 4 + 2 * kOneWave, 1e-6);
    EXPECT_NEAR(micro(a100, without_bytes(graph::matmul(1536, 1152, 500)), Precision::fp16), 4 + kOneWave * 500 / 2048,
                1e-6)
        << "not its range";
}

RC_GTEST_PROP(FittedKernel, never_beats_its_own_shares_and_never_shrinks_with_depth, ()) {
    KernelFit fit = plain();
    fit.edge = 20;
    fit.ramp = 100;
    fit.tail = 0.5;
    fit.overlap = 3;
    cluster::Device a100 = device({fit});
    a100.tiles = {{256, 128}, {128, 128}, {64, 64}};
    const auto extent = [](int most) { return static_cast<double>(*rc::gen::inRange(8, most)); };
    const double m = extent(5000), n = extent(5000), k = extent(9000);
    const Kernel kernel = graph::matmul(m, n, k);
    const Seconds time = fitted_seconds(a100, fit, kernel, Precision::bf16);
    const Seconds bytes = moved_bytes(kernel, Precision::bf16) / (fit.memory * a100.memory_bandwidth);
    RC_ASSERT(time >= fit.start + max(kernel.flops / (fit.compute * a100.peak(Precision::bf16)), bytes));
    // A split may make a deeper product a little faster at the depth where it first pays, never by more than its ramp.
    const Seconds deeper = fitted_seconds(a100, fit, graph::matmul(m, n, 2 * k), Precision::bf16);
    RC_ASSERT(deeper >= time);
}

}  // namespace kernel_fit_test
}  // namespace dodona::cost
