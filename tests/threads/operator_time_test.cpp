// Operators on some threads, by hand and against the device on all of its cores.
#include "threads/operator_time.hpp"

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
    const OperatorWork work{.divided = {.kernels = 1, .compute = 10_us, .moved = 1_B}};
    EXPECT_NEAR(us(operator_time(work, kCosts, 1, 1)), 2 + 160, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 4, 1)), 2 + 3 + 2 + 40, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 16, 1)), 2 + 3 + 4 + 10, 1e-9);
}

/// 800,000 bytes: 80 us at a thread's 10 GB/s, 10 us at the 80 GB/s of eight or more; half of these beside another.
TEST(OperatorTime, MemoryHasAFloorThatOperatorsShare) {
    const OperatorWork work{.divided = {.kernels = 2, .compute = Seconds{}, .moved = 800'000_B}};
    EXPECT_NEAR(us(operator_time(work, kCosts, 1, 1)), 2 * 2 + 80, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 8, 1)), 2 * (2 + 3 + 3) + 10, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 16, 1)), 2 * (2 + 3 + 4) + 10, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 8, 2)), 2 * (2 + 3 + 3) + 20, 1e-9);
}

/// Two operators of 16 threads on 16 cores: each has half of the cores, waits twice as long, and loses half again.
TEST(OperatorTime, MoreThreadsThanCoresPay) {
    const OperatorWork work{.divided = {.kernels = 1, .compute = 10_us, .moved = 1_B}};
    EXPECT_NEAR(us(operator_time(work, kCosts, 16, 2)), 2 + 2 * (3 + 4) + 1.5 * 20, 1e-9);
    EXPECT_NEAR(us(operator_time(work, kCosts, 8, 2)), 2 + 3 + 3 + 20, 1e-9) << "as many as there are cores";
}

/// 10 us of one core whatever its threads; twice as long only where more operators than cores run.
TEST(OperatorTime, SmallKernelsTakeWhatOneThreadTakes) {
    const OperatorWork work{.alone = {.kernels = 1, .compute = 10_us / 16.0, .moved = 1_B}};
    for (const std::int64_t threads : {1, 2, 16}) {
        EXPECT_NEAR(us(operator_time(work, kCosts, threads, 16)), 2 + 10, 1e-9);
        EXPECT_NEAR(us(operator_time(work, kCosts, threads, 32)), 2 + 1.5 * 20, 1e-9);
    }
}

/// 2^18 multiplications, and 2^15 numbers, are the most on one thread.
TEST(OperatorWork, KnowsTheKernelsThatLibrariesDoNotDivide) {
    EXPECT_TRUE(runs_alone(graph::matmul(4, 512, 128)));
    EXPECT_FALSE(runs_alone(graph::matmul(5, 512, 128)));
    EXPECT_TRUE(runs_alone(graph::stream(32'768)));
    EXPECT_FALSE(runs_alone(graph::stream(32'769)));
}

/// More operators at once never make one faster.
RC_GTEST_PROP(OperatorTime, NeverFallsWithWhatRunsBeside, ()) {
    const auto drawn = [] {
        return KernelSum{1, *rc::gen::inRange(0, 1000) * 1_us, *rc::gen::inRange(0, 1'000'000) * 1_B};
    };
    const OperatorWork work{.divided = drawn(), .alone = drawn()};
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
    EXPECT_EQ(sheet.divided.kernels, 0);
    EXPECT_EQ(sheet.alone.kernels, 1);
    EXPECT_GT(16 * sheet.alone.compute, 15 * (kernel.flops / device.vector));
    cluster::KernelCurve curve{.kind = graph::KernelKind::matmul, .precision = Precision::fp32};
    curve.points = {{.m = 4, .n = 512, .k = 128, .batch = 1, .bytes = {}, .flops = {}, .time = 50_us}};
    device.curves = {curve};
    const OperatorWork measured = work_of(device, {kernel}, Precision::fp32, 16);
    EXPECT_NEAR(us(16 * measured.alone.compute), us(cost::kernel_time(device, kernel, Precision::fp32).time.value) - 20,
                1e-6);
    EXPECT_EQ(measured.alone.moved, 0_B);
}

/// On half of the cores arithmetic takes twice as long.
TEST(OperatorWork, IsOfTheCoresAtHand) {
    const std::vector<graph::Kernel> kernels{graph::matmul(512, 512, 512)};
    const OperatorWork all = work_of(processor(), kernels, Precision::fp32, 16);
    const OperatorWork half = work_of(processor(), kernels, Precision::fp32, 8);
    EXPECT_NEAR(half.divided.compute / all.divided.compute, 2, 1e-12);
    EXPECT_EQ(half.divided.moved, all.divided.moved);
    EXPECT_EQ(all.alone.kernels, 0);
    EXPECT_EQ(all.evidence, Evidence::data_sheet);
}

}  // namespace operator_time_test
}  // namespace dodona::threads::testing
