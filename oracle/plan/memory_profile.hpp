// Memory profiles: what software keeps on a device besides weights, states and activations.
//
// This depends neither on the network nor on the plan: the treatment of logits by a loss, rules on the tensors that layers
// keep and an update needs, memory of libraries and communicators, fragmentation of the allocator. A profile is a file software/*/NAME.memory.yaml; the
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
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"
#include "plan/strategy.hpp"

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

/// Memory is a list of tensors: what layers keep for backward, weights, gradients, states of the optimizer, and what an
/// update needs. A rule says what software does to some of them.
enum class MemoryAction { keep, cast, repeat, gather, free, offload };
inline constexpr std::array kMemoryActionTable{
    Enumerator(MemoryAction::keep, "keep", "they are kept in addition to what operators declare"),
    Enumerator(MemoryAction::cast, "cast", "they are kept in another precision"),
    Enumerator(MemoryAction::repeat, "repeat", "they are kept once for each reader that shares them"),
    Enumerator(MemoryAction::gather, "gather", "they are kept whole, not in shards that are gathered again"),
    Enumerator(MemoryAction::free, "free", "they are there for a part of the step only"),
    Enumerator(MemoryAction::offload, "offload", "they are in host memory where states are")};
constexpr const auto& enumerators(MemoryAction /*type*/) { return kMemoryActionTable; }

/// Tensors that a rule is about. Those up to `logits` belong to layers, which `match` narrows.
///
///   activations         all that layers keep for backward, but logits
///   product-inputs      what only dW reads, and gradients of its products' results where dW is deferred. If another layer
///                       keeps the same tensor, it is kept twice
///   gate-inputs         what gated activations read
///   results             with master weights in fp32, products read 16-bit copies of their inputs, each its own, and
///                       results of norms, embeddings and sums with them are in fp32 (graph::Autocast)
///   gate-results        of the function of a gated activation: gate, up and f(gate), as software does that runs
///                       operators one by one
///   normalised-inputs   of norms, `element` bytes each; without that in fp32, and without autocast an fp32 copy of an
///                       input in 16 bits
///   placeholders        what products that accumulate dW in the gradient buffer return to autograd: a tensor of the
///                       weight's shape and precision. In blocks one per shape stays allocated; outside blocks they
///                       live while their layer runs
///   pipeline-results    logits of all micro-batches on the last stage of a pipeline, to the end of the step
///   keys                keys and values that several heads share
///   inputs              inputs that a strategy would gather again in backward (Purpose::regather). A strategy without
///                       Rule::regather keeps them gathered only, and has no transfer in backward
///   logits              those that a loss reads: of all ranks, where they share its vocabulary
///   shared-inputs       tensors in blocks that a product of 8 bits or less and another layer keep: once, of `element`
///                       bytes, instead of twice, each as its layer does
///   weights             trained ones that are sharded (ZeRO-3): the fp32 master copy alone, cast to the precision of
///                       products where they are gathered
///   gradients           keep: in the weights' precision, in addition to a wider buffer. free: they are there from the first
///                       backward pass to the update; counts with one pass where no two devices hold the same
///                       gradients, whose buckets would stay: there they come as activations go. offload: they are in
///                       host memory where states are, and are added up there
///   update-copies       the shard of 16-bit gradients, flattened and cast to fp32. The allocator has no free segment of
///                       that size, so it is reserved in addition to the activations
///   update-gradients    an fp32 copy of the shard of 16-bit gradients while it is updated, when activations are gone
///   update-temporaries  `element` bytes an element of the shard while it is updated, when activations are gone
enum class MemoryTensors {
    activations,
    product_inputs,
    gate_inputs,
    results,
    gate_results,
    normalised_inputs,
    placeholders,
    pipeline_results,
    keys,
    inputs,
    logits,
    shared_inputs,
    weights,
    gradients,
    update_copies,
    update_gradients,
    update_temporaries
};
inline constexpr std::array kMemoryTensorsTable{
    Enumerator(MemoryTensors::activations, "activations", "all that layers keep for backward, but logits"),
    Enumerator(MemoryTensors::product_inputs, "product-inputs", "inputs of products that only dW reads"),
    Enumerator(MemoryTensors::gate_inputs, "gate-inputs", "what gated activations read"),
    Enumerator(MemoryTensors::results, "results",
               "with master weights in fp32: 16-bit copies of what products read, each its own, and in fp32 results of "
               "norms, embeddings and sums with them"),
    Enumerator(MemoryTensors::gate_results, "gate-results", "results of the function of gated activations"),
    Enumerator(MemoryTensors::normalised_inputs, "normalised-inputs",
               "results of norms before their weights, and without autocast an fp32 copy of an input in 16 bits"),
    Enumerator(MemoryTensors::placeholders, "placeholders",
               "tensors of a weight's shape that products leave which add dW into the gradient buffer themselves"),
    Enumerator(MemoryTensors::pipeline_results, "pipeline-results",
               "logits of all micro-batches on the last stage of a pipeline"),
    Enumerator(MemoryTensors::keys, "keys", "keys and values that several heads share"),
    Enumerator(MemoryTensors::inputs, "inputs", "inputs that a strategy would gather again in backward"),
    Enumerator(MemoryTensors::logits, "logits", "those of all ranks that share the vocabulary of a loss"),
    Enumerator(MemoryTensors::shared_inputs, "shared-inputs",
               "what a product of a block in 8 bits or less and another layer keep: once, of `element` bytes"),
    Enumerator(MemoryTensors::weights, "weights",
               "trained weights that ZeRO-3 shards: in fp32 alone, and cast where they are gathered"),
    Enumerator(MemoryTensors::gradients, "gradients",
               "kept in the weights' precision in addition to a wider buffer; freed between update and first backward "
               "pass; or "
               "in host memory where optimizer states are"),
    Enumerator(MemoryTensors::update_copies, "update-copies",
               "the shard of 16-bit gradients, flattened and cast to fp32 in addition to the activations"),
    Enumerator(MemoryTensors::update_gradients, "update-gradients",
               "the shard of 16-bit gradients, cast to fp32 while it is updated"),
    Enumerator(MemoryTensors::update_temporaries, "update-temporaries",
               "`element` bytes an element of the shard while it is updated")};
