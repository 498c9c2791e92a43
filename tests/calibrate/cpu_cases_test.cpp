#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/check.hpp"
#include "calibrate/cases/cpu_cases.hpp"
#include "calibrate/cases/general_cases.hpp"

namespace dodona::calibrate {
namespace cpu_cases_test {

std::multiset<std::string> benchmarks(const std::vector<Case>& cases) {
    std::multiset<std::string> all;
    for (const Case& each : cases) {
        all.insert(each.benchmark);
    }
    return all;
}

TEST(CpuCases, EveryBenchmarkOfTheBackEndIsInBothSets) {
    for (const bool quick : {true, false}) {
        const auto all = benchmarks(cpu_cases({.quick = quick}, 4));
        for (const char* benchmark : {"matmul", "convolution", "operator", "recurrent", "attention", "stream", "gather",
                                      "compression", "launch", "interference"}) {
            EXPECT_GE(all.count(benchmark), 1U) << benchmark;
        }
    }
}

TEST(CpuCases, NoCaseTwiceAndAlwaysTheSame) {
    const std::vector<Case> cases = cpu_cases({}, 8);
    EXPECT_EQ(std::set<Case>(cases.begin(), cases.end()).size(), cases.size());
    EXPECT_EQ(cases, cpu_cases({}, 8));
}

TEST(CpuCases, ProductsAreManyShortAndSkewed) {
    int products = 0;
    int rows = 0;
    for (const Case& each : cpu_cases({}, 1)) {
        if (each.benchmark != "matmul") {
            continue;
        }
        ++products;
        rows += each.number("m") == 1 ? 1 : 0;
        const double flops = 2 * each.number("m") * each.number("n") * each.number("k") * each.number("batch");
        EXPECT_LE(flops * unit::flop / kAssumedCpuRate, kLongestCpuCase) << each.key();
    }
    EXPECT_GE(products, 100);
    EXPECT_LE(products, 160);
    EXPECT_GE(rows, 3);
}

// `calibrate --quick` samples each case for 0.2 s at most.
TEST(CpuCases, QuickOnesSampleForAMinuteAtMost) {
    for (const int threads : {1, 2, 16, 128}) {
        EXPECT_LE(0.2 * static_cast<double>(cpu_cases({.quick = true}, threads).size()), 60) << threads << " threads";
    }
}

TEST(CpuCases, OneThreadHasNoNeighbours) {
    const std::vector<Case> cases = cpu_cases({.quick = true}, 1);
    EXPECT_EQ(benchmarks(cases).count("interference"), 0U);
    for (const Case& each : cases) {
        EXPECT_EQ(each.number("threads", 1), 1);
    }
    EXPECT_LT(cases.size(), cpu_cases({}, 1).size());
}

TEST(CaseList, ALineIsAllCombinationsAndQuickOnesAreThoseMarked) {
    const char* const text = R"(
matmul m:n=2:3,4:5* batch=1,
 8
full stream bytes=1Ki..9Ki^3 pattern=$name
send bytes=1Mi|2
)";
    const auto keys = [&](bool quick) {
        std::vector<std::string> all;
        for (const Case& each : listed_cases(text, {.quick = quick}, {{"name", "a,b"}})) {
            all.push_back(each.key());
        }
        return all;
    };
    EXPECT_EQ(keys(true),
              (std::vector<std::string>{"matmul batch=1 m=4 n=5", "matmul batch=8 m=4 n=5", "send bytes=2"}));
    EXPECT_EQ(keys(false), (std::vector<std::string>{"matmul batch=1 m=2 n=3", "matmul batch=8 m=2 n=3",
                                                     "matmul batch=1 m=4 n=5", "matmul batch=8 m=4 n=5",
                                                     "stream bytes=1024 pattern=a,b", "stream bytes=3072 pattern=a,b",
                                                     "stream bytes=9216 pattern=a,b", "send bytes=1048576"}));
    EXPECT_THROW(static_cast<void>(listed_cases("matmul m:n=1", {})), InternalError);
    EXPECT_THROW(static_cast<void>(listed_cases("matmul m", {})), InternalError);
    EXPECT_THROW(static_cast<void>(listed_cases("stream bytes=1..9^1", {})), InternalError);
}

TEST(StorageCases, EveryOperationInTheGivenDirectory) {
    std::set<std::string> operations;
    for (const Case& each : storage_cases("/scratch", {.quick = true})) {
        EXPECT_EQ(each.word("directory"), "/scratch");
        operations.insert(each.benchmark + " " + each.word("operation") + " " + each.word("format"));
    }
    std::set<std::string> expected{"file create ", "file read ", "file remove ", "file stat ", "file write "};
    for (const char* format : {"raw", "safetensors", "npz", "npz-compressed"}) {
        expected.insert(std::string("checkpoint read ") + format);
        expected.insert(std::string("checkpoint write ") + format);
    }
    EXPECT_EQ(operations, expected);
}

// The folder is where the user wants storage measured.
TEST(GeneralCases, OfACpuRunBesideFilesToo) {
    const auto beside_files = [](const GeneralCases& asked) {
        const std::vector<Case> cases = general_cases(asked);
        return std::count_if(cases.begin(), cases.end(), [&](const Case& one) {
            return one.word("resource") == "io" && one.word("directory") == asked.directory;
        });
    };
    EXPECT_EQ(beside_files({.backend = "cpu", .environment = {}, .options = {}, .threads = 4, .directory = "/data"}),
              2);
    EXPECT_EQ(beside_files({.backend = "cpu", .environment = {}, .options = {}, .threads = 4, .directory = ""}), 0);
    EXPECT_EQ(
        beside_files(
            {.backend = "cpu", .environment = {}, .options = {.quick = true}, .threads = 4, .directory = "/data"}),
        0);
}

}  // namespace cpu_cases_test
}  // namespace dodona::calibrate
