#include "calibrate/imports/merge.hpp"

#include <gtest/gtest.h>

#include "calibrate/imports/import_builder.hpp"

namespace dodona::calibrate {
namespace imports_merge_test {

Record repeat(double bytes, double us, const std::string& source, double bandwidth = 1) {
    return {.backend = "import",
            .date = "2026-03-01T12:00:00Z",
            .what = Measurement{.of = {.benchmark = "copy", .parameters = {{"bytes", bytes}}},
                                .time = once(us * 1_us),
                                .values = {{"bandwidth", bandwidth}},
                                .words = {{"source", source}, {"cell", source}, {"type", "float"}}}};
}

TEST(Merge, RepeatsOfACaseBecomeTheirQuartiles) {
    std::vector<Record> records;
    for (const double us : {5.0, 1.0, 3.0, 2.0, 4.0}) {
        records.push_back(repeat(8, us, "a.txt", us));
    }
    const std::vector<Record> all = merged(records);
    ASSERT_EQ(all.size(), 1U);
    const auto& one = std::get<Measurement>(all[0].what);
    EXPECT_DOUBLE_EQ(one.time.least.in(1_us), 1);
    EXPECT_DOUBLE_EQ(one.time.first_quartile.in(1_us), 2);
    EXPECT_DOUBLE_EQ(one.time.median.in(1_us), 3);
    EXPECT_DOUBLE_EQ(one.time.third_quartile.in(1_us), 4);
    EXPECT_EQ(one.time.samples, 5);
    EXPECT_EQ(one.values.at("bandwidth"), 3);
}

TEST(Merge, OtherCasesAndOtherRecordsStayInTheirPlaces) {
    std::vector<Record> records{{.backend = "import", .date = "d", .what = Environment{{{"device", "H100"}}}},
                                repeat(8, 1, "a.txt"),
                                repeat(16, 7, "a.txt"),
                                {.backend = "import", .date = "d", .what = Failure{{"copy", {}}, "why"}},
                                repeat(8, 3, "b.txt")};
    const std::vector<Record> all = merged(records);
    ASSERT_EQ(all.size(), 4U);
    EXPECT_TRUE(std::holds_alternative<Environment>(all[0].what));
    EXPECT_DOUBLE_EQ(std::get<Measurement>(all[1].what).time.median.in(1_us), 2);
    EXPECT_EQ(to_line(all[2]), to_line(records[2]));
    EXPECT_TRUE(std::holds_alternative<Failure>(all[3].what));
}

TEST(Merge, WordsThatDifferAreDroppedAndSourcesAreJoined) {
    const std::vector<Record> all = merged({repeat(8, 1, "a.txt"), repeat(8, 3, "b.txt"), repeat(8, 3, "a.txt")});
    const auto& words = std::get<Measurement>(all[0].what).words;
    EXPECT_EQ(words, (std::map<std::string, std::string>{{"source", "a.txt, b.txt"}, {"type", "float"}}));
}

TEST(Merge, OfSeveralSamplesEachTheLeastOfAllAndTheSumOfSamplesRemain) {
    Record first = repeat(8, 1, "a.txt");
    std::get<Measurement>(first.what).time = statistics_of({2e-6, 4e-6, 6e-6});
    Record second = repeat(8, 1, "a.txt");
    std::get<Measurement>(second.what).time = statistics_of({1e-6, 8e-6, 9e-6});
    second.what = std::get<Measurement>(second.what);
    std::get<Measurement>(second.what).time.rejected["throttled"] = 2;
    const std::vector<Record> all = merged({first, second});
    const Statistics& time = std::get<Measurement>(all[0].what).time;
    EXPECT_EQ(time.samples, 6);
    EXPECT_DOUBLE_EQ(time.least.in(1_us), 1);
    EXPECT_DOUBLE_EQ(time.median.in(1_us), 6);  // of 4 and 8
    EXPECT_EQ(time.rejected.at("throttled"), 2);
}

TEST(Merge, BackEndsAndPassesAreNeverMixed) {
    Record other = repeat(8, 9, "a.txt");
    other.backend = "cuda";
    Record counted = repeat(8, 9, "a.txt");
    counted.pass = Pass::counters;
    EXPECT_EQ(merged({repeat(8, 1, "a.txt"), other, counted}).size(), 3U);
}

}  // namespace imports_merge_test
}  // namespace dodona::calibrate
