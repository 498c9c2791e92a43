#include "calibrate/network/thinning.hpp"

#include <gtest/gtest.h>

namespace dodona::calibrate {
namespace thinning_test {

constexpr double kRate = 48e3;  // B/us: 48 GB/s

/// Sizes `step` times apart, at one rate but the last, which takes `longer` times as long.
Measured table(double first, double step, int sizes, double longer, std::size_t repeats = 1) {
    Measured measured;
    double bytes = first;
    for (int i = 0; i < sizes; ++i, bytes *= step) {
        const double time = (i + 1 == sizes ? longer : 1) * bytes / kRate;
        measured.points[bytes].assign(repeats, time);
    }
    return measured;
}

double last_rate(const Measured& measured) {
    const auto last = thinned({}, measured).points.back();
    return last.size.in(unit::byte) / last.time.in(1_us);
}

// 2.4 GB over 8 nodes of Vista took 101 ms once, sizes a little smaller 12 ms less than at its rate.
TEST(Thinning, OneDisturbedTransferAtTheEndIsNoPoint) { EXPECT_NEAR(last_rate(table(1e9, 1.02, 40, 1.17)), kRate, 1); }

TEST(Thinning, ScatterAtTheEndIsAPoint) { EXPECT_NEAR(last_rate(table(1e9, 1.02, 40, 1.05)), kRate / 1.05, 1); }

TEST(Thinning, ALastSizeMeasuredTwiceIsAPoint) {
    EXPECT_NEAR(last_rate(table(1e9, 1.02, 40, 1.17, 2)), kRate / 1.17, 1);
}

// Between sizes that double the rate may fall, as beyond a cache.
TEST(Thinning, ALastSizeFarFromTheOthersIsAPoint) { EXPECT_NEAR(last_rate(table(1e6, 2, 12, 1.17)), kRate / 1.17, 1); }

}  // namespace thinning_test
}  // namespace dodona::calibrate
