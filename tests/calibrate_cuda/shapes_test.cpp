// What needs no GPU of the back end for GPUs: layouts, clocks, collectives.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "calibrate/cuda/collective_shape.hpp"
#include "calibrate/cuda/device_facts.hpp"
#include "calibrate/cuda/product_layout.hpp"
#include "calibrate/cuda/throttle.hpp"
#include "calibrate/cuda/versions.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cuda {
namespace {

/// What cuBLAS computes of column-major operands, element by element.
std::vector<double> by_columns(const ProductLayout& layout, const std::vector<double>& a,
                               const std::vector<double>& b) {
    const auto at = [](const std::vector<double>& m, Shape shape, bool transposed, std::int64_t r, std::int64_t c) {
        return m[static_cast<std::size_t>(transposed ? c + r * shape.rows : r + c * shape.rows)];
    };
    const std::int64_t depth = layout.transpose_a ? layout.a.rows : layout.a.columns;
    std::vector<double> c(static_cast<std::size_t>(layout.c.elements()));
    for (std::int64_t row = 0; row < layout.c.rows; ++row) {
        for (std::int64_t column = 0; column < layout.c.columns; ++column) {
            for (std::int64_t k = 0; k < depth; ++k) {
                c[static_cast<std::size_t>(row + column * layout.c.rows)] +=
                    at(a, layout.a, layout.transpose_a, row, k) * at(b, layout.b, layout.transpose_b, k, column);
            }
        }
    }
    return c;
}

/// Row-major `first` by `second`, as the table of benchmark_case.hpp says, of that direction.
std::vector<double> by_rows(const std::string& direction, std::int64_t m, std::int64_t n, std::int64_t k,
                            const std::vector<double>& first, const std::vector<double>& second) {
    std::vector<double> out(static_cast<std::size_t>(m * n));
    for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
            for (std::int64_t l = 0; l < k; ++l) {
                const std::int64_t x = direction == "backward-weight" ? l * m + i : i * k + l;
                const std::int64_t w = direction == "forward" ? j * k + l : l * n + j;
                out[static_cast<std::size_t>(i * n + j)] +=
                    first[static_cast<std::size_t>(x)] * second[static_cast<std::size_t>(w)];
            }
        }
    }
    return out;
}

RC_GTEST_PROP(ProductLayout, IsTheRowMajorProductOfItsDirection, ()) {
    const std::int64_t m = *rc::gen::inRange(1, 7);
    const std::int64_t n = *rc::gen::inRange(1, 7);
    const std::int64_t k = *rc::gen::inRange(1, 7);
    const std::string direction = *rc::gen::element<std::string>("forward", "backward-input", "backward-weight");
    const auto numbers = [](std::int64_t count) {
        return *rc::gen::container<std::vector<double>>(
            static_cast<std::size_t>(count), rc::gen::map(rc::gen::inRange(-9, 10), [](int i) { return 1.0 * i; }));
    };
    const auto first = numbers(m * k);
    const auto second = numbers(n * k);
    // The row-major first operand is the column-major second one; the results are the same memory.
    RC_ASSERT(by_columns(product_layout(direction, m, n, k), second, first) ==
              by_rows(direction, m, n, k, first, second));
}

TEST(ProductLayout, IsWrittenAsPeopleDo) {
    EXPECT_EQ(product_layout("forward", 2, 3, 4).letters(), "TN");
    EXPECT_EQ(product_layout("backward-input", 2, 3, 4).letters(), "NN");
    EXPECT_EQ(product_layout("backward-weight", 2, 3, 4).letters(), "NT");
    EXPECT_EQ(narrow_layout(2, 3, 4), product_layout("forward", 2, 3, 4));
    EXPECT_THROW(product_layout("sideways", 1, 1, 1), CannotMeasure);
}

TEST(ClockRule, RejectsAMomentBelowTheSettledClock) {
    ClockRule rule(2e9);
    EXPECT_TRUE(rule.accepts(1.81e9));
    EXPECT_FALSE(rule.accepts(1.79e9));
    EXPECT_TRUE(rule.accepts(0)) << "a clock that was not read rejects nothing";
    EXPECT_TRUE(rule.accepts(2.1e9));
    EXPECT_EQ(rule.settled(), 2.1e9) << "a better clock becomes the settled one";
}

