// A matrix product of the case table as cuBLASLt takes it: column-major, so each row-major matrix is its transpose.
//
//   direction        row-major              column-major operands             written by people
//   forward          Y = X W^T              Y^T[n,m] = (W^T[k,n])^T X^T[k,m]  TN
//   backward-input   dX = dY W              dX^T[n,m] = W^T[n,k] dY^T[k,m]    NN
//   backward-weight  dW = dY^T X            dW^T[n,m] = X^T[n,k] (dY^T[m,k])^T  NT
//
// Row-major first[m,k] (or [k,m]) is the second operand, row-major second the first one.
#pragma once

#include <cstdint>
#include <string>

#include "base/precision.hpp"

namespace dodona::calibrate::cuda {

/// One matrix, column-major, its leading dimension its rows.
struct Shape {
    std::int64_t rows = 0, columns = 0;
    bool operator==(const Shape&) const = default;
    [[nodiscard]] std::int64_t elements() const { return rows * columns; }
};

struct ProductLayout {
    bool transpose_a = false, transpose_b = false;
    Shape a, b, c;
    bool operator==(const ProductLayout&) const = default;

    [[nodiscard]] std::string letters() const {
        return std::string(1, transpose_a ? 'T' : 'N') + (transpose_b ? 'T' : 'N');
    }
};

/// `direction`: forward, backward-input or backward-weight. Throws CannotMeasure for another word.
ProductLayout product_layout(const std::string& direction, std::int64_t m, std::int64_t n, std::int64_t k);

/// Of 8-bit operands the hardware of compute capability 8.9 and 9.0 reads TN only: frameworks transpose them before,
/// which is not part of the product. The same m, n and k, as TN.
ProductLayout narrow_layout(std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace dodona::calibrate::cuda
