// How one number of a tensor is stored on the GPU.
#pragma once

#include <cstddef>

namespace dodona::calibrate::cuda {

/// fp8 is e4m3: the format of activations and weights in Transformer Engine's recipes.
enum class Element { fp32, fp16, bf16, fp8 };

constexpr std::size_t width(Element element) {
    switch (element) {
        case Element::fp32: return 4;
        case Element::fp16:
        case Element::bf16: return 2;
        case Element::fp8: return 1;
    }
    return 0;
}

}  // namespace dodona::calibrate::cuda
