// Where no BLAS is: oneDNN's own product.
#include "calibrate/cpu/onednn.hpp"
#include "calibrate/cpu/sgemm.hpp"

namespace dodona::calibrate::cpu {

void sgemm(const Product& product, const float* a, const float* b, float* c) { onednn_sgemm(product, a, b, c); }

bool blas_has_own_threads() { return false; }

std::string blas_name() { return "oneDNN " + onednn_version(); }

}  // namespace dodona::calibrate::cpu
