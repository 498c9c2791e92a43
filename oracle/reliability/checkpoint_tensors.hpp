// Which tensors a checkpoint of a network holds.
//
//   weights   the weights as they are multiplied, and running statistics in fp32
//   training  the same, the fp32 master copies of mixed precision, and the optimizer's states
//
// With Adam in mixed precision these are 2 + 4 + 8 = 14 bytes a parameter, without gradients (Korthikanti et al.,
// arXiv:2205.05198, section 4: 18 with them). Optimizers with two moments keep a step count of 8 bytes for each tensor.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/precision.hpp"
#include "graph/graph.hpp"
#include "plan/optimizer.hpp"
#include "reliability/checkpoint_size.hpp"

namespace dodona::reliability {

enum class CheckpointContent { training, weights };

inline constexpr std::array kCheckpointContentTable{
    Enumerator(CheckpointContent::training, "training", "weights, master copies and optimizer states"),
    Enumerator(CheckpointContent::weights, "weights", "weights alone, from which training cannot continue as it was")};
constexpr const auto& enumerators(CheckpointContent /*type*/) { return kCheckpointContentTable; }
constexpr std::string_view name(CheckpointContent content) { return name_of(content); }

/// Tied weights are stored once.
std::vector<StoredTensor> checkpoint_tensors(const graph::Graph& graph, CheckpointContent content,
                                             const plan::Optimizer& optimizer, Precision precision);

}  // namespace dodona::reliability
