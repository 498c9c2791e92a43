// From the convolutions of a network to their times by an algorithm.
#include <algorithm>

#include <gtest/gtest.h>

#include "base/diagnostic.hpp"
#include "calibrate/cases/algorithm_cases.hpp"
#include "calibrate/machine/measured_device.hpp"
#include "calibrate/machine/measured_kernel.hpp"
#include "cost/convolution_algorithms.hpp"
#include "tests/graph/networks.hpp"

namespace dodona::calibrate {
namespace measured_convolutions_test {

using cluster::ConvolutionAlgorithm;

Case convolution(const char* window = "3x3", const char* stride = "1x1", const char* direction = "forward") {
    return {.benchmark = "convolution",
            .parameters = {{"images", 4.},
                           {"channels", 16.},
                           {"filters", 32.},
                           {"groups", 1.},
                           {"input", "20x24"},
                           {"window", window},
                           {"stride", stride},
                           {"pad", "1x1"},
                           {"dilation", "1x1"},
                           {"layout", "nchw"},
                           {"precision", "fp32"},
                           {"direction", direction},
                           {"threads", 2.}}};
}

Case with(Case of, const char* name, const Parameter& value) {
    of.parameters[name] = value;
    return of;
}

Record timed(const Case& of, Seconds time, double workspace = 0) {
    Measurement measured;
    measured.of = of;
    measured.time = {.least = time, .first_quartile = time, .median = time, .third_quartile = time};
    measured.time.samples = 10;
    if (workspace > 0) {
        measured.values["workspace"] = workspace;
    }
    return {.backend = "cpu", .date = "2026-11-26T12:00:00Z", .what = measured};
}

/// A machine that is measured, but for its convolutions.
std::vector<Record> world() {
    std::vector<Record> records{
        {.backend = "cpu",
         .date = "2026-11-26T12:00:00Z",
         .what = Environment{{{"device", "A CPU"}, {"memory", "16e9"}, {"memory_bandwidth", "10e9"}}}}};
    records.push_back(timed({.benchmark = "matmul",
                             .parameters = {{"m", 1024.},
                                            {"n", 1024.},
                                            {"k", 1024.},
                                            {"precision", "fp32"},
                                            {"direction", "forward"},
                                            {"threads", 2.}}},
                            20000_us));
    records.push_back(timed({.benchmark = "stream", .parameters = {{"bytes", 1e9}, {"pattern", "copy"}}}, 100000_us));
    return records;
}

TEST(AlgorithmCases, AreAskedOfBackEndsThatNameTheirAlgorithms) {
    EXPECT_TRUE(algorithms_of({{{"device", "A CPU"}}}).empty());
    EXPECT_EQ(algorithms_of({{{"algorithms", "winograd fft"}}}),
              (std::vector{ConvolutionAlgorithm::winograd, ConvolutionAlgorithm::fft}));
    try {
        static_cast<void>(algorithms_of({{{"algorithms", "winograd strassen"}}}));
        FAIL() << "an algorithm that is none";
    } catch (const InputError& error) {
        const Diagnostic& first = error.diagnostics().front();
        EXPECT_EQ(first.message, "the back end names the algorithm strassen, which no convolution has");
        EXPECT_EQ(first.help, "there are implicit-gemm, precomputed-gemm, winograd, fft");
    }
}

TEST(AlgorithmCases, AreTheConvolutionsThatAnAlgorithmIsFor) {
    const auto some = [](ConvolutionAlgorithm algorithm, const Case& of) {
        return algorithm_cases({of}, {algorithm}, 2).size();
    };
    const Case plain = convolution();
    for (const ConvolutionAlgorithm algorithm : cluster::kConvolutionAlgorithms) {
        const auto cases = algorithm_cases({plain}, {algorithm}, 2);
        ASSERT_EQ(cases.size(), 1U) << name(algorithm);
        EXPECT_EQ(cases.front(), with(plain, "algorithm", std::string(name(algorithm))));
        EXPECT_EQ(some(algorithm, with(plain, "threads", 1.)), 0U);
        EXPECT_EQ(some(algorithm, with(plain, "layout", "blocked")), 0U);
        EXPECT_EQ(some(algorithm, with(plain, "input", "20x24x6")), 0U);
        EXPECT_EQ(some(algorithm, {.benchmark = "stream", .parameters = {{"threads", 2.}}}), 0U);
    }
    EXPECT_EQ(some(ConvolutionAlgorithm::winograd, convolution("5x5")), 0U);
    EXPECT_EQ(some(ConvolutionAlgorithm::winograd, convolution("3x3", "2x1")), 0U);
    EXPECT_EQ(some(ConvolutionAlgorithm::winograd, with(plain, "dilation", "1x2")), 0U);
    EXPECT_EQ(some(ConvolutionAlgorithm::fft, convolution("5x5")), 1U);
    EXPECT_EQ(some(ConvolutionAlgorithm::fft, convolution("5x5", "1x2")), 0U);
    EXPECT_EQ(some(ConvolutionAlgorithm::fft, with(plain, "input", "254x254")), 1U);
    EXPECT_EQ(some(ConvolutionAlgorithm::fft, with(plain, "input", "254x255")), 0U);
    EXPECT_EQ(some(ConvolutionAlgorithm::implicit_gemm, convolution("5x5", "2x2")), 1U);
}

// 4 images of 22 x 26 with their padding, windows of 3 x 3: 20 x 24 outputs, and 10 x 12 with strides of 2.
TEST(MeasuredConvolutions, BecomeCurvesOfTheirAlgorithmAndPass) {
    std::vector<Record> records = world();
    const Case winograd = with(convolution(), "algorithm", "winograd");
    records.push_back(timed(winograd, 3000_us, 5e6));
    records.push_back(timed(with(winograd, "images", 2.), 2000_us));
    records.push_back(timed(with(with(winograd, "seed", 2.), "images", 4.), 4000_us));  // the same, slower
    records.push_back(timed(with(convolution("3x3", "2x2", "backward-weight"), "algorithm", "implicit-gemm"), 6000_us));
    records.push_back(timed(with(winograd, "algorithm", "strassen"), 1000_us));
    records.push_back(timed(with(winograd, "input", "20x24x6"), 1000_us));
    const auto device = measured_device({.records = records, .backend = "cpu"});
    ASSERT_TRUE(device.has_value());
    ASSERT_EQ(device->convolutions.size(), 2U);
    const cluster::ConvolutionCurve& implicit = device->convolutions[0];
    EXPECT_EQ(implicit.algorithm, ConvolutionAlgorithm::implicit_gemm);
    EXPECT_EQ(implicit.direction, graph::Direction::backward_weight);
    ASSERT_EQ(implicit.points.size(), 1U);
    EXPECT_EQ(implicit.points[0].rows, 10);
    EXPECT_EQ(implicit.points[0].columns, 12);
    const cluster::ConvolutionCurve& curve = device->convolutions[1];
    EXPECT_EQ(curve.algorithm, ConvolutionAlgorithm::winograd);
    EXPECT_EQ(curve.direction, graph::Direction::forward);
    EXPECT_EQ(curve.provenance.date, "2026-11-26");
    ASSERT_EQ(curve.points.size(), 2U);
    EXPECT_EQ(curve.points[0].samples, 2);
    EXPECT_EQ(curve.points[1], (cluster::ConvolutionCurve::Point{.samples = 4,
                                                                 .groups = 1,
                                                                 .channels = 16,
                                                                 .filters = 32,
                                                                 .height = 22,
                                                                 .width = 26,
                                                                 .rows = 20,
                                                                 .columns = 24,
                                                                 .kernel_height = 3,
                                                                 .kernel_width = 3,
                                                                 .workspace = Bytes::of_base(5e6),
                                                                 .time = 3000_us}));
}

// A quick transform says nothing about what the library runs unasked.
TEST(MeasuredConvolutions, AreNotTheKernelsOfTheDevice) {
    std::vector<Record> records = world();
    records.push_back(timed(with(convolution(), "algorithm", "winograd"), 1_us));
    const auto device = measured_device({.records = records, .backend = "cpu"});
    for (const cluster::KernelCurve& curve : device->curves) {
        EXPECT_NE(curve.kind, graph::KernelKind::convolution);
    }
    EXPECT_TRUE(measured_kernels(std::get<Measurement>(records.back().what)).empty());
}

// A transform with a wrong result says nothing, the library's own convolutions still do.
TEST(MeasuredConvolutions, WithAWrongResultAreLeftOutAlone) {
    std::vector<Record> records = world();
    records.push_back(timed(convolution(), 5000_us));
    const Case winograd = with(convolution(), "algorithm", "winograd");
    records.push_back(timed(winograd, 3000_us));
    records.push_back({.backend = "cpu",
                       .date = "2026-11-26T12:00:00Z",
                       .what = Failure{with(winograd, "check", 1.), "the result is wrong"}});
    const auto device = measured_device({.records = records, .backend = "cpu"});
    EXPECT_TRUE(device->convolutions.empty());
    EXPECT_TRUE(std::any_of(device->curves.begin(), device->curves.end(), [](const cluster::KernelCurve& curve) {
        return curve.kind == graph::KernelKind::convolution;
    }));
}

/// The layer of a network is found again among what was measured of it.
TEST(MeasuredConvolutions, AreThoseOfTheLayer) {
    const graph::Graph graph = graph::build(graph::test::network(
        graph::test::tensor({{"channel", 16}, {"height", 20}, {"width", 24}}),
        {graph::test::layer("conv", "conv",
                            {{"filters", std::int64_t{32}}, {"kernel", std::int64_t{3}}, {"pad", std::int64_t{1}}})}));
    const auto layer = cost::convolution_of(graph, graph.layer(graph::test::find(graph, "conv")), 4).value();
    std::vector<Record> records = world();
    for (const char* direction : {"forward", "backward-input", "backward-weight"}) {
        records.push_back(timed(convolution("3x3", "1x1", direction), 5000_us));
        records.push_back(timed(with(convolution("3x3", "1x1", direction), "algorithm", "winograd"), 3000_us));
    }
    const auto device = measured_device({.records = records, .backend = "cpu"});
    const auto costs = cost::algorithm_costs(*device, layer, Precision::fp32);
    ASSERT_EQ(costs.size(), 3U);
    const double passes = layer.input_gradient ? 3 : 2;
    EXPECT_EQ(costs[0].time, passes * 5000_us);
    EXPECT_EQ(costs[0].evidence, Evidence::measured);
    EXPECT_EQ(costs[2].algorithm, ConvolutionAlgorithm::winograd);
    EXPECT_EQ(costs[2].time, passes * 3000_us);
    EXPECT_EQ(costs[2].evidence, Evidence::measured);
}

}  // namespace measured_convolutions_test
}  // namespace dodona::calibrate
