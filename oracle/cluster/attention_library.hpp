// Libraries whose kernels of fused attention were measured apart: a device may run several, and software chooses.
#pragma once

#include <array>

#include "base/enumeration.hpp"

namespace dodona::cluster {

enum class AttentionLibrary { flash_attention_2, cudnn };
inline constexpr std::array kAttentionLibraryTable{
    Enumerator(AttentionLibrary::flash_attention_2, "flash-attention-2",
               "FlashAttention-2, of its own package or inside PyTorch"),
    Enumerator(AttentionLibrary::cudnn, "cudnn",
               "NVIDIA cuDNN, as Transformer Engine and PyTorch of 2026 run it on Hopper")};
constexpr const auto& enumerators(AttentionLibrary /*type*/) { return kAttentionLibraryTable; }

}  // namespace dodona::cluster