constexpr const auto& enumerators(MemoryTensors /*type*/) { return kMemoryTensorsTable; }
constexpr bool is_of_layers(MemoryTensors tensors) { return tensors <= MemoryTensors::logits; }

/// Precision that tensors are cast to. Products: 1 byte in fp8, with scales per 32 or 16 elements in mxfp8 and nvfp4, in blocks.
enum class CastTo { products, fp32 };
inline constexpr std::array kCastToTable{
    Enumerator(CastTo::products, "products", "the precision of products in blocks: fp8, mxfp8, nvfp4"),
    Enumerator(CastTo::fp32, "fp32", "4 bytes")};
constexpr const auto& enumerators(CastTo /*type*/) { return kCastToTable; }

/// A habit of software. Of several rules on tensors of a layer the first that matches counts.
struct MemoryRule {
    MemoryAction action = MemoryAction::keep;
    MemoryTensors tensors = MemoryTensors::activations;
    Match match = {};               ///< of the layers
    std::optional<CastTo> to = {};  ///< of activations, product and gate inputs
    Bytes element = {};             ///< of shared and normalised inputs, and of temporaries
    std::string source = {};        ///< empty: that of the profile
    bool operator==(const MemoryRule&) const = default;
};

struct MemoryProfile {
    std::string name;    ///< empty: neutral
    std::string source;  ///< of all its values
    std::string summary;

    LossMemory loss = LossMemory::probabilities;
    std::vector<MemoryRule> rules;
    Bytes reduction_bucket;    ///< size of a bucket of flattened gradients
    Bytes workspace;           ///< workspaces of libraries, from the allocator
    Bytes communicator;        ///< buffers of one communicator, not from the allocator
    double fragmentation = 0;  ///< reserved but unused memory over tensors that come and go in a step
    /// The same where whole blocks are recomputed: what is kept of each lies among what is freed, and the tensors of its
    /// repetition find other gaps. Counts if larger than `fragmentation`.
    double recomputed_fragmentation = 0;

    /// The first such rule; null if there is none.
    [[nodiscard]] const MemoryRule* rule(MemoryAction action, MemoryTensors tensors) const;
    [[nodiscard]] bool has(MemoryAction action, MemoryTensors tensors) const {
        return rule(action, tensors) != nullptr;
    }

    bool operator==(const MemoryProfile&) const = default;
};

}  // namespace dodona::plan
