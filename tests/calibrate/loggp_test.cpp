#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "calibrate/network/loggp.hpp"
#include "network_records.hpp"

namespace dodona::calibrate {
namespace loggp_test {

/// A network with known parameters; long messages wait for an answer and then go at another rate.
struct World {
    Seconds latency = 5_us;
    Seconds overhead = 1_us;
    Seconds gap = 2_us;
    double seconds_per_byte = 1e-10;
    double eager_limit = 65536;
    Seconds handshake = 15_us;
    double long_seconds_per_byte = 0.8e-10;

    [[nodiscard]] Seconds one_way(double bytes) const {
        const bool eager = bytes <= eager_limit;
        return latency + 2.0 * overhead + (eager ? Seconds{} : handshake) +
               (bytes - 1) * (eager ? seconds_per_byte : long_seconds_per_byte) * 1_s;
    }
    [[nodiscard]] std::vector<Record> records() const {
        std::vector<Record> records;
        for (double bytes = 1; bytes <= 16 * 1048576; bytes *= 2) {
            records.push_back(measured(send(bytes), one_way(bytes)));
        }
        for (double bytes = 1; bytes <= 4096; bytes *= 8) {
            records.push_back(measured(send(bytes, "overhead"), overhead));
            records.push_back(measured(send(bytes, "gap"), gap + (bytes - 1) * seconds_per_byte * 1_s));
        }
        return records;
    }
};

LogGP fit(const std::vector<Record>& records) {
    std::vector<const Measurement*> messages;
    for (const Record& record : records) {
        messages.push_back(&std::get<Measurement>(record.what));
    }
    return loggp_of(messages).value();
}

bool near(double value, double expected) { return std::abs(value / expected - 1) < 0.02; }

TEST(LogGP, ParametersOfAKnownNetworkAreFound) {
    const World world;
    const LogGP found = fit(world.records());
    EXPECT_NEAR(found.latency->in(1_us), 5, 0.1);
    EXPECT_NEAR(found.overhead->in(1_us), 1, 0.02);
    EXPECT_NEAR(found.gap->in(1_us), 2, 0.04);
    EXPECT_NEAR(found.streaming->in(1_GB_per_s), 10, 0.2);
    EXPECT_LT(found.error, 0.02);
}

TEST(LogGP, TheProtocolSwitchIsWhereItIs) {
    const LogGP found = fit(World{}.records());
    ASSERT_EQ(found.pieces.size(), 2U);
    EXPECT_EQ(found.pieces[0].last, 65536_B);
    EXPECT_EQ(found.pieces[1].first, 131072_B);
    EXPECT_NEAR(found.pieces[0].bandwidth.in(1_GB_per_s), 10, 0.2);
    EXPECT_NEAR(found.pieces[1].bandwidth.in(1_GB_per_s), 12.5, 0.25);
    EXPECT_NEAR(found.pieces[1].start.in(1_us), 22, 0.44);
}

TEST(LogGP, OneLineIsNotCut) {
    World world;
    world.handshake = Seconds{};
    world.long_seconds_per_byte = world.seconds_per_byte;
    EXPECT_EQ(fit(world.records()).pieces.size(), 1U);
}

TEST(LogGP, NoiseOfOnePercentIsNoSwitch) {
    World world;
    world.handshake = Seconds{};
    world.long_seconds_per_byte = world.seconds_per_byte;
    std::vector<Record> records = world.records();
    unsigned state = 7;
    for (Record& record : records) {
        state = state * 1664525U + 1013904223U;
        auto& time = std::get<Measurement>(record.what).time;
        time = exactly((1 + 0.02 * (state / 4294967296.0 - 0.5)) * time.median);
    }
    EXPECT_EQ(fit(records).pieces.size(), 1U);
}

RC_GTEST_PROP(LogGP, AnyNetworkWithASwitchIsRecovered, ()) {
    World world;
    world.latency = (*rc::gen::inRange(1, 500)) * 1_us;
    world.overhead = 0.1 * world.latency;
    world.seconds_per_byte = 1.0 / (*rc::gen::inRange(10, 20000) * 1e6);
    world.long_seconds_per_byte = world.seconds_per_byte / 1.5;
    world.eager_limit = std::exp2(*rc::gen::inRange(9, 18));
    world.handshake = 2.0 * world.one_way(world.eager_limit);
    const LogGP found = fit(world.records());
    RC_ASSERT(found.pieces.size() == 2U);
    RC_ASSERT(found.pieces[0].last.in(unit::byte) == world.eager_limit);
    RC_ASSERT(near(found.latency->in(1_us), world.latency.in(1_us)));
    RC_ASSERT(near(found.pieces[1].bandwidth.in(1_GB_per_s) * 1e9, 1 / world.long_seconds_per_byte));
}

}  // namespace loggp_test
}  // namespace dodona::calibrate
