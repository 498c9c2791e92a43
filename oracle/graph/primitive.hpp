// Primitives: memory-bound operations that libraries such as oneDNN and cuDNN have a kernel of their own for.
#pragma once

#include <cstdint>
#include <string_view>

namespace dodona::graph {

/// What a memory-bound kernel computes.
enum class Primitive : std::uint8_t {
    none,
    relu,
    gelu,
    silu,
    sigmoid,
    tanh,
    softmax,
    layer_norm,
    rms_norm,
    batch_norm,
    max_pool,
    average_pool
};

constexpr std::string_view name(Primitive primitive) {
    switch (primitive) {
        case Primitive::none: return "";
        case Primitive::relu: return "relu";
        case Primitive::gelu: return "gelu";
        case Primitive::silu: return "silu";
        case Primitive::sigmoid: return "sigmoid";
        case Primitive::tanh: return "tanh";
        case Primitive::softmax: return "softmax";
        case Primitive::layer_norm: return "layer-norm";
        case Primitive::rms_norm: return "rms-norm";
        case Primitive::batch_norm: return "batch-norm";
        case Primitive::max_pool: return "max-pool";
        case Primitive::average_pool: return "average-pool";
    }
    return "";
}

}  // namespace dodona::graph
