// Traces with known answers.
#include "traces/step_profile.hpp"

#include <gtest/gtest.h>

#include "trace_file.hpp"

namespace dodona::traces::testing {
namespace step_profile_test {

StepProfile profile_of(const std::string& trace, std::optional<std::int64_t> steps = std::nullopt) {
    return load_step_profile(TraceFile(trace).path(), steps);
}
double us(Seconds time) { return time.in(1_us); }

/// Two steps; the host runs ahead, so that the second step's kernels come after its mark. In us:
///
///   host      |step 0 0..100|step 1 100..200|
///   compute   gemm 10..150                   gemm 160..260   layer_norm 260..300
///   network                                  all-reduce 250..340
///   copies                                                   HtoD 330..350
///   step 1 lasts from 150, where step 0's last kernel ends, to 350
std::string two_steps() {
    return kineto(step_mark(0, 0, 100) + "," + step_mark(1, 100, 200) + launch(1, 5) + launch(2, 110) + launch(3, 120) +
                  launch(4, 130) + kernel("sm90_gemm", 1, 10, 150) + kernel("sm90_gemm<64>", 2, 160, 260) +
                  kernel("at::native::layer_norm_kernel", 3, 260, 300) +
                  kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 4, 250, 340) +
                  R"t(,{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","ts":330,"dur":20,)t"
                  R"t("args":{"device":0,"correlation":5}})t" +
                  launch(5, 140));
}

TEST(StepProfile, TakesTheStepFromTheLastKernelOfOneToThatOfTheNext) {
    const StepProfile profile = profile_of(two_steps());
    EXPECT_EQ(profile.steps, 1);
    EXPECT_NEAR(us(profile.step), 200, 1e-6);
}

TEST(StepProfile, AddsUpToTheStep) {
    const StepProfile profile = profile_of(two_steps());
    EXPECT_NEAR(us(profile[DeviceWork::matmul].exposed), 100, 1e-6);
    EXPECT_NEAR(us(profile[DeviceWork::passes].exposed), 40, 1e-6);
    EXPECT_NEAR(us(profile.exposed_communication()), 40, 1e-6);  // 300..340
    EXPECT_NEAR(us(profile[DeviceWork::all_reduce].busy), 90, 1e-6);
    EXPECT_DOUBLE_EQ(profile[DeviceWork::all_reduce].calls, 1);
    EXPECT_NEAR(us(profile[DeviceWork::copies].exposed), 10, 1e-6);  // 340..350
    EXPECT_NEAR(us(profile[DeviceWork::copies].busy), 20, 1e-6);
    EXPECT_NEAR(us(profile.idle), 10, 1e-6);  // 150..160
    Seconds sum = profile.idle;
    for (const WorkUse& use : profile.of) {
        sum += use.exposed;
    }
    EXPECT_DOUBLE_EQ(us(sum), us(profile.step));
}

TEST(StepProfile, NamesTheKernelThatTakesMost) {
    const StepProfile profile = profile_of(two_steps());
    EXPECT_EQ(profile[DeviceWork::matmul].longest, "sm90_gemm");
    EXPECT_NEAR(us(profile[DeviceWork::matmul].longest_busy), 100, 1e-6);
}

TEST(StepProfile, IsTheMeanOfStepsAndSaysHowTheySpread) {
    const StepProfile profile =
        profile_of(kineto(step_mark(0, 0, 10) + "," + step_mark(1, 10, 20) + "," + step_mark(2, 20, 30) +
                          kernel("gemm", 0, 1, 9) + kernel("gemm", 0, 11, 19) + kernel("gemm", 0, 21, 31)));
    EXPECT_EQ(profile.steps, 2);
    EXPECT_NEAR(us(profile.step), 11, 1e-6);
    EXPECT_NEAR(us(profile.fastest), 10, 1e-6);
    EXPECT_NEAR(us(profile.slowest), 12, 1e-6);
    EXPECT_NEAR(us(profile[DeviceWork::matmul].busy), 9, 1e-6);
}

TEST(StepProfile, TakesASingleStepAsItsMarkHasIt) {
    const StepProfile profile = profile_of(kineto(step_mark(0, 0, 100) + kernel("gemm", 0, 10, 60)));
    EXPECT_NEAR(us(profile.step), 100, 1e-6);
    EXPECT_NEAR(us(profile.idle), 50, 1e-6);
}

TEST(StepProfile, SharesAMomentBetweenKindsThatRunSideBySide) {
    const StepProfile profile =
        profile_of(kineto(step_mark(0, 0, 100) + kernel("gemm", 0, 0, 100) + kernel("flash_fwd_kernel", 0, 50, 100)));
    EXPECT_NEAR(us(profile[DeviceWork::matmul].exposed), 75, 1e-6);
    EXPECT_NEAR(us(profile[DeviceWork::attention].exposed), 25, 1e-6);
    EXPECT_NEAR(us(profile[DeviceWork::attention].busy), 50, 1e-6);
}

TEST(StepProfile, AsksHowManyStepsThereAreWhereTheTraceDoesNotSay) {
    const std::string trace = kineto(kernel("gemm", 0, 100, 140).substr(1) + kernel("gemm", 0, 160, 200));
    EXPECT_NE(complaint([&] { profile_of(trace); }).find("the trace marks no steps"), std::string::npos);
    EXPECT_NEAR(us(profile_of(trace, 2).step), 50, 1e-6);
    EXPECT_NEAR(us(profile_of(trace, 2).idle), 10, 1e-6);
}

TEST(StepProfile, KeepsShortTimesAtTheEndOfTheCentury) {
    // us since 1970, as PyTorch before 2.2 writes them.
    const StepProfile profile = profile_of(kineto(step_mark(0, 1763900000000000.0, 1763900000000100.0) +
                                                  kernel("gemm", 0, 1763900000000010.0, 1763900000000060.0)));
    EXPECT_NEAR(us(profile.step), 100, 1e-6);
    EXPECT_NEAR(us(profile[DeviceWork::matmul].busy), 50, 1e-6);
}

}  // namespace step_profile_test
}  // namespace dodona::traces::testing
