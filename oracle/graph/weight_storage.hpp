// How frozen weights are kept in device memory, and the bytes that they take there.
//
//   nf4          1/2 + 1/64 + 4/(64*256) = 0.5159 bytes a weight: 4 bits, an 8-bit scale for each 64 weights, and a 32-bit
//                scale for each 256 of those
//   nf4-single   1/2 + 4/64 = 0.5625 bytes a weight: 4 bits, and a 32-bit scale for each 64 weights
//
// Source: Dettmers et al., QLoRA, arXiv:2305.14314, section 3 (double quantisation: 0.127 bits a weight in place of 0.5);
// bitsandbytes, QuantState. Not modelled: the 32-bit offset that double quantisation keeps for each matrix.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"

namespace dodona::graph {

enum class WeightStorage { full, nf4, nf4_single };

inline constexpr std::array kWeightStorageTable{
    Enumerator(WeightStorage::full, "full", "in the precision of the products"),
    Enumerator(WeightStorage::nf4, "nf4", "4-bit NormalFloat with quantised scales, dequantised for every product"),
    Enumerator(WeightStorage::nf4_single, "nf4-single",
               "4-bit NormalFloat with scales in fp32, dequantised for every product")};
constexpr const auto& enumerators(WeightStorage /*type*/) { return kWeightStorageTable; }

/// Bytes of one weight. `product`: of one in the precision of the products.
constexpr Bytes stored_weight(WeightStorage storage, Bytes product) {
    constexpr double kBlock = 64;    // weights that share a scale
    constexpr double kScales = 256;  // scales that share a scale
    switch (storage) {
        case WeightStorage::full: return product;
        case WeightStorage::nf4: return Bytes::of_base(0.5 + 1 / kBlock + 4 / (kBlock * kScales));
        case WeightStorage::nf4_single: return Bytes::of_base(0.5 + 4 / kBlock);
    }
    return product;
}

}  // namespace dodona::graph