TEST(ClockRule, TakesAClockThatStaysLowForTheWorksOwn) {
    ClockRule rule(2e9);
    for (int i = 0; i < kSettledAfter; ++i) {
        EXPECT_FALSE(rule.accepts(1.4e9 + 1e6 * i)) << i;
    }
    EXPECT_EQ(rule.settled(), 1.4e9 + 1e6 * (kSettledAfter - 1));
    EXPECT_TRUE(rule.accepts(1.4e9));
    EXPECT_FALSE(rule.accepts(1.2e9));
}

TEST(ClockRule, AGoodSampleBetweenBadOnesStartsTheCountAnew) {
    ClockRule rule(2e9);
    for (int i = 0; i < 3 * kSettledAfter; ++i) {
        EXPECT_EQ(rule.accepts(i % kSettledAfter == 0 ? 2e9 : 1e9), i % kSettledAfter == 0) << i;
    }
    EXPECT_EQ(rule.settled(), 2e9);
}

TEST(CollectiveShape, HoldsWhatEachRankHolds) {
    // 64 bytes are 16 numbers, 4 a rank of four.
    const auto shape = [](const char* word) { return collective_shape(word, 64, 4, false); };
    EXPECT_EQ(shape("all-reduce").sent, 16);
    EXPECT_EQ(shape("all-reduce").received, 16);
    EXPECT_EQ(shape("reduce-scatter").sent, 16);
    EXPECT_EQ(shape("reduce-scatter").received, 4);
    EXPECT_EQ(shape("all-gather").sent, 4);
    EXPECT_EQ(shape("all-gather").received, 16);
    EXPECT_EQ(shape("all-to-all").sent, 16);
    EXPECT_EQ(shape("all-to-all").part, 4);
    EXPECT_EQ(shape("broadcast").part, 16);
    EXPECT_EQ(collective_shape("all-gather", 70, 4, false).received, 16) << "what does not divide is left out";
}

TEST(CollectiveShape, RefusesInWords) {
    EXPECT_THROW(collective_shape("gossip", 64, 4, false), CannotMeasure);
    EXPECT_THROW(collective_shape("all-gather", 8, 4, false), CannotMeasure);
    EXPECT_THROW(collective_shape("all-to-all", 64, 4, true), CannotMeasure);
}

TEST(CollectiveShape, ExpectsOfTheLastRankWhatTheCollectiveSays) {
    const std::vector<std::vector<float>> two{{1, 2, 3, 4}, {10, 20, 30, 40}};
    using Numbers = std::vector<double>;
    EXPECT_EQ(expected_of_last(collective_shape("all-reduce", 16, 2, false), two, 4), (Numbers{11, 22, 33, 44}));
    EXPECT_EQ(expected_of_last(collective_shape("reduce-scatter", 16, 2, false), two, 2), (Numbers{33, 44}));
    EXPECT_EQ(expected_of_last(collective_shape("all-to-all", 16, 2, false), two, 4), (Numbers{3, 4, 30, 40}));
    EXPECT_EQ(expected_of_last(collective_shape("broadcast", 16, 2, false), two, 4), (Numbers{1, 2, 3, 4}));
    EXPECT_EQ(expected_of_last(collective_shape("all-gather", 32, 2, false), two, 8),
              (Numbers{1, 2, 3, 4, 10, 20, 30, 40}));
}

TEST(DeviceFacts, BandwidthIsTwoTransfersAClockOverTheBus) {
    // H200: 3201 MHz, 6144 bits: 2 * 3.201e9 * 768 B = 4.917 TB/s.
    EXPECT_NEAR(bandwidth_of_bus(3201e6, 6144).in(1.0_GB_per_s), 4916.7, 0.1);
}

TEST(Versions, AreWrittenAsPeopleDo) {
    EXPECT_EQ(cuda_version(13000), "13.0");
    EXPECT_EQ(cuda_version(12060), "12.6");
    EXPECT_EQ(library_version(91900), "9.19.0");
    EXPECT_EQ(library_version(130002), "13.0.2");
}

}  // namespace
}  // namespace dodona::calibrate::cuda
