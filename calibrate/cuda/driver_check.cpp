#include "calibrate/cuda/driver_check.hpp"

#include <cuda_runtime_api.h>

#include <fmt/format.h>

#include "calibrate/cuda/versions.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cuda {

void require_device() {
    int driver = 0;
    int runtime = 0;
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    if (driver == 0) {
        throw InstrumentMissing({.why = "this machine has no NVIDIA driver",
                                 .help = "install the NVIDIA driver; `nvidia-smi` tells whether it works"});
    }
    int devices = 0;
    const cudaError_t asked = cudaGetDeviceCount(&devices);
    if (asked == cudaErrorInsufficientDriver) {
        throw InstrumentMissing({.why = fmt::format("the NVIDIA driver supports CUDA {} and this program needs CUDA {}",
                                                    cuda_version(driver), cuda_version(runtime)),
                                 .help = "install a newer NVIDIA driver, or build with an older CUDA toolkit"});
    }
    if (asked != cudaSuccess || devices == 0) {
        throw InstrumentMissing(
            {.why = fmt::format("the NVIDIA driver shows no device{}{}", asked == cudaSuccess ? "" : ": ",
                                asked == cudaSuccess ? "" : cudaGetErrorString(asked)),
             .help = "`nvidia-smi` lists the devices that the driver sees"});
    }
}

}  // namespace dodona::calibrate::cuda
