#include "reports/document/number_format.hpp"

#include <gtest/gtest.h>

namespace dodona::reports {
namespace number_format_test {

using namespace dodona::literals;

TEST(NumberFormat, HaveThreeSignificantDigits) {
    EXPECT_EQ(three_digits(0), "0");
    EXPECT_EQ(three_digits(1.2345), "1.23");
    EXPECT_EQ(three_digits(9.996), "10.0");
    EXPECT_EQ(three_digits(99.96), "100");
    EXPECT_EQ(three_digits(183'942), "184,000");
    EXPECT_EQ(three_digits(-1234), "-1,230");
    EXPECT_EQ(three_digits(0.001234), "0.00123");
}

TEST(NumberFormat, TakeTheUnitInWhichTheyAreReadable) {
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

TEST(NumberFormat, KeepAllDigitsOfWholeNumbers) {
    EXPECT_EQ(whole(25'557'032), "25,557,032");
    EXPECT_EQ(whole(64), "64");
    EXPECT_EQ(counted(1, "stage"), "1 stage");
    EXPECT_EQ(counted(8, "micro-batch"), "8 micro-batches");
}

TEST(NumberFormat, SayPercentagesWithOneDecimal) {
    EXPECT_EQ(percent(0.5154), "51.5 %");
    EXPECT_EQ(percent(0), "0.0 %");
    EXPECT_EQ(percent(0.0001), "< 0.1 %");
}

TEST(NumberFormat, WritesCellsWithTheirIntervalsAndMarks) {
    EXPECT_EQ(text(Cell(Estimate{17.1_s, 15.2_s, 20_s})), "17.1 s (15.2 to 20.0 s)");
    EXPECT_EQ(text_with_interval(Cell(Estimate{17.1_s, 15.2_s, 20_s})), "17.1 s (90 % interval 15.2 to 20.0 s)");
    EXPECT_EQ(text(Cell(Estimate{17.1_s, 17.1_s, 17.1_s})), "17.1 s") << "an interval without a width is none";
    EXPECT_EQ(text(Cell(Count{2}, Mark::tied)), "~2");
    EXPECT_EQ(text(Cell(Count{384}, Mark::answer)), "> 384");
    EXPECT_EQ(text(Cell(Percent{.ratio = 0.032, .sign = true})), "+3.2 %");
    EXPECT_EQ(text(Cell(Rate{183'942, "tokens"})), "184,000 tokens/s");
    EXPECT_EQ(text(duration_cell({86400_s, 43200_s, 172800_s})), "1.00 d (12.0 h to 2.00 d)");
    EXPECT_EQ(text(Cell()), "");
}

TEST(NumberFormat, NameTheUnitOfAnIntervalOnce) {
    EXPECT_EQ(interval({17.1_s, 15.2_s, 20_s}), "15.2 to 20.0 s");
    EXPECT_EQ(interval({1_s, 0.9_s, 1.1_s}), "900 ms to 1.10 s");
}

}  // namespace number_format_test
}  // namespace dodona::reports
