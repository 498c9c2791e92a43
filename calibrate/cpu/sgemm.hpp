// Matrix products in fp32, as frameworks call them: the BLAS that this was built with, else oneDNN's.
#pragma once

#include <cstdint>
#include <string>

namespace dodona::calibrate::cpu {

struct Product {
    bool transpose_a = false, transpose_b = false;
    std::int64_t m = 0, n = 0, k = 0;
    float add = 0;  ///< how much of the old result stays in the new one
};

/// c[m,n] = a[m,k] b[k,n] (+ c), row-major, each of a and b stored transposed where it says so.
void sgemm(const Product& product, const float* a, const float* b, float* c);

/// Whether it runs on threads of its own, not on OpenMP's.
bool blas_has_own_threads();

/// Library and version as far as the library reports them: "OpenBLAS 0.3.21 ..." or the file that the linker chose.
std::string blas_name();

}  // namespace dodona::calibrate::cpu
