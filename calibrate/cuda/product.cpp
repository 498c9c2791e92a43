#include "calibrate/cuda/product.hpp"

#include <fmt/format.h>

#include "calibrate/cuda/fault.hpp"

namespace dodona::calibrate::cuda {

namespace {

cudaDataType_t type_of(Element element) {
    switch (element) {
        case Element::fp32: return CUDA_R_32F;
        case Element::fp16: return CUDA_R_16F;
        case Element::bf16: return CUDA_R_16BF;
        case Element::fp8: return CUDA_R_8F_E4M3;
    }
    return CUDA_R_32F;
}

cublasLtMatrixLayout_t layout_of(Shape shape, Element element, Count batch) {
    cublasLtMatrixLayout_t layout = nullptr;
    check(cublasLtMatrixLayoutCreate(&layout, type_of(element), static_cast<std::uint64_t>(shape.rows),
                                     static_cast<std::uint64_t>(shape.columns), shape.rows),
          "describing a matrix");
    const auto count = static_cast<std::int32_t>(batch);
    const std::int64_t stride = shape.elements();
    check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
          "describing a matrix");
    check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride),
          "describing a matrix");
    return layout;
}

}  // namespace

Product::Product(const BenchmarkContext& context, ProductLayout layout, Types types, Count batch) {
    const auto compute = types.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    check(cublasLtMatmulDescCreate(&operation_, compute, CUDA_R_32F), "describing a product");
    const cublasOperation_t a = layout.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t b = layout.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
        check(cublasLtMatmulDescSetAttribute(operation_, attribute, &value, sizeof value), "describing a product");
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA, a);
    set(CUBLASLT_MATMUL_DESC_TRANSB, b);
    if (types.operands == Element::fp8) {
        set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, static_cast<std::int8_t>(types.fast_accumulation));
    }
    a_ = layout_of(layout.a, types.operands, batch);
    b_ = layout_of(layout.b, types.operands, batch);
    c_ = layout_of(layout.c, types.result, batch);
    choose(context);
}

void Product::choose(const BenchmarkContext& context) {
    cublasLtMatmulPreference_t preference = nullptr;
    check(cublasLtMatmulPreferenceCreate(&preference), "asking for an algorithm");
    const auto scratch = static_cast<std::size_t>(context.scratch_size().in(1_B));
    (void)cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &scratch,
                                               sizeof scratch);
    int found = 0;
    const cublasStatus_t answer = cublasLtMatmulAlgoGetHeuristic(context.products.handle(), operation_, a_, b_, c_, c_,
                                                                 preference, 1, &found_, &found);
    (void)cublasLtMatmulPreferenceDestroy(preference);
    if (answer != CUBLAS_STATUS_SUCCESS || found == 0) {
        throw CannotMeasure(fmt::format("cuBLASLt has no algorithm for this product on compute capability {}.{} ({})",
                                        context.facts.major, context.facts.minor, cublasLtGetStatusString(answer)));
    }
}

Product::~Product() {
    (void)cublasLtMatrixLayoutDestroy(a_);
    (void)cublasLtMatrixLayoutDestroy(b_);
    (void)cublasLtMatrixLayoutDestroy(c_);
    (void)cublasLtMatmulDescDestroy(operation_);
}

void Product::run(const BenchmarkContext& context, const void* a, const void* b, void* c, cudaStream_t stream) const {
    const float one = 1;
    const float none = 0;
    check(cublasLtMatmul(context.products.handle(), operation_, &one, a, a_, b, b_, &none, c, c_, c, c_, &found_.algo,
                         context.scratch.get(), found_.workspaceSize, stream),
          "starting the product");
}

std::string Product::algorithm() const {
    const auto number = [&](cublasLtMatmulAlgoConfigAttributes_t attribute) {
        std::int32_t value = 0;
        std::size_t written = 0;
        (void)cublasLtMatmulAlgoConfigGetAttribute(&found_.algo, attribute, &value, sizeof value, &written);
        return value;
    };
    return fmt::format("cublasLt id={} tile={} stages={} splitk={}", number(CUBLASLT_ALGO_CONFIG_ID),
                       number(CUBLASLT_ALGO_CONFIG_TILE_ID), number(CUBLASLT_ALGO_CONFIG_STAGES_ID),
                       number(CUBLASLT_ALGO_CONFIG_SPLITK_NUM));
}

}  // namespace dodona::calibrate::cuda
