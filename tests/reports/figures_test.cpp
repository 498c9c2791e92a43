#include "reports/figures.hpp"

#include <gtest/gtest.h>

namespace dodona::reports {
namespace figures_test {

using namespace dodona::literals;

TEST(Figures, HaveThreeSignificantDigits) {
    EXPECT_EQ(figure(0), "0");
    EXPECT_EQ(figure(1.2345), "1.23");
    EXPECT_EQ(figure(9.996), "10.0");
    EXPECT_EQ(figure(99.96), "100");
    EXPECT_EQ(figure(183'942), "184,000");
    EXPECT_EQ(figure(-1234), "-1,230");
    EXPECT_EQ(figure(0.001234), "0.00123");
}

TEST(Figures, TakeTheUnitInWhichTheyAreReadable) {
    EXPECT_EQ(text(17.14_s), "17.1 s");
    EXPECT_EQ(text(0.4118_s), "412 ms");
    EXPECT_EQ(text(0.9999_s), "1.00 s");
    EXPECT_EQ(text(Seconds{}), "0 s");
    EXPECT_EQ(text(64_GiB), "64.0 GiB");
    EXPECT_EQ(text(1.5 * 1_GiB), "1.50 GiB");
    EXPECT_EQ(text(Bytes{}), "0 B");
    EXPECT_EQ(text(312_TFLOP_per_s), "312 TFLOP/s");
    EXPECT_EQ(text(12.5_GB_per_s), "12.5 GB/s");
    EXPECT_EQ(large(174'615'846'912), "175 billion");
}

TEST(Figures, KeepAllDigitsOfWholeNumbers) {
    EXPECT_EQ(whole(25'557'032), "25,557,032");
    EXPECT_EQ(whole(64), "64");
    EXPECT_EQ(counted(1, "stage"), "1 stage");
    EXPECT_EQ(counted(8, "micro-batch"), "8 micro-batches");
}

TEST(Figures, SayPercentagesWithOneDecimal) {
    EXPECT_EQ(percent(0.5154), "51.5 %");
    EXPECT_EQ(percent(0), "0.0 %");
    EXPECT_EQ(percent(0.0001), "< 0.1 %");
}

TEST(Figures, NameTheUnitOfAnIntervalOnce) {
    EXPECT_EQ(interval({17.1_s, 15.2_s, 20_s}), "15.2 to 20.0 s");
    EXPECT_EQ(interval({1_s, 0.9_s, 1.1_s}), "900 ms to 1.10 s");
}

}  // namespace figures_test
}  // namespace dodona::reports
