// The lists of cases for GPUs: every case once, in the words of benchmark_case.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "calibrate/cases/cuda_cases.hpp"

namespace dodona::calibrate {
namespace cuda_cases_test {

std::set<std::string> benchmarks(const std::vector<Case>& cases) {
    std::set<std::string> names;
    for (const Case& one : cases) {
        names.insert(one.benchmark);
    }
    return names;
}

TEST(CudaCases, EveryCaseStandsOnce) {
    for (const auto& cases : {cuda_cases({}, 8), cuda_cases({.quick = true}, 8), cuda_check_cases(8)}) {
        std::set<std::string> keys;
        for (const Case& one : cases) {
            EXPECT_TRUE(keys.insert(one.key()).second) << one.key();
        }
    }
}

TEST(CudaCases, AQuickListHasEveryBenchmarkOfTheWholeOne) {
    EXPECT_EQ(benchmarks(cuda_cases({.quick = true})), benchmarks(cuda_cases({})));
    EXPECT_LE(cuda_cases({.quick = true}).size(), 115U);
    EXPECT_LE(cuda_cases({}).size(), 500U);
}

TEST(CudaCases, OneGpuHasNoCollectivesAndThreeHaveThoseOfTwoAndThree) {
    EXPECT_FALSE(benchmarks(cuda_cases({}, 1)).contains("collective"));
    std::set<double> ranks;
    for (const Case& one : cuda_cases({}, 3)) {
        if (one.benchmark == "collective") {
            ranks.insert(one.number("ranks"));
        }
    }
    EXPECT_EQ(ranks, (std::set<double>{2, 3}));
}

TEST(CudaCases, TheStreamSweepGoesFromFourKilobytesToFourGigabytes) {
    double least = 1e18;
    double most = 0;
    for (const Case& one : cuda_cases({})) {
        if (one.benchmark == "stream") {
            least = std::min(least, one.number("bytes"));
            most = std::max(most, one.number("bytes"));
        }
    }
    EXPECT_EQ(least, 4096);
    EXPECT_EQ(most, 4096.0 * 0x1p20);
}

TEST(CudaCases, ProductsInEightBitsHaveExtentsThatTheHardwareReads) {
    for (const Case& one : cuda_cases({})) {
        if (one.benchmark == "matmul" && one.word("precision") == "fp8") {
            for (const char* extent : {"m", "n", "k"}) {
                EXPECT_EQ(static_cast<int>(one.number(extent)) % 16, 0) << one.key();
            }
        }
    }
}

TEST(CudaCases, EveryKernelOfCompressionIsMeasuredAtSeveralSizesAndCheckedAtOddOnes) {
    for (const char* kernel : {"exact-top-k", "threshold-top-k", "int8", "fp8", "int4", "1-bit"}) {
        const auto of_kernel = [&](const Case& one) {
            return one.benchmark == "compression" && one.word("kernel") == kernel;
        };
        const auto all = cuda_cases({});
        EXPECT_EQ(std::count_if(all.begin(), all.end(), of_kernel), 4) << kernel;
        const auto checked = cuda_check_cases();
        EXPECT_TRUE(std::any_of(checked.begin(), checked.end(), [&](const Case& one) {
            return of_kernel(one) && static_cast<int>(one.number("elements")) % 8 != 0;
        })) << kernel;
    }
}

TEST(CudaCases, WhatIsCheckedIsNeitherLargeNorTimed) {
    for (const Case& one : cuda_check_cases()) {
        EXPECT_EQ(one.number("check"), 1) << one.key();
    }
}

}  // namespace cuda_cases_test
}  // namespace dodona::calibrate
