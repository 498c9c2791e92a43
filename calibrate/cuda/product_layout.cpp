#include "calibrate/cuda/product_layout.hpp"

#include <fmt/format.h>

#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cuda {

ProductLayout product_layout(const std::string& direction, std::int64_t m, std::int64_t n, std::int64_t k) {
    if (direction == "forward") {
        return {.transpose_a = true, .transpose_b = false, .a = {k, n}, .b = {k, m}, .c = {n, m}};
    }
    if (direction == "backward-input") {
        return {.transpose_a = false, .transpose_b = false, .a = {n, k}, .b = {k, m}, .c = {n, m}};
    }
    if (direction == "backward-weight") {
        return {.transpose_a = false, .transpose_b = true, .a = {n, k}, .b = {m, k}, .c = {n, m}};
    }
    throw CannotMeasure(
        fmt::format("{} is no direction of a product; one is forward, backward-input or backward-weight", direction));
}

ProductLayout narrow_layout(std::int64_t m, std::int64_t n, std::int64_t k) {
    return product_layout("forward", m, n, k);
}

}  // namespace dodona::calibrate::cuda
