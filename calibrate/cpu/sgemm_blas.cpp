#include <cblas.h>
#include <dlfcn.h>

#include <filesystem>

#include "calibrate/cpu/sgemm.hpp"

namespace dodona::calibrate::cpu {

void sgemm(const Product& product, const float* a, const float* b, float* c) {
    const auto m = static_cast<int>(product.m);
    const auto n = static_cast<int>(product.n);
    const auto k = static_cast<int>(product.k);
    cblas_sgemm(CblasRowMajor, product.transpose_a ? CblasTrans : CblasNoTrans,
                product.transpose_b ? CblasTrans : CblasNoTrans, m, n, k, 1, a, product.transpose_a ? m : k, b,
                product.transpose_b ? k : n, product.add, c, n);
}

/// Source: OpenBLAS cblas.h: OPENBLAS_THREAD is 1, OPENBLAS_OPENMP 2.
bool blas_has_own_threads() {
    constexpr int kOwnThreads = 1;
    void* const found = dlsym(RTLD_DEFAULT, "openblas_get_parallel");
    return found != nullptr && reinterpret_cast<int (*)()>(found)() == kOwnThreads;
}

std::string blas_name() {
    if (void* const found = dlsym(RTLD_DEFAULT, "openblas_get_config"); found != nullptr) {
        return reinterpret_cast<const char* (*)()>(found)();
    }
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&cblas_sgemm), &info) != 0 && info.dli_fname != nullptr) {
        return std::filesystem::path(info.dli_fname).filename().string();
    }
    return "unknown";
}

}  // namespace dodona::calibrate::cpu
