// Stands in for NCCL's benchmarks where the library was not there when this was built.
#include "calibrate/cuda/collectives.hpp"

namespace dodona::calibrate::cuda {

namespace {

[[noreturn]] void refuse_without_nccl(std::string_view benchmark) {
    throw CannotMeasure(std::string(benchmark) +
                        " is not measured: this back end was built without NCCL; install it and build again, or import "
                        "a log of nccl-tests");
}

}  // namespace

Work prepare_collective(const Case&, BenchmarkContext&) { refuse_without_nccl("collective"); }

Work prepare_send(const Case&, BenchmarkContext&) { refuse_without_nccl("send"); }

std::size_t nccl_version() { return 0; }

}  // namespace dodona::calibrate::cuda
