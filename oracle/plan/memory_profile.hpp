// What the software of one generation keeps on a device beside weights, states and activations.
//
// None of it is the network's or the plan's: how a loss treats its logits, what an optimizer copies, what libraries
// and communicators take, what an allocator cannot use. A profile is a file in oracle/plan/memory; the neutral one
// keeps nothing beside what the operators of the network declare.
//
//   allocated = tensors                          what the allocator has handed out
//   reserved  = allocated (1 + fragmentation)    what it has taken from the driver
//               + copies of the update
//   process   = reserved + communicators         what nvidia-smi prints for the process
//               + the runtime's context
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"

namespace dodona::plan {

/// What a loss keeps of its logits, bytes a logit at e bytes an activation.
///
///   word            kept until backward           beside it while the loss is computed
///   probabilities   4 (fp32)                      0    Korthikanti et al., arXiv:2205.05198, section 4.2
///   separate        4 (fp32)                      e + 4    logits, and their fp32 copy: Megatron-LM's
///                                                 vocab_parallel_cross_entropy(logits.float())
///   in-place        e: the gradient takes the     0    Transformer Engine's cross_entropy (Triton): the
///                   logits' place                      backward product reads it there
enum class LossMemory { probabilities, separate, in_place };
inline constexpr std::array kLossMemoryTable{
    Enumerator(LossMemory::probabilities, "probabilities", "4 bytes a logit, kept until backward"),
    Enumerator(
        LossMemory::separate, "separate",
        "4 bytes a logit, kept until backward, beside the logits and their fp32 copy while the loss is computed"),
    Enumerator(LossMemory::in_place, "in-place", "the gradient takes the place of the logits")};
constexpr const auto& enumerators(LossMemory /*type*/) { return kLossMemoryTable; }
inline constexpr std::array kLossMemories = values_of(kLossMemoryTable);
constexpr std::string_view name(LossMemory loss) { return name_of(loss); }

struct MemoryProfile {
    std::string name;    ///< empty: neutral
    std::string source;  ///< of all its values
    std::string summary;

    LossMemory loss = LossMemory::probabilities;
    /// Products that add dW into the gradient buffer themselves hand autograd a tensor of the weight's shape in its
    /// precision. Those of blocks are kept, one for each shape; those outside of blocks live while their layer runs.
    /// Source: Transformer Engine, get_dummy_wgrad; Megatron-Core, LinearWithGradAccumulationAndAsyncCommunication.
    bool gradient_placeholders = false;
    /// Inputs that only dW of a block's products reads are kept in the precision of the products: 1 byte in fp8, and
    /// with the scales of 32 or 16 elements in mxfp8 and nvfp4. What another layer keeps as well is kept a second time.
    bool quantised_inputs = false;
    /// Gradients in the weights' precision stay beside a wider buffer, into which each is cast as a whole.
    /// Source: DeepSpeed, BF16_Optimizer.update_hp_grads.
    bool gradient_copies = false;
    /// An update casts its own shard of 16-bit gradients to fp32, flattened first. The allocator has no segment of that
    /// size free, so that it is reserved beside the activations. Source: DeepSpeed, stage_1_and_2.py, step().
    bool update_copies = false;
    Bytes reduction_bucket;    ///< gradients flattened for one reduction
    Bytes workspace;           ///< of libraries, from the allocator
    Bytes communicator;        ///< buffers of one communicator, not from the allocator
    double fragmentation = 0;  ///< reserved and of no use, over allocated

    bool operator==(const MemoryProfile&) const = default;
};

}  // namespace dodona::plan
