// Memory profiles: what software keeps on a device besides weights, states and activations.
//
// This depends neither on the network nor on the plan: the treatment of logits by a loss, copies by an optimizer,
// memory of libraries and communicators, fragmentation of the allocator. A profile is a file software/*/NAME.memory.yaml; the
// neutral one keeps only what the operators of the network declare.
//
//   allocated = tensors                          handed out by the allocator
//   reserved  = allocated                        taken from the driver
//               + fragmentation * tensors that come and go in a step: activations, workspace, buffers
//               + copies of the update
//   process   = reserved + communicators         as nvidia-smi prints for the process
//               + the runtime's context
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"

namespace dodona::plan {

/// Memory of logits in a loss, in bytes per logit, with activations of e bytes.
///
///   name            kept until backward           in addition while the loss is computed
///   probabilities   4 (fp32)                      0    Korthikanti et al., arXiv:2205.05198, section 4.2
///   separate        4 (fp32)                      e + 4    logits, and their fp32 copy: Megatron-LM's
///                                                 vocab_parallel_cross_entropy(logits.float()); huggingface/nanotron:
///                                                 parallel/tensor_parallel/functional.py, _ShardedCrossEntropy
///   unfused         4 (fp32)                      e + 8    logits, and the gradients of the likelihood and of the
///                                                 softmax: torch.nn.functional.cross_entropy(logits.float()), as
///                                                 huggingface/transformers: loss/loss_utils.py, ForCausalLMLoss
///   released        4 (fp32)                      8    unfused, by a program that lets go of the logits before
///                                                 backward, as pytorch/torchtitan: train.py. A split vocabulary
///                                                 adds 4, an fp32 copy: torch/distributed/tensor/parallel/loss.py
///   in-place        e: the gradient takes the     0    Transformer Engine's cross_entropy (Triton): the
///                   logits' place                      backward product reads it there
enum class LossMemory { probabilities, separate, unfused, released, in_place };
inline constexpr std::array kLossMemoryTable{
    Enumerator(LossMemory::probabilities, "probabilities", "4 bytes a logit, kept until backward"),
    Enumerator(
        LossMemory::separate, "separate",
        "4 bytes a logit, kept until backward, beside the logits and their fp32 copy while the loss is computed"),
    Enumerator(LossMemory::unfused, "unfused",
               "4 bytes a logit, kept until backward, beside the logits and two fp32 gradients while backward begins"),
    Enumerator(LossMemory::released, "released", "unfused, but the logits are gone when backward begins"),
    Enumerator(LossMemory::in_place, "in-place", "the gradient takes the place of the logits")};
constexpr const auto& enumerators(LossMemory /*type*/) { return kLossMemoryTable; }
inline constexpr std::array kLossMemories = values_of(kLossMemoryTable);
constexpr std::string_view name(LossMemory loss) { return name_of(loss); }

struct MemoryProfile {
    std::string name;    ///< empty: neutral
    std::string source;  ///< of all its values
    std::string summary;

    LossMemory loss = LossMemory::probabilities;
    /// Products that accumulate dW in the gradient buffer return to autograd a placeholder with the weight's shape and
    /// precision. In blocks one per shape stays allocated; outside blocks they live while their layer runs.
    /// Source: Transformer Engine, get_dummy_wgrad; Megatron-Core, LinearWithGradAccumulationAndAsyncCommunication.
    bool gradient_placeholders = false;
    /// Inputs of a block's products that only dW reads are kept in the precision of the products: 1 byte in fp8, with
    /// scales per 32 or 16 elements in mxfp8 and nvfp4. If another layer keeps the same tensor, it is kept twice. So
    /// are gradients of their results where dW is put off.
    bool quantised_inputs = false;
    /// A gated activation keeps the result of its function beside what it reads: gate, up and f(gate), as software does
    /// that runs operators one by one. Source: huggingface/nanotron: src/nanotron/models/llama.py, GLUActivation.
    bool gate_results = false;
    /// Keys and values that several heads share are repeated for each head before attention, which keeps those. Source:
    /// pytorch/torchtitan v0.2.2: torchtitan/models/llama3/model/model.py, repeat_kv.
    bool repeated_keys = false;
    /// Norms by root mean square keep their normalised result, and an fp32 copy of an input in 16 bits, as software does
    /// that runs operators one by one. Source: huggingface/transformers: models/llama/modeling_llama.py, LlamaRMSNorm.
    bool norm_results = false;
    /// With master weights in fp32, products read 16-bit copies of their inputs, each its own, and results of norms,
    /// embeddings and sums with them are in fp32. Source: torch.autocast (graph::Autocast).
    bool autocast = false;
    /// Gradients are there from the first backward pass of a step to its update only. Counts with one pass where no two
    /// devices hold the same gradients, whose buckets would stay: there they come as activations go. Source:
    /// torch.optim.Optimizer.zero_grad(set_to_none=True), the default.
    bool gradients_freed = false;
    /// Trained weights that are sharded (ZeRO-3) are the fp32 master copy alone, cast to the precision of products
    /// where they are gathered. Source: torch.distributed.fsdp.MixedPrecisionPolicy.
    bool cast_gathered = false;
    /// Inputs that a strategy would gather again in backward (Purpose::regather) are kept gathered, not in shards.
    /// A strategy without Rule::regather keeps them gathered only, and has no transfer in backward. Source:
    /// huggingface/nanotron: src/nanotron/parallel/tensor_parallel/functional.py, tp_recompute_allgather = False.
    bool gathered_inputs = false;
    /// The last stage of a pipeline keeps its logits of all micro-batches to the end of the step. Source:
    /// pytorch/pytorch: torch/distributed/pipelining/stage.py, output_chunks, unless step(return_outputs=False).
    bool pipeline_results = false;
    /// What gated activations in blocks read is kept in the precision of the products too.
    /// Source: DeepSeek-AI, arXiv:2412.19437, section 3.3.3: inputs of SwiGLU in fp8, its output recomputed.
    bool quantised_gates = false;
    /// Of one element of a tensor in a block that a product of 8 bits or less and another layer keep: it is kept once.
    /// 0: twice, each as its layer does. Source: the same: 12 bits (E5M6) for the result of attention.
    Bytes shared_input;
    /// Gradients in the weights' precision are kept in addition to a wider gradient buffer.
    /// Source: DeepSpeed, BF16_Optimizer.update_hp_grads.
    bool gradient_copies = false;
    /// The update flattens its shard of 16-bit gradients and casts it to fp32. The allocator has no free segment of
    /// that size, so it is reserved in addition to the activations. Source: DeepSpeed, stage_1_and_2.py, step().
    bool update_copies = false;
    /// Gradients are in host memory where optimizer states are, and are added up there.
    /// Source: DeepSpeed, stage_1_and_2.py, async_accumulate_grad_in_cpu_via_gpu; stage3.py, partition_grads.
    bool gradients_with_states = false;
    Bytes reduction_bucket;    ///< size of a bucket of flattened gradients
    Bytes workspace;           ///< workspaces of libraries, from the allocator
    Bytes communicator;        ///< buffers of one communicator, not from the allocator
    double fragmentation = 0;  ///< reserved but unused memory over tensors that come and go in a step
    /// The same where whole blocks are recomputed: what is kept of each lies among what is freed, and the tensors of its
    /// repetition find other gaps. Counts if larger than `fragmentation`.
    double recomputed_fragmentation = 0;

    bool operator==(const MemoryProfile&) const = default;
};

}  // namespace dodona::plan
