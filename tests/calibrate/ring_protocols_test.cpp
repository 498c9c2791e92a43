#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "calibrate/network/ring_protocols.hpp"

namespace dodona::calibrate {
namespace ring_protocols_test {

using cluster::Collective;

struct LinkTiming {
    double start_us = 20;
    double step_us = 5;
    double rate = 1e9;  ///< B/s

    [[nodiscard]] double us(double passes, double ranks, double bytes) const {
        return start_us + passes * (ranks - 1) * step_us + passes * (ranks - 1) / ranks * bytes / rate * 1e6;
    }
};

Tables tables(const std::function<double(double passes, double ranks, double bytes)>& us) {
    Tables all;
    for (const Collective collective : {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter}) {
        for (const std::int64_t ranks : {2, 4, 8}) {
            for (double bytes = 4096; bytes <= 64e6; bytes *= 2) {
                all[{collective, ranks, 1}].points[bytes] = {
                    us(collective == Collective::all_reduce ? 2 : 1, static_cast<double>(ranks), bytes)};
            }
        }
    }
    return all;
}

TEST(RingProtocols, OneIsFoundWhateverItsScale) {
    for (const double scale : {0.05, 1.0, 1000.0}) {  // shared memory, a fabric, a wide-area link
        const LinkTiming timing{20 * scale, 5 * scale, 1e9 / scale};
        const RingProtocols fit = fit_ring_protocols(
            tables([&](double passes, double ranks, double bytes) { return timing.us(passes, ranks, bytes); }),
            BytesPerSecond::of_base(1.25e9 / scale));
        ASSERT_EQ(fit.protocols.size(), 1U);
        EXPECT_NEAR(fit.protocols[0].timing.start.in(1_us), 20 * scale, 0.02 * 20 * scale);
        EXPECT_NEAR(fit.protocols[0].timing.step.in(1_us), 5 * scale, 0.02 * 5 * scale);
        EXPECT_NEAR(fit.protocols[0].timing.efficiency, 0.8, 0.016);
        EXPECT_LT(fit.error, 0.001);
    }
}

TEST(RingProtocols, TwoAreToldApart) {
    const LinkTiming few{6, 1, 4e8};
    const LinkTiming many{30, 3, 1e9};
    const RingProtocols fit =
        fit_ring_protocols(tables([&](double passes, double ranks, double bytes) {
                               return std::min(few.us(passes, ranks, bytes), many.us(passes, ranks, bytes));
                           }),
                           BytesPerSecond::of_base(1e9));
    ASSERT_EQ(fit.protocols.size(), 2U);
    EXPECT_NEAR(fit.protocols[0].timing.step.in(1_us), 1, 0.1);
    EXPECT_NEAR(fit.protocols[0].timing.efficiency, 0.4, 0.04);
    EXPECT_NEAR(fit.protocols[1].timing.step.in(1_us), 3, 0.3);
    EXPECT_NEAR(fit.protocols[1].timing.efficiency, 1, 0.02);
    EXPECT_LT(fit.error, 0.05);
}

TEST(RingProtocols, BadRowsMoveItLittle) {
    const LinkTiming timing;
    Tables all = tables([&](double passes, double ranks, double bytes) { return timing.us(passes, ranks, bytes); });
    all[{Collective::all_reduce, 4, 1}].points[4096] = {900};
    all[{Collective::all_gather, 8, 1}].points[65536] = {9000};
    const RingProtocols fit = fit_ring_protocols(all, BytesPerSecond::of_base(1e9));
    EXPECT_NEAR(fit.protocols.back().timing.step.in(1_us), 5, 0.1);
    EXPECT_NEAR(fit.protocols.back().timing.efficiency, 1, 0.02);
    EXPECT_LT(fit.median_error, 0.01);
}

TEST(RingProtocols, NoneOfTooLittle) {
    Tables all;
    all[{Collective::all_to_all, 4, 1}].points = {{1024, {1}}, {2048, {2}}, {4096, {4}}, {8192, {8}}};
    all[{Collective::all_reduce, 4, 1}].points = {{1024, {1}}, {2048, {2}}};
    EXPECT_TRUE(fit_ring_protocols(all, BytesPerSecond::of_base(1e9)).protocols.empty());
}

}  // namespace ring_protocols_test
}  // namespace dodona::calibrate
