// Stands in for cuDNN's benchmarks where the library was not there when this was built.
#include "calibrate/cuda/networks.hpp"

namespace dodona::calibrate::cuda {

namespace {

[[noreturn]] void refuse_without_cudnn(std::string_view benchmark) {
    throw CannotMeasure(std::string(benchmark) +
                        " is not measured: this back end was built without cuDNN 9.8 or later; install it and build "
                        "again");
}

}  // namespace

Work prepare_convolution(const Case&, BenchmarkContext&) { refuse_without_cudnn("convolution"); }

Work prepare_attention(const Case&, BenchmarkContext&) { refuse_without_cudnn("attention"); }

std::size_t cudnn_version() { return 0; }

}  // namespace dodona::calibrate::cuda
