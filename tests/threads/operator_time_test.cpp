// Operators on some threads, by hand and against the device on all of its cores.
#include "threads/operator_time.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cost/device_time.hpp"

namespace dodona::threads::testing {
namespace operator_time_test {

const ThreadCosts kCosts{.cores = 16,
                         .of_core = 10_GB_per_s,
                         .of_all = 80_GB_per_s,
                         .serial = 2_us,
                         .fork = 3_us,
                         .barrier = 1_us,
                         .oversubscription = 0.5,
                         .change = 50_us};

double us(Seconds time) { return time.in(1_us); }

/// 10 us on all 16 cores: 160 on one, without fork; 2 + 3 + 2 x 1 + 40 on four.
TEST(OperatorTime, ArithmeticIsDividedAndThreadsCost) {
    const OperatorWork work{.kernels = {{.compute = 10_us, .moved = 1_B}}};
    EXPECT_NEAR(us(operator_time(work, kCosts, 1, 1)), 2 + 160, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 4, 1)), 2 + 3 + 2 + 40, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 16, 1)), 2 + 3 + 4 + 10, 1e-9);
}

/// 800,000 bytes: 80 us at a thread's 10 GB/s, 10 us at the 80 GB/s of eight or more; half of these beside another.
TEST(OperatorTime, MemoryHasAFloorThatOperatorsShare) {
    const OperatorWork work{.kernels = {{.times = 2, .moved = 400'000_B}}};
    EXPECT_NEAR(us(operator_time(work, kCosts, 1, 1)), 2 * 2 + 80, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 8, 1)), 2 * (2 + 3 + 3) + 10, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 16, 1)), 2 * (2 + 3 + 4) + 10, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 8, 2)), 2 * (2 + 3 + 3) + 20, 1e-9);
}

/// Two operators of 16 threads on 16 cores: each has half of the cores, waits twice as long, and loses half again.
TEST(OperatorTime, MoreThreadsThanCoresPay) {
    const OperatorWork work{.kernels = {{.compute = 10_us, .moved = 1_B}}};
    EXPECT_NEAR(us(operator_time(work, kCosts, 16, 2)), 2 + 2 * (3 + 4) + 1.5 * 20, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 8, 2)), 2 + 3 + 3 + 20, 1e-9) << "as many as there are cores";
}

/// 10 us of one core whatever its threads; twice as long only where more operators than cores run.
TEST(OperatorTime, SmallKernelsTakeWhatOneThreadTakes) {
    const OperatorWork work{.kernels = {{.alone = true, .compute = 10_us / 16.0, .moved = 1_B}}};
    for (const std::int64_t threads : {1, 2, 16}) {
        EXPECT_NEAR(us(operator_time(work, kCosts, threads, 16)), 2 + 10, 1e-9);
        EXPECT_NEAR(us(operator_time(work, kCosts, threads, 32)), 2 + 20, 1e-9) << "and waits for nobody";
    }
}

/// 2^18 multiplications, and 2^15 numbers, are the most on one thread.
TEST(OperatorWork, KnowsTheKernelsThatLibrariesDoNotDivide) {
    EXPECT_TRUE(runs_alone(graph::matmul(4, 512, 128)));
    EXPECT_FALSE(runs_alone(graph::matmul(5, 512, 128)));
    EXPECT_TRUE(runs_alone(graph::stream(32'768)));
    EXPECT_FALSE(runs_alone(graph::stream(32'769)));
}

/// Of 16 cores, 160 us on one thread and 10 on all: a power of the threads. 24 threads are two on a core, 12 of which
/// work at once; two operators on all cores have half of them each.
TEST(OperatorTime, MeasuredOnOneThreadAndOnAllIsAPowerOfTheThreads) {
    OperatorWork work{.kernels = {{.measured = MeasuredTimes{.one = 160_us, .all = 10_us, .cores = 16}}}};
    EXPECT_NEAR(us(operator_time(work, kCosts, 1, 1)), 160, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 4, 1)), 40, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 16, 1)), 10, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 24, 1)), 1.5 * 160 / 12, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 16, 2)), 1.5 * 20, 1e-9);
    work.kernels[0].measured = {.one = 10_us, .all = 40_us, .cores = 16};  // threads do not pay
    EXPECT_NEAR(us(operator_time(work, kCosts, 4, 1)), 20, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 32, 1)), 1.5 * 10 * std::sqrt(32), 1e-9);
}

/// 160 us on one of 16 threads, whatever a library took on all of them; small ones too.
TEST(OperatorTime, EqualPartsTakeWhatOneThreadTookByTheThreads) {
    const std::vector<OperatorWork> parts = divided_evenly(
        {{.kernels = {{.alone = true, .measured = MeasuredTimes{.one = 160_us, .all = 300_us, .cores = 16}}}}});
    EXPECT_NEAR(us(operator_time(parts[0], kCosts, 8, 1)), 20, 1e-9);
}

