// The update of matrices inside the network by optimizers that update them whole (plan::MatrixUpdate).
//
// Every rank updates all matrices if states are not sharded. Otherwise each matrix belongs to one rank of the group:
// the longest ones first, each to the rank with least so far, and the slowest rank decides. With N matrices of one shape
// on w ranks that is
//
//   t = ceil(N / w) t_1        t_1: kernels of one matrix, and its gather over ranks that split rows or columns
//
// An optimizer that needs the whole matrix gathers the fp32 direction over the ranks that split it (tensor parallelism),
// and each of them computes the whole update. With ZeRO-3 the momentum is gathered in the precision of the weights, and
// the update and the momentum after it. Other optimizers update each part alone, and divide their work evenly with ZeRO-3.
// Products run as matrix products of the passes do; what is exchanged hides behind nothing.
//
// Not modelled: micro-batches after each of which DeepSpeed's ZeRO-3 updates; a matrix that crosses the border of two
// partitions of its ZeRO-1 and 2, which both ranks update; all-to-alls in place of gathers (microsoft/dion: dion/muon.py).
// Source: NVIDIA/Megatron-LM: megatron/core/optimizer/layer_wise_optimizer.py, and --muon-tp-mode duplicated, the default;
// deepspeedai/DeepSpeed: runtime/zero/stage_1_and_2.py, get_flat_partition, and stage3.py,
// _apply_distributed_muon_update; Liu et al., arXiv:2502.16982, section 2.3.
#pragma once

#include <vector>

#include "step/state_sharding.hpp"

namespace dodona::step {

/// Time of kernels on the slowest device of a graph.
Estimate matrix_time(const CostedGraph& costed, const plan::Plan& plan, const std::vector<graph::Kernel>& kernels);

/// Equal matrices: the time of each, and how many.
struct MatrixLoad {
    Seconds time;
    double count = 0;
};

/// Time of the rank that takes longest.
Seconds longest_share(std::vector<MatrixLoad> loads, std::int64_t ranks);

/// Adds the update of a stage's matrices of one kind to `states`. `over`: atoms that states are sharded over.
void add_matrix_updates(const CostedGraph& costed, const plan::Plan& plan, const std::vector<plan::Matrices>& matrices,
                        plan::Atoms over, StageStates& states);

}  // namespace dodona::step
