#include "calibrate/cuda/fault.hpp"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cuda {

bool breaks_context(cudaError_t answer) {
    switch (answer) {
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchFailure:
        case cudaErrorLaunchTimeout:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorAssert:
        case cudaErrorECCUncorrectable: return true;
        default: return false;
    }
}

void check(cudaError_t answer, std::string_view doing) {
    if (answer == cudaSuccess) {
        return;
    }
    (void)cudaGetLastError();  // an error that breaks nothing is answered once, not again by the next call
    if (breaks_context(answer)) {
        fmt::print(stderr, "dodona: {}: {}; the GPU's context is broken, this process ends\n", doing,
                   cudaGetErrorString(answer));
        std::_Exit(70);
    }
    throw CannotMeasure(fmt::format("{}: {}", doing, cudaGetErrorString(answer)));
}

void check(cublasStatus_t answer, std::string_view doing) {
    if (answer != CUBLAS_STATUS_SUCCESS) {
        throw CannotMeasure(fmt::format("{}: cuBLASLt says {}", doing, cublasLtGetStatusString(answer)));
    }
}

}  // namespace dodona::calibrate::cuda
