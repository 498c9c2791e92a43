// What the host expects of a product.
#include "calibrate/cuda/product.hpp"

namespace dodona::calibrate::cuda {

double product_entry(const ProductLayout& layout, const std::vector<float>& a, const std::vector<float>& b, Count row,
                     Count column) {
    const Count depth = layout.transpose_a ? layout.a.rows : layout.a.columns;
    double sum = 0;
    for (Count k = 0; k < depth; ++k) {
        const Count in_a = layout.transpose_a ? k + row * layout.a.rows : row + k * layout.a.rows;
        const Count in_b = layout.transpose_b ? column + k * layout.b.rows : k + column * layout.b.rows;
        sum += static_cast<double>(a[static_cast<std::size_t>(in_a)]) *
               static_cast<double>(b[static_cast<std::size_t>(in_b)]);
    }
    return sum;
}

double product_error(const BenchmarkContext& context, const ProductLayout& layout, const Tensor& a, const Tensor& b,
                     const Tensor& c) {
    constexpr Count kEntries = 256;
    constexpr Count kStride = 7919;  // prime: spread over all of it
    const auto left = numbers_of(context, a);
    const auto right = numbers_of(context, b);
    const auto result = numbers_of(context, c);
    std::vector<float> measured;
    std::vector<double> expected;
    for (Count i = 0; i < kEntries; ++i) {
        const Count at = i * kStride % layout.c.elements();
        measured.push_back(result[static_cast<std::size_t>(at)]);
        expected.push_back(product_entry(layout, left, right, at % layout.c.rows, at / layout.c.rows));
    }
    return deviation(measured, expected);
}

}  // namespace dodona::calibrate::cuda
