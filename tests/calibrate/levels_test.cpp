#include <cmath>

#include <gtest/gtest.h>

#include "calibrate/network/levels.hpp"
#include "cost/collective_time.hpp"
#include "network_records.hpp"

namespace dodona::calibrate {
namespace levels_test {

constexpr double kRate = 1.2e9;  // B/s out of a host

/// A ring on links without protocols: 20 us a start, 5 us a step.
Seconds ring(const std::string& name, double bytes, double ranks) {
    const double passes = name == "all-reduce" ? 2 : 1;
    return 20_us + passes * (ranks - 1) * 5_us + passes * (ranks - 1) / ranks * bytes / kRate * 1_s;
}

std::vector<Record> records_of(const std::vector<double>& ranks) {
    std::vector<Record> records{{.backend = "mpi",
                                 .date = "2026-11-20T23:00:00Z",
                                 .what = Environment{{{"hosts", "8"}, {"ranks_per_host", "1"}}}}};
    for (const char* name : {"all-reduce", "reduce-scatter", "all-gather"}) {
        for (const double p : ranks) {
            for (double bytes = 1536; bytes <= 32e6; bytes *= 2) {
                records.push_back(measured(collective(name, bytes, p), ring(name, bytes, p)));
            }
        }
    }
    for (double bytes = 1; bytes <= 16e6; bytes *= 4) {
        records.push_back(measured(send(bytes), 6_us + bytes / kRate * 1_s));
    }
    return records;
}

cluster::Cluster cluster_of(const MeasuredLevel& level) {
    cluster::Cluster cluster{.name = "measured", .algorithms = {cluster::Algorithm::ring}};
    cluster.levels = levels_of({&level, 1});
    return cluster;
}

Seconds predicted(const cluster::Cluster& cluster, cluster::Collective collective, double bytes, std::int64_t ranks) {
    return cost::collective_time(cluster, {.collective = collective,
                                           .group = {.strides = {{1, ranks}}},
                                           .size = Bytes::of_base(bytes),
                                           .ranks = ranks})
        .time.value;
}

TEST(MeasuredLevels, SizesThatWereNotMeasuredArePredicted) {
    const auto levels = measured_levels(records_of({2, 4}));
    ASSERT_EQ(levels.size(), 1U);
    EXPECT_EQ(levels[0].name, "network");
    EXPECT_EQ(levels[0].size, 8);
    const cluster::Cluster cluster = cluster_of(levels[0]);
    for (const double bytes : {5000.0, 70'000.0, 3e6, 60e6}) {
        EXPECT_NEAR(predicted(cluster, cluster::Collective::all_reduce, bytes, 4) / ring("all-reduce", bytes, 4), 1,
                    0.02)
            << bytes;
    }
}

TEST(MeasuredLevels, TablesAnswerForHostsOfOneRankEvenWhereNoProtocolFits) {
    std::vector<Record> records;
    const auto odd = [](double bytes) { return (bytes > 1e5 ? 900_us : 100_us) + bytes * 1e-9 * 1_s; };
    for (const double p : {2.0, 4.0}) {
        for (double bytes = 1024; bytes <= 4e6; bytes *= 2) {
            records.push_back(measured(collective("all-reduce", bytes, p), odd(bytes)));
        }
    }
    const cluster::Cluster cluster = cluster_of(measured_levels(records).front());
    for (const double bytes : {1.5e3, 2e4, 4e5, 3e6}) {
        EXPECT_NEAR(predicted(cluster, cluster::Collective::all_reduce, bytes, 4) / odd(bytes), 1, 0.02) << bytes;
    }
}

TEST(MeasuredLevels, RanksThatWereNotMeasuredArePredicted) {
    const cluster::Cluster cluster = cluster_of(measured_levels(records_of({2, 4})).front());
    for (const std::int64_t ranks : {3, 8}) {
        for (const double bytes : {50'000.0, 1e6, 16e6}) {
            const Seconds truth = ring("all-gather", bytes, static_cast<double>(ranks));
            EXPECT_NEAR(predicted(cluster, cluster::Collective::all_gather, bytes, ranks) / truth, 1, 0.05)
                << ranks << " ranks, " << bytes;
        }
    }
}

TEST(MeasuredLevels, TheLinkSaysItsRateItsErrorsAndWhereFrom) {
    const MeasuredLevel level = measured_levels(records_of({2, 4})).front();
    EXPECT_NEAR(level.link.bandwidth.in(unit::byte_per_second), kRate, 0.02 * kRate);
    EXPECT_EQ(level.link.name, "mpi-network");
    EXPECT_LT(level.link.error, 0.05);
    EXPECT_EQ(level.link.curves.size(), 7U);
    for (const auto& curve : level.link.curves) {
        EXPECT_GT(curve.held_out_error, 0);
        EXPECT_LT(curve.held_out_error, 0.05);
        EXPECT_NE(curve.provenance.source.find("dodona calibrate"), std::string::npos);
    }
}

TEST(MeasuredLevels, OnlyMessagesMakeProtocolsOfTheirPieces) {
    std::vector<Record> records;
    for (double bytes = 1; bytes <= 16e6; bytes *= 2) {
        records.push_back(measured(send(bytes), 6_us + bytes / kRate * 1_s));
    }
    const MeasuredLevel level = measured_levels(records).front();
    ASSERT_EQ(level.link.protocols.size(), 1U);
    EXPECT_NEAR(level.link.protocols[0].timing.step.in(1_us), 6, 0.1);
    const cluster::Cluster cluster = cluster_of(level);
    EXPECT_NEAR(predicted(cluster, cluster::Collective::all_reduce, 4e6, 2) / (12_us + 4e6 / kRate * 1_s), 1, 0.02);
}

TEST(MeasuredLevels, TheLibrarysOwnAlgorithmCountsUnlessAnotherIsChosen) {
    std::vector<Record> records;
    for (double bytes = 1024; bytes <= 1e6; bytes *= 4) {
        const Case free = collective("all-reduce", bytes, 4);
        records.push_back(measured(free, bytes * 1e-9 * 1_s));
        records.push_back(measured(with(free, "algorithm", "ring"), bytes * 3e-9 * 1_s));
    }
    const auto time = [&](const SeriesChoice& choice) {
        return measured_levels(records, choice).front().link.curves.front().points.front().time;
    };
    EXPECT_NEAR(time({}).in(1_us), 1.024, 1e-9);
    EXPECT_NEAR(time({.algorithm = "ring"}).in(1_us), 3.072, 1e-9);
}

TEST(MeasuredLevels, OfLeastsMeasuredAgainTheLeastCounts) {
    std::vector<Record> records;
    for (const Seconds time : {120_us, 100_us, 110_us}) {
        Record record = measured(collective("all-reduce", 65536, 4), time);
        std::get<Measurement>(record.what).time.estimator = Estimator::least;
        records.push_back(record);
    }
    const auto levels = measured_levels(records);
    EXPECT_NEAR(levels.front().link.curves.front().points.front().time.in(1_us), 100, 1e-9);
}

TEST(MeasuredLevels, GroupsAtOnceAreOverOneAlone) {
    std::vector<Record> records;
    const Case alone = collective("all-reduce", 65536, 4);
    records.push_back(measured(alone, 100_us));
    records.push_back(measured(with(alone, "groups", 2.0), 190_us));
    const MeasuredLevel level = measured_levels(records).front();
    ASSERT_EQ(level.at_once.size(), 1U);
    EXPECT_EQ(level.at_once[0].groups, 2);
    EXPECT_NEAR(level.at_once[0].slowdown, 1.9, 1e-12);
}

TEST(MeasuredLevels, AnotherBackEndsCollectivesWithoutALevelAreReadJustTheSame) {
    std::vector<Record> records;
    for (double bytes = 8192; bytes <= 1e9; bytes *= 2) {
        Case of = collective("all-reduce", bytes, 8, 8);
        of.parameters.erase("level");
        Record record = measured(of, ring("all-reduce", bytes, 8));
        record.backend = "cuda";
        records.push_back(record);
        of = with(with(of, "ranks", 16.0), "ranks_per_node", 8.0);
        record.what =
            Measurement{.of = of, .time = exactly(2.0 * ring("all-reduce", bytes, 16)), .values = {}, .words = {}};
        records.push_back(record);
    }
    const auto levels = measured_levels(records);
    ASSERT_EQ(levels.size(), 2U);
    EXPECT_EQ(levels[0].link.name, "cuda-node");
    EXPECT_EQ(levels[0].size, 8);
    EXPECT_TRUE(levels[0].inside);
    EXPECT_EQ(levels[1].link.name, "cuda-network");
    EXPECT_EQ(levels[1].size, 2);
    EXPECT_EQ(levels[1].link.curves.front().ranks_per_node, 8);
}

TEST(MeasuredLevels, FailuresAndOtherPassesAreNoTables) {
    Record counted = measured(collective("all-reduce", 4096, 2), 1_us);
    counted.pass = Pass::counters;
    const std::vector<Record> records{
        counted, {.backend = "mpi", .date = "", .what = Failure{collective("all-reduce", 4096, 2), "no"}}};
    EXPECT_TRUE(measured_levels(records).empty());
}

}  // namespace levels_test
}  // namespace dodona::calibrate
