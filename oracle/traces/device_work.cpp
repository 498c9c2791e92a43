#include "traces/device_work.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "base/ranges.hpp"

namespace dodona::traces {

namespace {

struct Pattern {
    std::string_view in_name;  ///< small letters
    DeviceWork work;
};

// The first that a name contains decides. Kernels that torch.compile writes are named after every operator that they
// fuse, so their prefixes come first: poi, per and red are passes, for is an optimizer over many tensors, tem a product.
// Source: names of kernels in PyTorch 1.8 to 2.8 (aten/src/ATen/native/cuda, torch/_inductor/codegen/triton.py), cuBLAS,
// cuDNN, FlashAttention, Transformer Engine, Apex and rocBLAS, as the PyTorch profiler shows them.
constexpr std::array kKernelPatterns{
    Pattern{"triton_poi_", DeviceWork::passes},
    Pattern{"triton_per_", DeviceWork::passes},
    Pattern{"triton_red_", DeviceWork::passes},
    Pattern{"triton_for_", DeviceWork::optimizer},
    Pattern{"triton_tem_", DeviceWork::matmul},
    Pattern{"triton_mm", DeviceWork::matmul},
    Pattern{"flash", DeviceWork::attention},
    Pattern{"fmha", DeviceWork::attention},
    Pattern{"sdpa", DeviceWork::attention},
    Pattern{"attention", DeviceWork::attention},
    Pattern{"attn_", DeviceWork::attention},
    Pattern{"multi_tensor", DeviceWork::optimizer},
    Pattern{"adam", DeviceWork::optimizer},
    Pattern{"adagrad", DeviceWork::optimizer},
    Pattern{"optimizer", DeviceWork::optimizer},
    Pattern{"weight update", DeviceWork::optimizer},  // of Dodona's own traces
    Pattern{"lstm", DeviceWork::recurrent},
    Pattern{"rnn", DeviceWork::recurrent},
    Pattern{"gru_", DeviceWork::recurrent},
    Pattern{"convol", DeviceWork::convolution},
    Pattern{"conv2d", DeviceWork::convolution},
    Pattern{"conv3d", DeviceWork::convolution},
    Pattern{"conv_", DeviceWork::convolution},
    Pattern{"winograd", DeviceWork::convolution},
    Pattern{"wgrad", DeviceWork::convolution},
    Pattern{"dgrad", DeviceWork::convolution},
    Pattern{"fprop", DeviceWork::convolution},
    Pattern{"nchwtonhwc", DeviceWork::convolution},
    Pattern{"nhwctonchw", DeviceWork::convolution},
    Pattern{"gemm", DeviceWork::matmul},
    Pattern{"gemv", DeviceWork::matmul},
    Pattern{"cutlass", DeviceWork::matmul},
    Pattern{"cublas", DeviceWork::matmul},
    Pattern{"nvjet", DeviceWork::matmul},
    Pattern{"cijk_", DeviceWork::matmul},
    Pattern{"matmul", DeviceWork::matmul},
    Pattern{"splitk", DeviceWork::matmul},
};

// Of collectives, without underscores. NCCL runs all-to-alls as sends and receives; the trace's own name comes first.
// Source: pytorch torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp, RECORD_PARAM_COMMS_DATA; NCCL's ncclDevKernel_*.
constexpr std::array kCollectivePatterns{
    Pattern{"allreduce", DeviceWork::all_reduce},
    Pattern{"allgather", DeviceWork::all_gather},
    Pattern{"reducescatter", DeviceWork::reduce_scatter},
    Pattern{"alltoall", DeviceWork::all_to_all},
    Pattern{"send", DeviceWork::send},
    Pattern{"recv", DeviceWork::send},
};

constexpr std::array<std::string_view, 3> kCommunicationLibraries{"nccl", "rccl", "deep_ep"};

std::string small(std::string_view text) {
    std::string all(text);
    std::transform(all.begin(), all.end(), all.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    return all;
}

template <class Patterns>
DeviceWork first_match(const Patterns& patterns, const std::string& name, DeviceWork otherwise) {
    const auto* found =
        found_in(patterns, [&](const Pattern& pattern) { return name.find(pattern.in_name) != std::string::npos; });
    return found == nullptr ? otherwise : found->work;
}

DeviceWork work_of_collective(std::string name) {
    std::erase(name, '_');
    return first_match(kCollectivePatterns, name, DeviceWork::other_collective);
}

}  // namespace

DeviceWork work_of_kernel(std::string_view name, std::string_view collective) {
    const std::string plain = small(name);
    if (plain.find("deep_ep") != std::string::npos) {
        return DeviceWork::all_to_all;
    }
    const bool communicates = any_of(
        kCommunicationLibraries, [&](std::string_view library) { return plain.find(library) != std::string::npos; });
    if (communicates || !collective.empty()) {
        return work_of_collective(small(collective.empty() ? name : collective));
    }
    return first_match(kKernelPatterns, plain, DeviceWork::passes);
}

DeviceWork work_of_copy(std::string_view name) {
    if (name.find("HtoD") != std::string_view::npos || name.find("DtoH") != std::string_view::npos) {
        return DeviceWork::copies;
    }
    return name.find("PtoP") != std::string_view::npos ? DeviceWork::send : DeviceWork::passes;
}

}  // namespace dodona::traces
