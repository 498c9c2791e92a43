// Bus bandwidths as jobs print them, on machines whose answers are known.
#include "cost/measured_bandwidth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "scenes.hpp"

namespace dodona::cost {
namespace measured_bandwidth_test {

using cluster::Collective;
using namespace dodona::literals;

cluster::Cluster with(std::map<Collective, std::vector<cluster::MeasuredBandwidth>> measured) {
    cluster::Cluster machine = scene::two_levels();
    machine.measured = std::move(measured);
    machine.slow_downs = slow_downs(machine);
    return machine;
}

CollectiveRequest over(Collective collective, std::int64_t ranks, Bytes size) {
    return {.collective = collective, .group = {.strides = {{1, ranks}}}, .size = size, .ranks = ranks};
}

Seconds time(const cluster::Cluster& machine, const CollectiveRequest& request) {
    return collective_time(machine, request).time.value;
}

TEST(MeasuredBandwidth, IsMetByItsOwnBenchmark) {
    const cluster::Cluster machine = with({{Collective::all_reduce, {{8, 120_GB_per_s}, {32, 40_GB_per_s}}}});
    for (const cluster::MeasuredBandwidth& each : machine.measured.at(Collective::all_reduce)) {
        const Seconds due = sent_bytes(Collective::all_reduce, each.ranks, kBenchmarkSize) / each.bus;
        EXPECT_NEAR(time(machine, over(Collective::all_reduce, each.ranks, kBenchmarkSize)) / due, 1, 1e-12);
    }
}

TEST(MeasuredBandwidth, CorrectsByTheNodesOfAGroup) {
    const cluster::Cluster plain = scene::two_levels();
    const cluster::Cluster machine = with({{Collective::all_reduce, {{32, 50_GB_per_s}, {128, 12_GB_per_s}}}});
    const double four = machine.slow_downs.front().factor;
    const double sixteen = machine.slow_downs.back().factor;
    ASSERT_GT(four, 1);
    const auto ratio = [&](std::int64_t nodes) {
        const CollectiveRequest rail{
            .collective = Collective::all_reduce, .group = {.strides = {{8, nodes}}}, .size = 1_GB, .ranks = 8 * nodes};
        return time(machine, rail) / time(plain, rail);
    };
    EXPECT_NEAR(ratio(4), four, 1e-12);
    EXPECT_NEAR(ratio(8), std::sqrt(four * sixteen), 1e-12) << "between measurements";
    EXPECT_NEAR(ratio(16), sixteen, 1e-12);
    EXPECT_NEAR(ratio(2), 1 + (four - 1) / 2, 1e-12) << "half as many messages follow each other";
}

TEST(MeasuredBandwidth, LeavesNodesAsTheyAreUnlessTheyWereMeasured) {
    const cluster::Cluster plain = scene::two_levels();
    const cluster::Cluster machine = with({{Collective::all_reduce, {{64, 25_GB_per_s}}}});
    const CollectiveRequest inside = over(Collective::all_gather, 8, 1_GB);
    EXPECT_EQ(time(machine, inside), time(plain, inside));
    const cluster::Cluster slow = with({{Collective::all_reduce, {{8, 30_GB_per_s}}}});
    EXPECT_GT(time(slow, inside), time(plain, inside)) << "a relative stands in";
}

TEST(MeasuredBandwidth, OfACollectiveComesBeforeThatOfItsRelatives) {
    const cluster::Cluster machine =
        with({{Collective::all_reduce, {{64, 10_GB_per_s}}}, {Collective::all_gather, {{64, 90_GB_per_s}}}});
    const Seconds due = sent_bytes(Collective::all_gather, 64, kBenchmarkSize) / 90_GB_per_s;
    EXPECT_NEAR(time(machine, over(Collective::all_gather, 64, kBenchmarkSize)) / due, 1, 1e-12);
}

}  // namespace measured_bandwidth_test
}  // namespace dodona::cost
