// How frozen weights are kept in device memory, and the bytes that they take there.
//
//   nf4          1/2 + 1/64 + 4/(64*256) = 0.5159 bytes a weight: 4 bits, an 8-bit scale for each 64 weights, and a 32-bit
//                scale for each 256 of those
//   nf4-single   1/2 + 4/64 = 0.5625 bytes a weight: 4 bits, and a 32-bit scale for each 64 weights
//   int8, fp8    1 byte a weight
//
// Sources: Dettmers et al., QLoRA, arXiv:2305.14314, section 3 (double quantisation: 0.127 bits a weight in place of 0.5);
// bitsandbytes, QuantState. int8: Dettmers et al., LLM.int8(), arXiv:2208.07339; fp8: NVIDIA/TransformerEngine,
// fp8_model_init (fp8_params of NeMo). Not modelled: the 32-bit offset that double quantisation keeps for each matrix; a
// scale for each row of int8 or matrix of fp8; products of int8 without their outliers; transposed copies of fp8.
#pragma once

#include <array>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"

namespace dodona::graph {

enum class WeightStorage { full, nf4, nf4_single, int8, fp8 };

inline constexpr std::array kWeightStorageTable{
    Enumerator(WeightStorage::full, "full", "in the precision of the products"),
    Enumerator(WeightStorage::nf4, "nf4", "4-bit NormalFloat with quantised scales, dequantised for every product"),
    Enumerator(WeightStorage::nf4_single, "nf4-single",
               "4-bit NormalFloat with scales in fp32, dequantised for every product"),
    Enumerator(WeightStorage::int8, "int8", "8-bit integers, dequantised for every product"),
    Enumerator(WeightStorage::fp8, "fp8",
               "8-bit floating point, which products of 8 bits read as it is; dequantised for others")};
constexpr const auto& enumerators(WeightStorage /*type*/) { return kWeightStorageTable; }

/// Bytes of one weight. `product`: of one in the precision of the products.
constexpr Bytes stored_weight(WeightStorage storage, Bytes product) {
    constexpr double kBlock = 64;    // weights that share a scale
    constexpr double kScales = 256;  // scales that share a scale
    switch (storage) {
        case WeightStorage::full: return product;
        case WeightStorage::nf4: return Bytes::of_base(0.5 + 1 / kBlock + 4 / (kBlock * kScales));
        case WeightStorage::nf4_single: return Bytes::of_base(0.5 + 4 / kBlock);
        case WeightStorage::int8:
        case WeightStorage::fp8: return Bytes::of_base(1);
    }
    return product;
}

/// Whether products need the weights in another form than they are kept in. `narrow`: products of 8 bits or fewer.
constexpr bool is_dequantised(WeightStorage storage, bool narrow) {
    return storage != WeightStorage::full && !(storage == WeightStorage::fp8 && narrow);
}

}  // namespace dodona::graph