/// 1.6 MB at the 80 GB/s of all cores are 20 us, for two operators 40; what took less than that came from a cache.
TEST(OperatorTime, MeasuredOperatorsShareMemoryButNotCaches) {
    OperatorWork work{
        .kernels = {{.moved = 1'600'000_B, .measured = MeasuredTimes{.one = 160_us, .all = 25_us, .cores = 16}}}};
    EXPECT_NEAR(us(operator_time(work, kCosts, 8, 2)), 40, 1e-9);
    work.kernels[0].measured->all = 19_us;
    EXPECT_LT(us(operator_time(work, kCosts, 8, 2)), 40);
}

/// Products wait for a lock, however many; passes of a stream do not. A gather is as a stream, a cell as a product.
TEST(OperatorTime, WhatCrowdsCostIsOfTheKindOfKernel) {
    ThreadCosts costs = kCosts;
    costs.crowding = {{graph::KernelKind::matmul, 1, 9}, {graph::KernelKind::stream, 0.25, 0}};
    OperatorWork work{.kernels = {{.measured = MeasuredTimes{.one = 160_us, .all = 10_us, .cores = 16}}}};
    const auto times = [&](graph::KernelKind kind, std::int64_t threads, std::int64_t active) {
        work.kernels[0].kind = kind;
        return us(operator_time(work, costs, threads, active));
    };
    EXPECT_NEAR(times(graph::KernelKind::matmul, 32, 1), 2 * 10, 1e-9);
    EXPECT_NEAR(times(graph::KernelKind::recurrent, 16, 2), 10 * 20, 1e-9);
    EXPECT_NEAR(times(graph::KernelKind::matmul, 16, 4), 10 * 40, 1e-9);
    EXPECT_NEAR(times(graph::KernelKind::matmul, 1, 32), 2 * 160, 1e-9) << "of one thread each";
    EXPECT_NEAR(times(graph::KernelKind::gather, 32, 1), 1.25 * 10, 1e-9);
    EXPECT_NEAR(times(graph::KernelKind::stream, 16, 2), 20, 1e-9);
    EXPECT_NEAR(times(graph::KernelKind::convolution, 16, 2), 1.5 * 20, 1e-9) << "not measured";
}

/// More operators at once never make one faster.
RC_GTEST_PROP(OperatorTime, NeverFallsWithWhatRunsBeside, ()) {
    const auto drawn = [](bool alone) {
        KernelWork one{.alone = alone,
                       .compute = *rc::gen::inRange(0, 1000) * 1_us,
                       .moved = *rc::gen::inRange(0, 1'000'000) * 1_B};
        if (*rc::gen::arbitrary<bool>()) {
            one.measured = {
                .one = *rc::gen::inRange(1, 1000) * 1_us, .all = *rc::gen::inRange(1, 1000) * 1_us, .cores = 16};
        }
        return one;
    };
    const OperatorWork work{.kernels = {drawn(false), drawn(true)}};
    const auto threads = *rc::gen::inRange<std::int64_t>(1, 17);
    const auto active = *rc::gen::inRange<std::int64_t>(1, 16);
    RC_ASSERT(operator_time(work, kCosts, threads, active) <= operator_time(work, kCosts, threads, active + 1));
}

cluster::Device processor() {
    return {.name = "cpu",
            .memory = 16_GiB,
            .memory_bandwidth = 80_GB_per_s,
            .multiprocessors = 16,
            .matrix = {{Precision::fp32, 1_TFLOP_per_s}},
            .vector = 1_TFLOP_per_s,
            .tiles = {{48, 8}},
            .launch = 20_us};
}

TEST(ThreadCosts, AddUpToTheDeviceOnAllCores) {
    for (const int cores : {1, 2, 16}) {
        cluster::Device device = processor();
        device.multiprocessors = cores;
        const ThreadCosts costs = thread_costs(device, cores, {});
        for (const graph::Kernel& kernel :
             {graph::matmul(1, 4096, 1024), graph::matmul(512, 512, 512), graph::stream(1e6)}) {
            const OperatorWork work = work_of(device, {kernel}, Precision::fp32, cores);
            EXPECT_NEAR(us(operator_time(work, costs, cores, 1)),
                        us(cost::kernel_time(device, kernel, Precision::fp32).time.value), 1e-6)
                << cores;
        }
    }
}

TEST(ThreadCosts, WhatIsKnownReplacesWhatIsAssumed) {
    const ThreadCosts costs = thread_costs(processor(), 8, {.of_core = 7_GB_per_s, .fork = 1_us});
    EXPECT_EQ(costs.cores, 8);
    EXPECT_EQ(costs.of_core, 7_GB_per_s);
    EXPECT_EQ(costs.fork, 1_us);
    EXPECT_NEAR(us(costs.serial), 5, 1e-9);
    EXPECT_NEAR(us(costs.barrier), 10.0 / 4, 1e-9) << "half of 20 us in the four doublings of 16";
    EXPECT_EQ(thread_costs(processor(), 8, {}).of_core, 10_GB_per_s) << "eight of 16 saturate 80 GB/s";
}

