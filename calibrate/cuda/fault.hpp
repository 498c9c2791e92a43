// Errors of CUDA and its libraries as messages.
#pragma once

#include <string_view>

#include <cublasLt.h>
#include <cuda_runtime_api.h>

namespace dodona::calibrate::cuda {

/// Throws CannotMeasure where the call failed. `doing`: "starting the product". After an error that breaks the context
/// for good (a kernel that crashed) nothing measured in this process counts: says so on stderr and ends the process
/// with status 70; whoever runs it asks a new one for the rest.
void check(cudaError_t answer, std::string_view doing);
void check(cublasStatus_t answer, std::string_view doing);

/// Whether every later call of this process will fail with the same error. Source: CUDA Runtime API, cudaError: "To
/// continue using CUDA, the process must be terminated and relaunched".
bool breaks_context(cudaError_t answer);

}  // namespace dodona::calibrate::cuda
