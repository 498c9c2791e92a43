// Benchmark matmul.
#include <algorithm>

#include <fmt/format.h>

#include "calibrate/cuda/fault.hpp"
#include "calibrate/cuda/product.hpp"

namespace dodona::calibrate::cuda {

namespace {

constexpr Count kNarrowMultiple = 16;  // 8-bit operands are read 16 bytes at a time (cuBLAS, "FP8 data types")

Element result_of(Precision precision, Element operands) {
    return precision == Precision::fp8 ? Element::bf16 : operands;
}

}  // namespace

Work prepare_matmul(const Case& asked, BenchmarkContext& context) {
    const Count m = positive(asked, "m");
    const Count n = positive(asked, "n");
    const Count k = positive(asked, "k");
    const Count batch = static_cast<Count>(std::max(1.0, asked.number("batch", 1)));
    const Precision precision = precision_of(asked);
    const Element element = element_of_precision(precision, "a product");
    const std::string direction = asked.word("direction", "forward");
    const bool narrow = element == Element::fp8;
    if (narrow && (m % kNarrowMultiple != 0 || n % kNarrowMultiple != 0 || k % kNarrowMultiple != 0)) {
        throw CannotMeasure(fmt::format("a product in fp8 needs m, n and k to be multiples of {}", kNarrowMultiple));
    }
    ProductLayout layout = product_layout(direction, m, n, k);
    if (narrow) {
        layout = narrow_layout(m, n, k);
    }
    const Element result = result_of(precision, element);
    const Tensor a = normal_tensor(context, element, batch * layout.a.elements(), "the first operand");
    const Tensor b = normal_tensor(context, element, batch * layout.b.elements(), "the second operand");
    const Tensor c = zero_tensor(context, result, batch * layout.c.elements(), "the product");
    const auto product = std::make_shared<Product>(
        context, layout,
        Product::Types{element, result, precision == Precision::tf32, narrow && direction == "forward"}, batch);
    (void)context.scratch_of(product->scratch());

    Work work;
    work.run = [=, &context](cudaStream_t stream) { product->run(context, a.get(), b.get(), c.get(), stream); };
    work.lasting = true;
    work.tolerance = tolerance_of(precision);
    if (is_checked(asked, a.elements + b.elements + c.elements)) {
        work.error = [=, &context] { return product_error(context, layout, a, b, c); };
    }
    work.values["workspace"] = product->scratch().in(1_B);
    work.words["algorithm"] = product->algorithm();
    work.words["layout"] = narrow && direction != "forward"
                               ? "TN, as hardware reads 8 bits; transposing the operands is not in the time"
                               : layout.letters();
    return work;
}

}  // namespace dodona::calibrate::cuda
