// Memory profiles: what software keeps on a device in addition to weights, states and activations.
//
// This depends neither on the network nor on the plan: rules on the tensors that layers keep and that a loss and an update
// need, memory of libraries and communicators, fragmentation of the allocator. A profile is a file
// software/*/NAME.memory.yaml; the neutral one keeps only what the operators of the network declare.
//
//   allocated = tensors                          handed out by the allocator
//   reserved  = allocated                        taken from the driver
//               + fragmentation * tensors that come and go in a step: activations, workspace, buffers
//               + copies of the update, messages that wait
//   process   = reserved + communicators         as nvidia-smi prints for the process
//               + the runtime's context
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"
#include "plan/strategy.hpp"

namespace dodona::plan {

/// Memory is a list of tensors: what layers keep for backward, weights, gradients, states of the optimizer, and what an
/// update needs. A rule says what software does to some of them.
enum class MemoryAction { keep, cast, repeat, gather, free, offload };
inline constexpr std::array kMemoryActionTable{
    Enumerator(MemoryAction::keep, "keep", "they are kept in addition to what operators declare"),
    Enumerator(MemoryAction::cast, "cast", "they are kept in another precision"),
    Enumerator(MemoryAction::repeat, "repeat", "they are kept once for each reader that shares them"),
    Enumerator(MemoryAction::gather, "gather", "they are kept whole, not in shards that are gathered again"),
    Enumerator(MemoryAction::free, "free",
               "they are there for a part of the step only; those of layers not at all, whatever later rules say"),
    Enumerator(MemoryAction::offload, "offload", "they are in host memory where states are")};
constexpr const auto& enumerators(MemoryAction /*type*/) { return kMemoryActionTable; }

/// Tensors that a rule is about. Those up to `split-loss-temporaries` belong to layers, which `match` narrows.
///
///   activations         all that layers keep for backward, but logits
///   product-inputs      what only dW reads, and gradients of its products' results where dW is deferred. If another layer
///                       keeps the same tensor, it is kept twice
///   gate-inputs         what gated activations read
///   results             with master weights in fp32, products read 16-bit copies of their inputs, each its own, and
///                       results of norms, embeddings and sums with them are in fp32 (graph::Autocast)
///   gate-results        of the function of a gated activation: gate, up and f(gate), as software does that runs
///                       operators one by one
///   normalised-inputs   of layers that `match` names, above all norms: as many as their results, of `element` bytes;
///                       without that in fp32, and without autocast an fp32 copy of an input in 16 bits
///   probabilities       of attention that keeps its scores: in fp32 from softmax to its backward pass, in addition to
///                       what dropout or the product with the values reads in 16 bits
///   placeholders        what products that accumulate dW in the gradient buffer return to autograd: a tensor of the
///                       weight's shape and precision. In blocks one per shape stays allocated; outside blocks they
///                       live while their layer runs
///   pipeline-results    logits of all micro-batches on the last stage of a pipeline, to the end of the step
///   keys                keys and values that several heads share
///   inputs              inputs that a strategy would gather again in backward (Purpose::regather). A strategy without
///                       Rule::regather keeps them gathered only, and has no transfer in backward
///   logits              those that a loss reads. gather: of all ranks, where they share its vocabulary. cast: the loss
///                       keeps them in place of probabilities in fp32 and turns them into their gradients. free: they are
///                       there in chunks of as many tokens that one is about as large as the input of their product;
///                       gradients of that input and of the product's weights are computed in forward, and kept
///   loss-inputs         logits as their product wrote them, until backward begins
///   loss-temporaries    `element` bytes a logit in addition to what the loss keeps, when forward ends and backward
///                       begins; of one of `chunks` at a time, and the logits likewise unless loss-inputs are kept
///   split-loss-temporaries   the same where ranks share the vocabulary
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
///   messages            buffers of collectives between layers, which the allocator gets back when the device has sent them:
///                       reserved in addition to what a forward pass keeps, since the host starts its launches before
enum class MemoryTensors {
    activations,
    product_inputs,
    gate_inputs,
    results,
    gate_results,
    normalised_inputs,
    probabilities,
    placeholders,
    pipeline_results,
    keys,
    inputs,
    logits,
    loss_inputs,
    loss_temporaries,
    split_loss_temporaries,
    shared_inputs,
    weights,
    gradients,
    update_copies,
    update_gradients,
    update_temporaries,
    messages
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
    Enumerator(MemoryTensors::probabilities, "probabilities",
               "of attention that keeps its scores: in fp32 beside what its product reads in 16 bits"),
    Enumerator(MemoryTensors::placeholders, "placeholders",
               "tensors of a weight's shape that products leave which add dW into the gradient buffer themselves"),
    Enumerator(MemoryTensors::pipeline_results, "pipeline-results",
               "logits of all micro-batches on the last stage of a pipeline"),
    Enumerator(MemoryTensors::keys, "keys", "keys and values that several heads share"),
    Enumerator(MemoryTensors::inputs, "inputs", "inputs that a strategy would gather again in backward"),
    Enumerator(MemoryTensors::logits, "logits",
               "gather: those of all ranks that share the vocabulary of a loss; cast: what a loss keeps, in place of "
               "probabilities in fp32; free: in chunks as large as the input of the product that writes them, with "
               "gradients of its input and weights kept from forward on"),
    Enumerator(MemoryTensors::loss_inputs, "loss-inputs", "logits as their product wrote them, until backward begins"),
    Enumerator(MemoryTensors::loss_temporaries, "loss-temporaries",
               "`element` bytes a logit while backward begins, of one of `chunks`"),
    Enumerator(MemoryTensors::split_loss_temporaries, "split-loss-temporaries",
               "the same where ranks share the vocabulary"),
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
               "`element` bytes an element of the shard while it is updated"),
    Enumerator(MemoryTensors::messages, "messages",
               "of collectives between layers in forward, reserved until the device has sent them")};
