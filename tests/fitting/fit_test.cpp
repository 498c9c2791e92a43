// Fits to times that a known model made: the fit finds the model again.
#include "calibrate/fit/fit.hpp"

#include <gtest/gtest.h>

#include <string>

#include "calibrate/fit/rounding.hpp"
#include "cost/kernel_fit.hpp"
#include "files/profile_file.hpp"
#include "files/yaml_writer.hpp"

namespace dodona::calibrate {
namespace fit_test {

using cluster::KernelFit;

cluster::Device device() {
    cluster::Device device;
    device.name = "made-up";
    device.memory_bandwidth = 2000_GB_per_s;
    device.multiprocessors = 108;
    device.matrix = {{Precision::bf16, 300_TFLOP_per_s}};
    device.vector = 20_TFLOP_per_s;
    device.tiles = {{256, 128}, {128, 128}, {64, 64}};
    return device;
}

KernelFit truth() {
    return {.precision = Precision::bf16,
            .start = 5_us,
            .compute = 0.75,
            .edge = 25,
            .ramp = 120,
            .tail = 0.4,
            .memory = 0.7,
            .overlap = 4};
}

/// Products of many shapes; every `odd`th takes three times as long as it should.
Series made(const KernelFit& fit, int odd) {
    Series series{.device = "made-up", .kind = fit.kind, .precision = fit.precision, .source = "made up"};
    int count = 0;
    for (const double m : {512.0, 1536.0, 4096.0, 16384.0}) {
        for (const double n : {64.0, 256.0, 1024.0, 3072.0, 12288.0}) {
            for (const double k : {64.0, 512.0, 2048.0, 8192.0}) {
                const graph::Kernel kernel = graph::matmul(m, n, k);
                const double slow = odd > 0 && ++count % odd == 0 ? 3 : 1;
                add(series, "row-" + std::to_string(series.samples.size()), kernel,
                    slow * cost::fitted_seconds(device(), fit, kernel, fit.precision));
            }
        }
    }
    return series;
}

TEST(Fit, finds_the_model_that_made_the_times) {
    const KernelFit found = fit(made(truth(), 0), device()).fit;
    EXPECT_NEAR(found.start.in(1_us), 5, 0.5);
    EXPECT_NEAR(found.compute, 0.75, 0.03);
    EXPECT_NEAR(found.memory, 0.7, 0.03);
    EXPECT_LT(found.error.median, 0.01);
    EXPECT_LT(found.error.p90, 0.05);
    EXPECT_EQ(found.rows, 80);
    EXPECT_EQ(found.depth, (cluster::FitSpan{64, 8192}));
}

TEST(Fit, is_hardly_pulled_by_a_few_odd_rows_but_owns_up_to_them) {
    const KernelFit found = fit(made(truth(), 16), device()).fit;
    EXPECT_NEAR(found.compute, 0.75, 0.06);
    EXPECT_LT(found.error.median, 0.05);
    EXPECT_GT(found.error.high, 1.5);
}

TEST(Fit, beats_the_roofline_on_rows_that_it_did_not_see) {
    const Fitted found = fit(made(truth(), 0), device());
    EXPECT_GT(found.roofline.median, 0.1);
    EXPECT_LT(found.fit.error.median, found.roofline.median / 5);
}

// Twice the forward time for two products: nothing of its own. A tenth more: 1.1.
TEST(Fit, takes_the_backward_ratio_from_pairs_of_products) {
    Series series = made(truth(), 0);
    for (const Sample& sample : series.samples) {
        const graph::Kernel& y = sample.kernel;
        BackwardSample pair{graph::matmul(y.m, y.k, y.n), graph::matmul(y.n, y.k, y.m), {}};
        pair.time = 1.1 * (cost::fitted_seconds(device(), truth(), pair.input, Precision::bf16) +
                           cost::fitted_seconds(device(), truth(), pair.weight, Precision::bf16));
        series.backward.push_back(pair);
    }
    EXPECT_NEAR(fit(series, device()).fit.backward, 1.1, 0.02);
}

// Rows that quantise their input, 7 us and 6 bytes an element: the product is found under them, with the 16-bit start.
TEST(Fit, tells_the_product_from_the_cast_of_its_input) {
    KernelFit with_cast = truth();
    with_cast.benchmark_cast = cluster::InputCast{.start = 7_us, .bytes = 6};
    Series series = made(truth(), 0);
    series.casts_input = true;
    for (Sample& sample : series.samples) {
        sample.time = cost::benchmark_seconds(device(), with_cast, sample.kernel, Precision::bf16);
    }
    const KernelFit found = fit(series, device(), 5_us).fit;
    ASSERT_TRUE(found.benchmark_cast);
    EXPECT_EQ(found.start, 5_us);
    EXPECT_NEAR(found.compute, 0.75, 0.04);
    EXPECT_NEAR(found.benchmark_cast->bytes, 6, 0.6);
    EXPECT_NEAR(found.benchmark_cast->start.in(1_us), 7, 1);
    cluster::Profile profile{.name = "made-up", .source = "a test", .fits = {found}};
    const std::string text = files::to_yaml(rounded(profile));
    EXPECT_EQ(files::to_yaml(files::read_profile(files::parse_document(text, "made-up.yaml"))), text);
}

TEST(Fit, is_written_as_the_oracle_reads_it) {
    cluster::Profile profile{.name = "made-up", .source = "a test", .fits = {fit(made(truth(), 0), device()).fit}};
    KernelFit stream{.kind = graph::KernelKind::stream, .start = 2_us, .memory = 0.8, .bytes = {1e6, 1e9}, .rows = 7};
    stream.provenance.source = "made up";
    profile.fits.push_back(stream);
    const std::string text = files::to_yaml(rounded(profile), {.note = "a note"});
    const cluster::Profile read = files::read_profile(files::parse_document(text, "made-up.yaml"));
    EXPECT_EQ(files::to_yaml(read, {.note = "a note"}), text);
    EXPECT_EQ(rounded(read).fits.at(0).compute, read.fits.at(0).compute);
    EXPECT_EQ(read.fits.at(1).bytes, stream.bytes);
    EXPECT_EQ(read.fits.at(0).rows, 80);
}

}  // namespace fit_test
}  // namespace dodona::calibrate
