#include "calibrate/cuda/benchmarks.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "calibrate/cuda/collectives.hpp"
#include "calibrate/cuda/compression.hpp"
#include "calibrate/cuda/interference.hpp"
#include "calibrate/cuda/movement.hpp"
#include "calibrate/cuda/networks.hpp"
#include "calibrate/cuda/product.hpp"
#include "calibrate/cuda/versions.hpp"

namespace dodona::calibrate::cuda {

namespace {

using Prepare = Work (*)(const Case&, BenchmarkContext&);

struct Benchmark {
    std::string_view name;
    Prepare prepare;
};

constexpr std::array kBenchmarks{
    Benchmark{"matmul", prepare_matmul},
    Benchmark{"convolution", prepare_convolution},
    Benchmark{"attention", prepare_attention},
    Benchmark{"recurrent", prepare_recurrent},
    Benchmark{"stream", prepare_stream},
    Benchmark{"gather", prepare_gather},
    Benchmark{"copy", prepare_copy},
    Benchmark{"launch", prepare_launch},
    Benchmark{"collective", prepare_collective},
    Benchmark{"send", prepare_send},
    Benchmark{"interference", prepare_interference},
    Benchmark{"compression", prepare_compression},
};

}  // namespace

Work prepare(const Case& asked, BenchmarkContext& context) {
    const auto* const found = std::find_if(kBenchmarks.begin(), kBenchmarks.end(),
                                           [&](const Benchmark& one) { return one.name == asked.benchmark; });
    if (found == kBenchmarks.end()) {
        throw CannotMeasure(
            fmt::format("the back end for GPUs, which runs kernels of libraries, has no benchmark {}; "
                        "--program measures what a framework runs",
                        asked.benchmark));
    }
    return found->prepare(asked, context);
}

std::map<std::string, std::string> library_versions() {
    std::map<std::string, std::string> versions{{"cublaslt", library_version(cublasLtGetVersion())}};
    if (const std::size_t cudnn = cudnn_version(); cudnn != 0) {
        versions["cudnn"] = library_version(cudnn);
    }
    if (const std::size_t nccl = nccl_version(); nccl != 0) {
        versions["nccl"] = library_version(nccl);
    }
    return versions;
}

}  // namespace dodona::calibrate::cuda