constexpr const auto& enumerators(MemoryTensors /*type*/) { return kMemoryTensorsTable; }
constexpr bool is_of_layers(MemoryTensors tensors) { return tensors <= MemoryTensors::split_loss_temporaries; }

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
    std::int64_t chunks = 1;        ///< of temporaries of a loss
    std::string source = {};        ///< empty: that of the profile
    bool operator==(const MemoryRule&) const = default;
};

/// A part of a network that software can run again in backward, by the name of its setting: layers that match one of
/// `layers`, of blocks that have a layer that matches one of `with`.
struct RecomputeModule {
    std::string name;
    std::vector<Match> layers;
    std::vector<Match> with;  ///< empty: of all blocks
    bool operator==(const RecomputeModule&) const = default;
};

struct MemoryProfile {
    std::string name;    ///< empty: neutral
    std::string source;  ///< of all its values
    std::string summary;

    std::vector<MemoryRule> rules;
    std::vector<RecomputeModule> recompute_modules;  ///< those of one name are one module
    /// Modules that a search tries, with blanks between them: the first of these lists of which the network has each.
    std::vector<std::string> recomputed_together;
    Bytes reduction_bucket;    ///< size of a bucket of flattened gradients
    Bytes workspace;           ///< workspaces of libraries, from the allocator
    Bytes communicator;        ///< buffers of one communicator, not from the allocator
    double fragmentation = 0;  ///< reserved but unused memory over tensors that come and go in a step
    /// The same where whole blocks are recomputed: what is kept of each lies among what is freed, and the tensors of its
    /// repetition find other gaps. Counts if larger than `fragmentation`.
    double recomputed_fragmentation = 0;
    /// Where lengths vary (Plan::lengths_vary): segments of shorter samples that are kept, over the same, as far as memory
    /// is left for them.
    double varied_fragmentation = 0;

    /// Puts rules before its own, so that they count first.
    void prepend(const std::vector<MemoryRule>& more) { rules.insert(rules.begin(), more.begin(), more.end()); }
    /// The first such rule; null if there is none.
    [[nodiscard]] const MemoryRule* rule(MemoryAction action, MemoryTensors tensors) const;
    [[nodiscard]] bool has(MemoryAction action, MemoryTensors tensors) const {
        return rule(action, tensors) != nullptr;
    }

    bool operator==(const MemoryProfile&) const = default;
};

}  // namespace dodona::plan
