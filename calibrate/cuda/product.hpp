// Matrix products by cuBLASLt: the first algorithm of its heuristic, as frameworks take it.
#pragma once

#include "calibrate/cuda/benchmark_context.hpp"
#include "calibrate/cuda/product_layout.hpp"

namespace dodona::calibrate::cuda {

/// One product with its descriptors; operands are given to every call.
class Product {
public:
    struct Types {
        Element operands = Element::fp32;
        Element result = Element::fp32;
        bool tf32 = false;               ///< operands of fp32 cut to 10 bits
        bool fast_accumulation = false;  ///< 8-bit operands: partial sums in the tensor core's own width
    };
    /// `batch` products of the same shape, one behind another in memory. Throws CannotMeasure where the library has no
    /// algorithm for them.
    Product(const BenchmarkContext& context, ProductLayout layout, Types types, Count batch);
    Product(const Product&) = delete;
    Product& operator=(const Product&) = delete;
    ~Product();

    void run(const BenchmarkContext& context, const void* a, const void* b, void* c, cudaStream_t stream) const;
    [[nodiscard]] std::string algorithm() const;
    [[nodiscard]] Bytes scratch() const { return Bytes::of_base(static_cast<double>(found_.workspaceSize)); }

private:
    void choose(const BenchmarkContext& context);

    cublasLtMatmulDesc_t operation_ = nullptr;
    cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, c_ = nullptr;
    cublasLtMatmulHeuristicResult_t found_{};
};

/// Element (row, column) of the first product of column-major operands, as the host computes it.
double product_entry(const ProductLayout& layout, const std::vector<float>& a, const std::vector<float>& b, Count row,
                     Count column);

/// The deviation of some entries of a batch's first product.
double product_error(const BenchmarkContext& context, const ProductLayout& layout, const Tensor& a, const Tensor& b,
                     const Tensor& c);

/// Benchmark matmul.
Work prepare_matmul(const Case& asked, BenchmarkContext& context);
/// Benchmark recurrent: `cells` products side by side of the state by the weights, and the kernel of their gates.
/// Forward `gates` is 4 (LSTM), 3 (GRU) or 1 times `inputs`; backward the other way round.
Work prepare_recurrent(const Case& asked, BenchmarkContext& context);

}  // namespace dodona::calibrate::cuda
