// Version numbers of NVIDIA's libraries as people write them. Each library packs them in its own way.
#pragma once

#include <string>

#include <fmt/format.h>

namespace dodona::calibrate::cuda {

/// CUDA: 1000 major + 10 minor. 13020 is "13.2".
inline std::string cuda_version(int packed) { return fmt::format("{}.{}", packed / 1000, packed % 1000 / 10); }

/// cuBLAS, cuDNN since 9 and NCCL since 2.9: 10000 major + 100 minor + patch. 91900 is "9.19.0".
inline std::string library_version(std::size_t packed) {
    return fmt::format("{}.{}.{}", packed / 10000, packed % 10000 / 100, packed % 100);
}

}  // namespace dodona::calibrate::cuda
