// cuDNN plans our graphs for GPUs that are described to it: what it supports is known without any.
//
// Engines that compile their kernel load the driver's library to place it. Without a driver the toolkit's stub of it
// stands in: then a plan fails at the very last step, placing the compiled code, and at no earlier one.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "calibrate/cuda/network_graphs.hpp"
#include "calibrate/record/exchange.hpp"
#include "tests/calibrate_cuda/described_devices.hpp"

namespace dodona::calibrate::cuda {
namespace {

constexpr const char* kPlaced = "cuLibraryLoadData";  // what fails where the code can't be placed

/// Empty where the graph is planned, or compiled and only not placed; else cuDNN's reason.
std::string refusal(const CudnnGraph& graph, const Described& device, Precision precision) {
    try {
        (void)graph.plan(CudnnDevice::described(json_of(device)), nullptr, refused_of(precision));
        return {};
    } catch (const CannotMeasure& error) {
        const std::string why = error.what();
        return why.find(kPlaced) != std::string::npos ? "" : why;
    }
}

bool driver_or_stub_opens() {
    return ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL) != nullptr ||
           ::dlopen(DODONA_CUDA_STUB, RTLD_NOW | RTLD_GLOBAL) != nullptr;
}

class Graphs : public ::testing::Test {
protected:
    void SetUp() override {
        if (!driver_or_stub_opens()) {
            GTEST_SKIP() << "neither the driver's library nor the toolkit's stub of it opens";
        }
    }
};

ConvolutionShape resnet(bool channels_last) {
    return {.images = 32,
            .channels = 64,
            .filters = 128,
            .groups = 1,
            .input = {56, 56},
            .window = {3, 3},
            .strides = {2, 2},
            .pads = {1, 1},
            .dilations = {1, 1},
            .channels_last = channels_last};
}

TEST_F(Graphs, ConvolutionsArePlannedEachWay) {
    for (const char* direction : {"forward", "backward-input", "backward-weight"}) {
        for (const Described& device : {kA100, kH200, kB200}) {
            const auto built = convolution_graph(resnet(true), Precision::bf16, direction);
            EXPECT_EQ(refusal(built.graph, device, Precision::bf16), "") << device.name << ' ' << direction;
        }
        for (const Precision precision : {Precision::fp16, Precision::tf32, Precision::fp32}) {
            const auto built = convolution_graph(resnet(false), precision, direction);
            EXPECT_EQ(refusal(built.graph, kH200, precision), "") << direction << ' ' << name(precision);
        }
    }
}

TEST_F(Graphs, GroupsThreeDimensionsAndOddShapesArePlanned) {
    ConvolutionShape depthwise = resnet(true);
    depthwise.filters = depthwise.groups = depthwise.channels;
    ConvolutionShape volume{.images = 2,
                            .channels = 16,
                            .filters = 32,
                            .groups = 1,
                            .input = {16, 32, 32},
                            .window = {3, 3, 3},
                            .strides = {1, 1, 1},
                            .pads = {1, 1, 1},
                            .dilations = {1, 1, 1},
                            .channels_last = true};
    ConvolutionShape odd = resnet(false);
    odd.channels = 3;
    odd.filters = 17;
    odd.input = {31, 29};
    for (const auto& shape : {depthwise, volume, odd}) {
        EXPECT_EQ(refusal(convolution_graph(shape, Precision::bf16, "forward").graph, kH200, Precision::bf16), "");
    }
}

void expect_attention(const Described& device, const AttentionShape& shape) {
    const auto what = fmt::format("{} causal {} of {} heads", device.name, shape.causal, shape.kv_heads);
    EXPECT_EQ(refusal(attention_forward(shape, Precision::bf16).graph, device, Precision::bf16), "") << what;
    EXPECT_EQ(refusal(attention_backward(shape, Precision::bf16).graph, device, Precision::bf16), "") << what;
}

TEST_F(Graphs, AttentionIsPlannedBothWays) {
    expect_attention(kH200, {2, 16, 4, 512, 1024, 64, false});
    expect_attention(kA100, {2, 16, 16, 1024, 1024, 128, true});
    expect_attention(kB200, {2, 16, 4, 1024, 1024, 128, true});
}

TEST_F(Graphs, WhatNoEngineMayComputeIsRefused) {
    const AttentionShape shape{1, 1, 1, 64, 64, 64, false};
    const auto built = attention_forward(shape, Precision::bf16);
    try {
        (void)built.graph.plan(CudnnDevice::described(json_of(kH200)), nullptr, {CUDNN_NUMERICAL_NOTE_TENSOR_CORE});
        FAIL() << "fused attention without tensor cores";
    } catch (const CannotMeasure& error) {
        EXPECT_STREQ(error.what(),
                     "cuDNN has no engine for this case: its engines compute in fewer bits than were asked for");
    }
}

TEST(CudnnDevice, ThatCudnnDoesNotKnowIsASentence) {
    const Described old{"Kepler", 350, 15, 49152, 12e9, 1572864, 875000, 3004000};
    EXPECT_THROW((void)CudnnDevice::described(json_of(old)), CannotMeasure);
    EXPECT_THROW((void)CudnnDevice::described("{}"), CannotMeasure);
}

TEST(Attention, IsRefusedInWordsWhereItMakesNoSense) {
    EXPECT_THROW((void)attention_forward({1, 6, 4, 8, 8, 64, false}, Precision::bf16), CannotMeasure);
    EXPECT_THROW((void)attention_forward({1, 4, 4, 8, 8, 64, false}, Precision::fp32), CannotMeasure);
    EXPECT_THROW((void)convolution_graph(resnet(true), Precision::fp8, "forward"), CannotMeasure);
}

TEST(ConvolutionShape, CountsItsOutput) {
    // (56 + 2 - 3) / 2 + 1 = 28
    EXPECT_EQ(resnet(true).output(), (std::vector<std::int64_t>{28, 28}));
    EXPECT_EQ(resnet(true).x_elements(), 32 * 64 * 56 * 56);
    EXPECT_EQ(resnet(true).w_elements(), 128 * 64 * 9);
    EXPECT_EQ(resnet(true).y_elements(), 32 * 128 * 28 * 28);
    ConvolutionShape dilated = resnet(true);
    dilated.dilations = {2, 2};
    EXPECT_EQ(dilated.output().front(), (56 + 2 - 5) / 2 + 1);
}

}  // namespace
}  // namespace dodona::calibrate::cuda
