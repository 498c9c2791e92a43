// Kernels by their names, as the PyTorch profiler shows them.
#include "traces/device_work.hpp"

#include <gtest/gtest.h>

namespace dodona::traces::testing {
namespace device_work_test {

DeviceWork of(std::string_view name) { return work_of_kernel(name, ""); }

TEST(DeviceWork, KnowsProducts) {
    for (const char* name :
         {"ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn",
          "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_execute_segment_k_off_kernel",
          "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_32x6_tn_align8>",
          "nvjet_tst_192x192_64x4_1x2_h_bz_coopA_NNT", "void cublasLt::splitKreduce_kernel<32, 16, int, float>",
          "Cijk_Ailk_Bljk_BBS_BH_MT128x128x32", "triton_tem_fused_mm_3"}) {
        EXPECT_EQ(of(name), DeviceWork::matmul) << name;
    }
}

TEST(DeviceWork, KnowsAttention) {
    for (const char* name : {"void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>>",
                             "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1",
                             "fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::AttentionKernel<>)"}) {
        EXPECT_EQ(of(name), DeviceWork::attention) << name;
    }
}

TEST(DeviceWork, KnowsConvolutionsFromProducts) {
    for (const char* name : {"sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x64",
                             "void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>",
                             "void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true>"}) {
        EXPECT_EQ(of(name), DeviceWork::convolution) << name;
    }
}

TEST(DeviceWork, TakesElementWiseKernelsForPasses) {
    for (const char* name :
         {"void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(...)::{lambda()#1}>",
          "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>",
          // Named after what they fuse: neither a convolution nor attention.
          "triton_poi_fused_convolution_relu_2", "triton_red_fused__scaled_dot_product_flash_attention_add_1",
          "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(...)>"}) {
        EXPECT_EQ(of(name), DeviceWork::passes) << name;
    }
}

TEST(DeviceWork, KnowsTheUpdateOfTheWeights) {
    for (const char* name :
         {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<FusedOptimizerTensorListMetadata<4>, "
          "FusedAdamMathFunctor<float, 4>>",
          "void multi_tensor_apply_kernel<TensorListMetadata<1>, L2NormFunctor<float>>"}) {
        EXPECT_EQ(of(name), DeviceWork::optimizer) << name;
    }
}

TEST(DeviceWork, TakesWhatTheTraceSaysOfACollectiveBeforeItsKernel) {
    EXPECT_EQ(of("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"), DeviceWork::all_reduce);
    EXPECT_EQ(of("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)"), DeviceWork::send);
    EXPECT_EQ(work_of_kernel("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "all_to_allv"),
              DeviceWork::all_to_all);
    EXPECT_EQ(work_of_kernel("ncclDevKernel_AllGather_RING_LL(x)", "_allgather_base"), DeviceWork::all_gather);
    EXPECT_EQ(work_of_kernel("ncclDevKernel_Broadcast_RING_LL(x)", "broadcast"), DeviceWork::other_collective);
}

TEST(DeviceWork, KnowsWhereCopiesGo) {
    EXPECT_EQ(work_of_copy("Memcpy HtoD (Pinned -> Device)"), DeviceWork::copies);
    EXPECT_EQ(work_of_copy("Memcpy DtoD (Device -> Device)"), DeviceWork::passes);
    EXPECT_EQ(work_of_copy("Memcpy PtoP (Device -> Device)"), DeviceWork::send);
    EXPECT_EQ(work_of_copy("Memset (Device)"), DeviceWork::passes);
}

}  // namespace device_work_test
}  // namespace dodona::traces::testing
