#include "exchange/lemmas.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dodona::exchange::testing {
namespace lemmas_test {

// R = 0.1, a = 0.8: (1 + 0.1 - 0.8) / (0.8 * 0.1) = 3.75; four devices reach 1.1 / 1.4 = 0.7857.
TEST(Lemmas, OfDevicesByHand) {
    EXPECT_NEAR(devices_at_efficiency(0.1, 0.8), 3.75, 1e-12);
    EXPECT_NEAR(devices_at_efficiency(0.01, 0.8), 26.25, 1e-12);
    EXPECT_NEAR(efficiency_with_overhead(0.1, 4), 0.785714, 1e-6);
    EXPECT_TRUE(std::isinf(devices_at_efficiency(0, 0.8)));
}

RC_GTEST_PROP(Lemmas, AreInverse, ()) {
    const double overhead = *rc::gen::inRange(1, 1000) / 1000.0;
    const double efficiency = *rc::gen::inRange(1, 100) / 100.0;
    const double devices = devices_at_efficiency(overhead, efficiency);
    RC_ASSERT(std::abs(efficiency_with_overhead(overhead, devices) - efficiency) < 1e-12);
}

}  // namespace lemmas_test
}  // namespace dodona::exchange::testing
