// Rows of measured tables as kernels.
#include "lab/evidence/fits/rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cost/device_time.hpp"
#include "files/library.hpp"

namespace dodona::calibrate {
namespace rows_test {

/// A table in a file of its own, gone with the test.
class Written {
public:
    explicit Written(const std::string& text)
        : path_(
              std::filesystem::temp_directory_path() /
              ("dodona-rows-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".csv")) {
        std::ofstream(path_, std::ios::binary) << text;
    }
    Written(const Written&) = delete;
    Written& operator=(const Written&) = delete;
    ~Written() { std::filesystem::remove(path_); }
    [[nodiscard]] MeasuredTable table() const { return MeasuredTable(path_.string()); }

private:
    std::filesystem::path path_;
};

std::string fault_of(const Written& file) {
    try {
        static_cast<void>(linear_rows(file.table(), "a100_sxm", "bfloat16", "a100"));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

const std::string kLinear = "id,gpu,device_string,dtype,m,n,k,time_us,notes\n";

TEST(LinearRows, are_of_one_device_and_precision) {
    const Written file(kLinear +
                       "a,a100_sxm,A100,bfloat16,512,64,32,3.5,TRTLLM 1; more\n"
                       "b,a100_sxm,A100,fp8,512,64,32,3.5,x\nc,h100_sxm,H100,bfloat16,512,64,32,3.5,x\n");
    const Series series = linear_rows(file.table(), "a100_sxm", "bfloat16", "a100-sxm4-80gb");
    ASSERT_EQ(series.samples.size(), 1U);
    EXPECT_EQ(series.samples[0].kernel.n, 64);
    EXPECT_DOUBLE_EQ(series.samples[0].time.in(1_us), 3.5);
    EXPECT_EQ(series.conditions, "A100, TRTLLM 1");
}

TEST(LinearRows, that_are_wrong_are_told_with_their_place) {
    const std::string number = fault_of(Written(kLinear + "a,a100_sxm,A100,bfloat16,512,much,32,3.5,x\n"));
    EXPECT_NE(number.find(":2:30: error: n: \"much\" is not a number"), std::string::npos) << number;
    const std::string column = fault_of(Written("id,gpu,dtype,m,n,k\na,a100_sxm,bfloat16,512,64,32\n"));
    EXPECT_NE(column.find("no column \"time_us\""), std::string::npos) << column;
}

// 3 x 3 filters, 56 x 56, padding 1, 64 channels and filters, batch 8: 8*56*56 positions, 2*9*64*64 operations each.
// Stride 2 leaves a quarter of the positions and of the windows' overlap.
TEST(DeepBenchRows, of_convolutions_are_the_operators_kernels) {
    const Written file(
        "id,device,kernel,precision,W,H,C,batch,filters,fw,fh,padw,padh,stridew,strideh,pass,time_ms\n"
        "a,NV_V100,conv,Float,56,56,64,8,64,3,3,1,1,1,1,fwd,0.5\n"
        "b,NV_V100,conv,Float,56,56,64,8,64,3,3,1,1,2,2,fwd,0.2\n"
        "c,NV_V100,conv,Float,56,56,64,8,64,3,3,1,1,1,1,bwd_weight,0.6\n");
    const MeasuredTable table = file.table();
    const DeepBench rows{table, "NV_V100", "Float", "v100", Precision::fp32};
    const Series forward = deepbench_convolutions(rows, graph::Direction::forward);
    ASSERT_EQ(forward.samples.size(), 2U);
    EXPECT_DOUBLE_EQ(forward.samples[0].kernel.flops.in(unit::flop), 8.0 * 56 * 56 * 2 * 9 * 64 * 64);
    EXPECT_DOUBLE_EQ(forward.samples[0].kernel.window, 9);
    EXPECT_DOUBLE_EQ(forward.samples[1].kernel.m, 8 * 28 * 28);
    EXPECT_DOUBLE_EQ(forward.samples[1].kernel.window, 2.25);
    EXPECT_DOUBLE_EQ(forward.samples[0].time.in(1_us), 500);
    const Series weight = deepbench_convolutions(rows, graph::Direction::backward_weight);
    ASSERT_EQ(weight.samples.size(), 1U);
    EXPECT_DOUBLE_EQ(weight.samples[0].kernel.k, 8 * 56 * 56);
    EXPECT_EQ(weight.samples[0].kernel.direction, graph::Direction::backward_weight);
}

// 64 heads of 128 over 4,096 positions at half of 2,000 TFLOP/s over the whole square: 2 * 4096^2 * 64 * 256 operations
// forward are 549.8 us, of which a causal kernel does half.
TEST(TrainingRows, of_attention_are_causal) {
    const Written file(
        "id,sequence,heads,key_heads,key_size,value_size,contiguous,forward_share,backward_share\n"
        "a,4096,64,8,128,128,yes,0.5,0.5\n");
    const MeasuredTable table = file.table();
    const Series forward = training_attention(table, graph::Direction::forward, "b200", 2000_TFLOP_per_s);
    const Series backward = training_attention(table, graph::Direction::backward_input, "b200", 2000_TFLOP_per_s);
    ASSERT_EQ(forward.samples.size(), 1U);
    const double square = 4096.0 * 4096 * 64;
    EXPECT_DOUBLE_EQ(forward.samples[0].kernel.flops.in(unit::flop), square * 256);
    EXPECT_NEAR(forward.samples[0].time.in(1_us), 2 * square * 256 / 1e9, 1e-6);
    EXPECT_DOUBLE_EQ(backward.samples[0].kernel.flops.in(unit::flop), square * 5 * 128);
    EXPECT_NEAR(backward.samples[0].time.in(1_us), 5 * square * 256 / 1e9, 1e-6);
    EXPECT_DOUBLE_EQ(forward.samples[0].kernel.elements, 4096 * (64 + 8) * 256);
}

// Heads of 128 over 2,048 positions, 4 samples, 16 heads on 2 ranks.
TEST(OperatorRows, of_attention_are_the_whole_square) {
    const Written file("id,gpu,op,tp,b,l,h,dim,fwd_us,bwd_us\na,A100,flash_atten,2,4,2048,16,2048,300,900\n");
    const MeasuredTable table = file.table();
    const Series series = operator_attention({table, "A100", "a100"}, graph::Direction::backward_input);
    ASSERT_EQ(series.samples.size(), 1U);
    const graph::Kernel& kernel = series.samples[0].kernel;
    EXPECT_DOUBLE_EQ(kernel.batch, 32);
    EXPECT_DOUBLE_EQ(kernel.flops.in(unit::flop), 5 * 2.0 * 2048 * 2048 * 128 * 32);
    EXPECT_DOUBLE_EQ(series.samples[0].time.in(1_us), 900);
}

/// Both files' products in that precision, and the device, date and libraries of each.
TEST(RecordedRows, AreProductsOfFilesOfRecords) {
    const std::string folder = std::string(std::getenv("DODONA_SOURCE")) + "/lab/evidence/tables/kernels/";
    const Series series = recorded_products({folder + "h200_records.jsonl", folder + "h100_records.jsonl"},
                                            Precision::tf32, "h200-sxm-141gb");
    EXPECT_EQ(series.samples.size(), 18 + 1);
    for (const Sample& sample : series.samples) {
        EXPECT_EQ(sample.kernel.kind, graph::KernelKind::matmul);
        const FlopPerSecond rate = sample.kernel.flops / sample.time;
        EXPECT_GT(rate, 30_TFLOP_per_s) << sample.id;
        EXPECT_LT(rate, 494.7_TFLOP_per_s) << sample.id << ": no faster than the data sheet";
    }
    EXPECT_EQ(series.conditions,
              "NVIDIA H200, 2026-11-27, cuBLASLt 13.1.0, driver 580.159.04, 700 W; NVIDIA H100 80GB HBM3, 2026-11-27, "
              "cuBLASLt 13.1.0, driver 580.159.04, 700 W");
}

/// Two independent measurements: the profile of an H200 was fitted to another team's products, in other versions.
TEST(RecordedRows, AgreeWithTheProfileInBf16) {
    const std::string source = std::getenv("DODONA_SOURCE");
    const Series series = recorded_products({source + "/lab/evidence/tables/kernels/h200_records.jsonl"},
                                            Precision::bf16, "h200-sxm-141gb");
    const cluster::Device device = files::Library(source).device("h200-sxm-141gb", {});
    std::vector<double> ratios;
    for (const Sample& sample : series.samples) {
        ratios.push_back(cost::kernel_time(device, sample.kernel, Precision::bf16).time.value / sample.time);
    }
    ASSERT_EQ(ratios.size(), 100);
    std::sort(ratios.begin(), ratios.end());
    EXPECT_NEAR(ratios[50], 1.0, 0.05);
    EXPECT_GT(ratios[10], 0.6) << "short kernels out of a cold cache";
    EXPECT_LT(ratios[90], 1.15);
}

}  // namespace rows_test
}  // namespace dodona::calibrate