TEST(ThreadCosts, AreOfCpus) {
    cluster::Device device = processor();
    EXPECT_TRUE(is_cpu(device));
    device.context = 1_MiB;
    EXPECT_FALSE(is_cpu(device));
    device = processor();
    device.vector = 0.1_TFLOP_per_s;
    EXPECT_FALSE(is_cpu(device));
}

/// Of a data sheet's 20 us for all 16 cores of a product of 2^18 multiplications one core needs 16 times the arithmetic;
/// as measured, it is what one thread took.
TEST(OperatorWork, OfASmallKernelIsWhatOneThreadTakes) {
    cluster::Device device = processor();
    const graph::Kernel kernel = graph::matmul(4, 512, 128);
    const OperatorWork sheet = work_of(device, {kernel}, Precision::fp32, 16);
    ASSERT_EQ(sheet.kernels.size(), 1U);
    EXPECT_TRUE(sheet.kernels[0].alone);
    EXPECT_GT(16 * sheet.kernels[0].compute, 15 * (kernel.flops / device.vector));
    cluster::KernelCurve curve{.kind = graph::KernelKind::matmul, .precision = Precision::fp32};
    curve.points = {{.m = 4, .n = 512, .k = 128, .batch = 1, .bytes = {}, .flops = {}, .time = 50_us}};
    device.curves = {curve};
    const OperatorWork measured = work_of(device, {kernel}, Precision::fp32, 16);
    EXPECT_NEAR(us(16 * measured.kernels[0].compute),
                us(cost::kernel_time(device, kernel, Precision::fp32).time.value) - 20, 1e-6);
    EXPECT_EQ(measured.kernels[0].moved, 0_B);
}

/// 4 x 512 numbers are 64 tiles of 48 x 8: in one wave of 16 cores four, on one core 64, each of 48 rows where 4 are wanted;
/// no column is spared, so vector units do it, 2 x 4 x 512 x 128 flop at 1/16 TFLOP/s: 8.4 us, and 5 us of serial part.
/// It moves 272 KB, 27 us at a core's 10 GB/s. Divided among 16: 20 us of launch and 3.4 us at 80 GB/s.
TEST(OperatorWork, OfASmallKernelIsTheShorterOfOneThreadAndAll) {
    const ThreadCosts costs = thread_costs(processor(), 16, {});
    const OperatorWork work = work_of(processor(), {graph::matmul(4, 512, 128)}, Precision::fp32, 16);
    const double moved = work.kernels[0].moved.in(1_B);
    EXPECT_NEAR(moved, 4 * (4 * 512 + 4 * 128 + 512 * 128), 1);
    EXPECT_NEAR(us(operator_time(work, costs, 1, 1)), 5 + moved / 10e3, 1e-6);
    EXPECT_NEAR(us(operator_time(work, costs, 16, 1)), 20 + moved / 80e3, 1e-6);
    EXPECT_LE(operator_time(work, costs, 512, 1), operator_time(work, costs, 1, 1)) << "libraries do not divide it";
}

/// By the data sheet, on any threads, where libraries begin to divide too. From a depth of 512 on products may be split.
RC_GTEST_PROP(OperatorWork, OfALargerKernelNeverTakesLess, ()) {
    const auto drawn = [](int most) { return static_cast<double>(*rc::gen::inRange(1, most)); };
    std::array<double, 3> sizes{drawn(128), drawn(2048), drawn(511)};
    cluster::Device device = processor();
    device.multiprocessors = *rc::gen::inRange(2, 65);
    const auto cores = *rc::gen::inRange<std::int64_t>(1, device.multiprocessors + 1);
    const ThreadCosts costs = thread_costs(device, cores, {});
    const auto threads = *rc::gen::inRange<std::int64_t>(1, 2 * cores + 1);
    const auto active = *rc::gen::inRange<std::int64_t>(1, 5);
    const auto time = [&] {
        const OperatorWork work =
            work_of(device, {graph::matmul(sizes[0], sizes[1], sizes[2])}, Precision::fp32, cores);
        return operator_time(work, costs, threads, active);
    };
    const Seconds before = time();
    double& grown = sizes.at(*rc::gen::inRange<std::size_t>(0, 3));
    grown = std::min(&grown == &sizes[2] ? 511.0 : 1e9, grown * (1 + drawn(8)));
    RC_ASSERT(time() >= (1 - 1e-12) * before);
}

/// On half of the cores arithmetic takes twice as long.
TEST(OperatorWork, IsOfTheCoresAtHand) {
    const std::vector<graph::Kernel> kernels{graph::matmul(512, 512, 512)};
    const OperatorWork all = work_of(processor(), kernels, Precision::fp32, 16);
    const OperatorWork half = work_of(processor(), kernels, Precision::fp32, 8);
    EXPECT_NEAR(half.kernels[0].compute / all.kernels[0].compute, 2, 1e-12);
    EXPECT_EQ(half.kernels[0].moved, all.kernels[0].moved);
    EXPECT_FALSE(all.kernels[0].alone);
    EXPECT_EQ(all.evidence, Evidence::data_sheet);
}

}  // namespace operator_time_test
}  // namespace dodona::threads::testing
