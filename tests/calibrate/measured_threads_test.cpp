// What threads cost, of records that a world with known costs would have.
#include <cmath>

#include <gtest/gtest.h>

#include "calibrate/machine/measured_threads.hpp"

namespace dodona::calibrate {
namespace measured_threads_test {

Record timed(const std::string& benchmark, std::map<std::string, Parameter> parameters, Seconds time) {
    Measurement measured;
    measured.of = {.benchmark = benchmark, .parameters = std::move(parameters)};
    measured.time = {.least = time, .first_quartile = time, .median = time, .third_quartile = time};
    measured.time.samples = 5;
    return {.backend = "cpu", .date = "2026-11-25T12:00:00Z", .what = measured};
}

/// Of eight cores: f(n) = 3 us + 1 us log2 n; 50 passes of 100 us, which take a fifth longer on two threads a core; two
/// products of 300 us in all, a half longer, and four times as long side by side as in turn.
std::vector<Record> eight_cores() {
    std::vector<Record> records{timed("launch", {{"kind", "plain"}}, 2_us)};
    for (const double threads : {2., 4., 8.}) {
        records.push_back(timed("fork", {{"threads", threads}}, (3 + std::log2(threads)) * 1_us));
    }
    for (const double bytes : {0x1p20, 0x1p28, 0x1p30}) {  // the smallest in a cache
        const double rate = bytes < 0x1p21 ? 100e9 : 12e9;
        records.push_back(
            timed("stream", {{"bytes", bytes}, {"pattern", "copy"}, {"threads", 1.}}, bytes / rate * 1_s));
        records.push_back(
            timed("stream", {{"bytes", bytes}, {"pattern", "copy"}, {"threads", 8.}}, bytes / 40e9 * 1_s));
    }
    const auto crowd = [&](const char* kernel, double m, double threads, double operators, Seconds time) {
        records.push_back(timed("crowd",
                                {{"kernel", kernel},
                                 {"m", m},
                                 {"passes", 50.},
                                 {"cores", 8.},
                                 {"operators", operators},
                                 {"threads", threads}},
                                time));
    };
    crowd("stream", 0, 8, 1, 50 * 100_us);
    crowd("stream", 0, 16, 1, 50 * 120_us);
    crowd("stream", 0, 8, 2, 50 * 190_us);
    for (const double m : {1., 2.}) {
        crowd("matmul", m, 8, 1, m * 100_us);
        crowd("matmul", m, 16, 1, m * 150_us);
        crowd("matmul", m, 8, 2, m * 800_us);
    }
    crowd("convolution", 0, 8, 1, 100_us);  // the others failed
    return records;
}

TEST(MeasuredThreads, CostWhatTheyDo) {
    const auto found = measured_threads(eight_cores(), {.source = "a test"});
    ASSERT_TRUE(found.has_value());
    EXPECT_NEAR(found->fork.in(1_us), 3, 1e-9);
    EXPECT_NEAR(found->barrier.in(1_us), 1, 1e-9);
    EXPECT_EQ(found->serial, 2_us);
    EXPECT_NEAR(found->core_bandwidth.in(1_GB_per_s), 12, 1e-9);
    ASSERT_EQ(found->crowding.size(), 2U) << "of convolutions not all was measured";
    EXPECT_EQ(found->crowding[0].kernel, graph::KernelKind::matmul);
    EXPECT_NEAR(found->crowding[0].threads, 0.5, 1e-9);
    EXPECT_NEAR(found->crowding[0].operators, 3, 1e-9);
    EXPECT_NEAR(found->crowding[1].threads, 0.2, 1e-9);
    EXPECT_EQ(found->crowding[1].operators, 0) << "side by side they are quicker than in turn";
    EXPECT_EQ(found->provenance.source, "a test");
}

/// Of two cores there is one fork: all of it is one.
TEST(MeasuredThreads, OfOneNumberOfThreadsHaveNoBarrier) {
    const std::vector<Record> records{
        timed("fork", {{"threads", 2.}}, 4_us),
        timed("stream", {{"bytes", 0x1p28}, {"pattern", "triad"}, {"threads", 1.}}, 20'000_us)};
    const auto found = measured_threads(records, {});
    ASSERT_TRUE(found.has_value());
    EXPECT_NEAR((found->fork + found->barrier).in(1_us), 4, 1e-9);
    EXPECT_TRUE(found->crowding.empty());
}

/// The back end says so where other programs had the core in every sample.
TEST(MeasuredThreads, ThatWaitedForACoreSayNothing) {
    std::vector<Record> records = eight_cores();
    for (Record& record : records) {
        auto& measured = std::get<Measurement>(record.what);
        if (measured.of.benchmark == "fork") {
            measured.words["clock"] = "wall, of switched samples";
        }
    }
    EXPECT_FALSE(measured_threads(records, {}).has_value());
}

TEST(MeasuredThreads, AreNoneWhereNoForkWasMeasured) {
    EXPECT_FALSE(measured_threads(std::vector<Record>{timed("launch", {{"kind", "plain"}}, 2_us)}, {}).has_value());
}

}  // namespace measured_threads_test
}  // namespace dodona::calibrate
