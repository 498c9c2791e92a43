// Spread and verdict of a calibration, kind by kind.
#include <gtest/gtest.h>

#include "calibrate/program/host_state.hpp"
#include "calibrate/program/live_table.hpp"
#include "calibrate/program/report.hpp"

namespace dodona::calibrate::test {
namespace program_report_test {

Case matmul(double m) { return {.benchmark = "matmul", .parameters = {{"m", m}}}; }

/// Quartiles at +-`half` of a median of 1 s.
Record measured(const std::string& backend, Case of, double half, std::map<std::string, std::int64_t> rejected = {}) {
    const Statistics time{.least = Seconds::of_base(1 - half),
                          .first_quartile = Seconds::of_base(1 - half),
                          .median = 1_s,
                          .third_quartile = Seconds::of_base(1 + half),
                          .samples = 8,
                          .rejected = std::move(rejected)};
    return {.backend = backend, .what = Measurement{.of = std::move(of), .time = time}};
}

// Spreads of 2, 4 and 30 %: the median is 4 %. The first measurement of m = 1 counts no more.
TEST(MeasuredKinds, HaveTheMedianSpreadOfTheirLatestCases) {
    const auto kinds =
        measured_kinds({measured("cpu", matmul(1), 0.4), measured("cpu", matmul(1), 0.01),
                        measured("cpu", matmul(2), 0.02), measured("cpu", matmul(3), 0.15),
                        measured("import", matmul(4), 0.5), measured("mpi", {.benchmark = "send"}, 0.1)});
    ASSERT_EQ(kinds.size(), 2U);
    EXPECT_EQ(kinds[0].benchmark, "matmul");
    EXPECT_EQ(kinds[0].steadiness.cases(), 3U);
    EXPECT_NEAR(kinds[0].steadiness.spread(), 0.04, 1e-12);
    EXPECT_NEAR(kinds[0].steadiness.worst_spread(), 0.3, 1e-12);
    EXPECT_EQ(kinds[0].verdict(), "steady");
    EXPECT_EQ(kinds[1].backend, "mpi");
    EXPECT_EQ(kinds[1].verdict(), "doubtful: samples vary by 20 %: is something else running?");
}

// 2 of 8 + 2 samples were throttled: 20 %. A single one of 8 + 8 + 1 is not worth a word.
TEST(MeasuredKinds, SayWhichSamplesWereRejected) {
    const auto throttled = measured_kinds({measured("cuda", matmul(1), 0.01, {{"throttled", 2}})});
    EXPECT_EQ(throttled[0].verdict(), "doubtful: throttled 20.0 % of samples");
    const auto hardly =
        measured_kinds({measured("cuda", matmul(1), 0.01, {{"throttled", 1}}), measured("cuda", matmul(2), 0.01)});
    EXPECT_EQ(hardly[0].verdict(), "steady");
}

TEST(LiveTable, HasARowForEachBenchmarkWithWhatIsKnownOfIt) {
    LiveTable table;
    table.plan("cpu", {matmul(1), matmul(2), {.benchmark = "send"}});
    table.answered(measured("cpu", matmul(1), 0.15));
    table.answered({.backend = "cpu", .what = Failure{.of = matmul(2), .why = "it died"}});
    const std::vector<std::string> lines = table.lines(10);
    ASSERT_EQ(lines.size(), 5U);
    EXPECT_EQ(lines[0], "2 of 3 cases, 5 s left");
    EXPECT_EQ(lines[2],
              "  cpu      matmul               2 of 2     1.00 s   30.0 %  1 failed; doubtful: samples vary by "
              "30 %: is something else running?");
    EXPECT_EQ(lines[3], "  cpu      send                 0 of 1                      ");
}

TEST(HostState, IsThatOfTheLatestMeasuring) {
    const auto host = [](std::map<std::string, std::string> facts) {
        return Record{.backend = kHostRecords, .what = Environment{std::move(facts)}};
    };
    EXPECT_EQ(host_state_text(std::vector<Record>{}), "");
    EXPECT_EQ(host_state_text(std::vector{measured("cpu", matmul(1), 0.1)}), "");
    EXPECT_EQ(
        host_state_text(std::vector{
            host({{"load", "9.0 of 2 CPUs"}}),
            host({{"load", "0.1 of 2 CPUs"}, {"governor", "powersave"}, {"turbo", "off"}, {"kernel", "Linux 6.1"}})}),
        "load 0.1 of 2 CPUs, governor powersave, turbo off, Linux 6.1");
    EXPECT_TRUE(host_state().contains("kernel"));
}

TEST(PlannedText, SaysWhatIsMeasuredAndHowLongItTakesAtMost) {
    EXPECT_EQ(planned_text("cpu", {matmul(1), {.benchmark = "send"}, matmul(2)}, 2),
              "cpu: 3 cases, 6.00 s at most: matmul 2, send 1");
}

}  // namespace program_report_test
}  // namespace dodona::calibrate::test
