// A device that is known, measured, and what is made of its measurements.
#include <cmath>

#include <gtest/gtest.h>

#include "calibrate/machine/comparison.hpp"
#include "calibrate/machine/measured_device.hpp"
#include "cost/device_time.hpp"

namespace dodona::calibrate {
namespace measured_device_test {

/// 5 us to start, 100 GFLOP/s, 10 GB/s.
Seconds true_time(double m, double n, double k) {
    return 5_us + (2 * m * n * k / 100e9 + 4 * (m * k + k * n + m * n) / 10e9) * 1_s;
}

Record timed(const Case& of, Seconds time, const char* date = "2026-11-20T12:00:00Z") {
    Measurement measured;
    measured.of = of;
    measured.time = {.least = time, .first_quartile = time, .median = time, .third_quartile = 1.02 * time};
    measured.time.samples = 10;
    return {.backend = "cpu", .date = date, .what = measured};
}

Case product(double m, double n, double k, double threads = 1) {
    return {.benchmark = "matmul",
            .parameters = {
                {"m", m}, {"n", n}, {"k", k}, {"precision", "fp32"}, {"direction", "forward"}, {"threads", threads}}};
}

Case stream(double bytes) { return {.benchmark = "stream", .parameters = {{"bytes", bytes}, {"pattern", "copy"}}}; }

std::vector<Record> world() {
    std::vector<Record> records{
        {.backend = "cpu",
         .date = "2026-11-20T12:00:00Z",
         .what = Environment{{{"device", "A CPU (R)"}, {"memory", "16e9"}, {"onednn", "2.6.3"}}}}};
    for (double m = 16; m <= 2048; m *= 2) {
        for (const double n : {64.0, 512.0, 1024.0}) {
            for (const double k : {64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0}) {
                records.push_back(timed(product(m, n, k), true_time(m, n, k)));
            }
        }
    }
    for (double bytes = 4096; bytes <= 1 << 30; bytes *= 4) {
        records.push_back(timed(stream(bytes), 2_us + bytes / 10e9 * 1_s));
    }
    records.push_back(timed({.benchmark = "launch", .parameters = {{"kind", "plain"}}}, 3_us));
    return records;
}

TEST(MeasuredDevice, WhatWasMeasuredIsPredictedAsItWas) {
    const auto records = world();
    const auto device = measured_device({.records = records, .backend = "cpu"});
    ASSERT_TRUE(device.has_value());
    const auto found = cost::kernel_time(*device, graph::matmul(128, 512, 256), Precision::fp32);
    EXPECT_EQ(found.evidence, Evidence::measured);
    EXPECT_EQ(found.time.value, true_time(128, 512, 256));
    EXPECT_EQ(device->launch, 3_us);
    EXPECT_EQ(device->name, "a-cpu-r");
    EXPECT_NEAR(device->memory_bandwidth.in(1_GB_per_s), 10, 0.1);
}

TEST(MeasuredDevice, BetweenShapesItIsCloseAndSaysHowClose) {
    const auto records = world();
    const auto device = measured_device({.records = records, .backend = "cpu"});
    ASSERT_EQ(device->profile.fits.size(), 1u);
    ASSERT_EQ(device->curves.size(), 2u);
    for (const auto& [m, n, k] : {std::tuple(96.0, 300.0, 700.0), {1500.0, 80.0, 1000.0}, {40.0, 700.0, 128.0}}) {
        const auto found = cost::kernel_time(*device, graph::matmul(m, n, k), Precision::fp32);
        EXPECT_EQ(found.evidence, Evidence::interpolated);
        EXPECT_NEAR(found.time.value / true_time(m, n, k), 1, 0.15) << m << " " << n << " " << k;
    }
    EXPECT_GT(device->curves.front().held_out_error, 0);
    EXPECT_LT(device->curves.front().held_out_error, 0.4);
}

// Every second product takes 8 times as long as its extents say: no curve through the others foresees that.
TEST(MeasuredDevice, ACurveThatSaysLittleOfOtherShapesIsDoubtful) {
    auto records = world();
    EXPECT_TRUE(measured_device({.records = records, .backend = "cpu"})->curves.front().doubt.empty());
    bool is_slow = false;
    for (Record& record : records) {
        auto* measured = std::get_if<Measurement>(&record.what);
        if (measured != nullptr && measured->of.benchmark == "matmul" && (is_slow = !is_slow)) {
            for (Seconds* time : {&measured->time.least, &measured->time.first_quartile, &measured->time.median,
                                  &measured->time.third_quartile}) {
                *time = 8 * *time;
            }
        }
    }
    const auto device = measured_device({.records = records, .backend = "cpu"});
    for (const cluster::KernelCurve& curve : device->curves) {
        const bool is_product = curve.kind == graph::KernelKind::matmul;
        EXPECT_EQ(curve.doubt.starts_with("times between its points are off by up to "), is_product) << curve.doubt;
    }
}

TEST(MeasuredDevice, OnlyWhatRanOnAsManyThreadsCounts) {
    auto records = world();
    records.push_back(timed(product(128, 512, 256, 2), true_time(128, 512, 256) / 2));
    const auto device = measured_device({.records = records, .backend = "cpu", .threads = 1});
    EXPECT_EQ(cost::kernel_time(*device, graph::matmul(128, 512, 256), Precision::fp32).time.value,
              true_time(128, 512, 256));
}

TEST(MeasuredDevice, AKernelWhoseResultIsWrongSaysNothing) {
    auto records = world();
    Case check = product(8, 8, 8);
    check.parameters["check"] = 1.0;
    const Record failed{
        .backend = "cpu", .date = "2026-11-20T12:00:00Z", .what = Failure{check, "the result is wrong"}};
    records.push_back(failed);
    EXPECT_THROW(static_cast<void>(measured_device({.records = records, .backend = "cpu"})), InputError);
    Measurement passed;
    passed.of = check;
    records.push_back({.backend = "cpu", .date = "2026-11-20T12:00:00Z", .what = passed});
    EXPECT_TRUE(measured_device({.records = records, .backend = "cpu"}).has_value());
}

// int8 of 1,000 elements with a scale for 250: 2 (4,000 + 1,000 + 16) bytes; the exact selection of 10 of them: (4 + 1)
// 4,000 + 2 * 80 bytes.
TEST(MeasuredDevice, KernelsOfCompressionBecomeCurvesOverTheirBytes) {
    std::vector<Record> records = world();
    const auto add = [&](const char* kernel, double elements, Seconds time) {
        records.push_back(
            timed({.benchmark = "compression",
                   .parameters = {{"kernel", kernel}, {"elements", elements}, {"density", 0.01}, {"block", 250.}}},
                  time));
    };
    add("int8", 2000, 7_us);
    add("int8", 1000, 4_us);
    add("exact-top-k", 1000, 9_us);
    const auto device = measured_device({.records = records, .backend = "cpu"});
    ASSERT_EQ(device->compressions.size(), 2u);
    EXPECT_EQ(device->compressions[0].kernel, cluster::CompressionKernel::exact_top_k);
    EXPECT_EQ(device->compressions[0].points,
              (std::vector<cluster::CompressionCurve::Point>{{Bytes::of_base(20160), 9_us}}));
    EXPECT_EQ(device->compressions[1].points, (std::vector<cluster::CompressionCurve::Point>{
                                                  {Bytes::of_base(10032), 4_us}, {Bytes::of_base(20064), 7_us}}));
    EXPECT_EQ(device->compressions[1].provenance.date, "2026-11-20");
    EXPECT_TRUE(measured_device({.records = world(), .backend = "cpu"})->compressions.empty());
}

TEST(MeasuredDevice, KernelsOfCompressionThatAGpuRanAreThoseOfTheGpu) {
    std::vector<Record> records = world();
    for (Record& record : records) {
        record.backend = "cuda";
    }
    const Case int8{.benchmark = "compression",
                    .parameters = {{"kernel", "int8"}, {"elements", 1000.}, {"block", 250.}}};
    records.push_back(timed(int8, 4_us));
    records.back().backend = "cuda";
    records.push_back(timed(int8, 400_us));  // the CPU's
    const auto device = measured_device({.records = records, .backend = "cuda"});
    ASSERT_EQ(device->compressions.size(), 1u);
    EXPECT_EQ(device->compressions[0].points,
              (std::vector<cluster::CompressionCurve::Point>{{Bytes::of_base(10032), 4_us}}));
}

TEST(MeasuredDevice, WithoutKernelsThereIsNoneAndWithoutProductsItSaysWhatLacks) {
    EXPECT_FALSE(measured_device({.records = {}, .backend = "cpu"}).has_value());
    const std::vector<Record> streams{timed(stream(1 << 30), 100_us)};
    try {
        static_cast<void>(measured_device({.records = streams, .backend = "cpu"}));
        FAIL() << "a device without a product";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("no matrix product was measured"), std::string::npos);
    }
}

TEST(Comparison, SaysWhatDiffersBeyondTheSpread) {
    std::vector<Record> later = world();
    later[0] = {.backend = "cpu",
                .date = "2027-02-01T12:00:00Z",
                .what = Environment{{{"device", "A CPU (R)"}, {"memory", "16e9"}, {"onednn", "2.7"}}}};
    later.push_back(timed(product(128, 512, 256), 1.5 * true_time(128, 512, 256), "2027-02-01T12:00:00Z"));
    later.push_back(timed(product(1, 2, 3), 1_us));
    const RecordComparison found = compare(world(), later);
    ASSERT_EQ(found.facts.size(), 1u);
    EXPECT_EQ(found.facts[0].key, "onednn");
    EXPECT_EQ(found.facts[0].second, "2.7");
    EXPECT_EQ(found.only_first, 0u);
    EXPECT_EQ(found.only_second, 1u);
    int differing = 0;
    for (const ComparedCase& one : found.cases) {
        differing += one.differs() ? 1 : 0;
        EXPECT_NEAR(one.ratio(), one.of == product(128, 512, 256) ? 1.5 : 1, 1e-12);
    }
    EXPECT_EQ(differing, 1);
}

}  // namespace measured_device_test
}  // namespace dodona::calibrate
