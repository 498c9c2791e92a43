#include "files/memory_profile_file.hpp"

#include "files/description_keys.hpp"
#include "files/read_description.hpp"

namespace dodona::files {

using plan::MemoryProfile;

template <>
const Description& description<MemoryProfile>() {
    static const Description described{
        .noun = "memory profile",
        .summary =
            "What the software of one generation keeps on a device beside the tensors of the model. A key that is "
            "left out adds nothing. Equations and sources: oracle/plan/memory_profile.hpp.",
        .keys =
            {file_name<&MemoryProfile::name>("memory"),
             file_source<&MemoryProfile::source>(),
             optional<&MemoryProfile::summary>("summary", "One line for lists."),
             optional<&MemoryProfile::loss>("loss", "What a loss keeps of its logits."),
             optional<&MemoryProfile::gradient_placeholders>(
                 "gradient_placeholders",
                 "Products that add dW into the gradient buffer themselves leave a tensor of the weight's shape, "
                 "in its "
                 "precision."),
             optional<&MemoryProfile::quantised_inputs>(
                 "quantised_inputs", "What only dW reads is kept in the precision of the products: fp8, mxfp8, nvfp4."),
             optional<&MemoryProfile::gate_results>(
                 "gate_results",
                 "Gated activations keep the result of their function beside what they read, as software does that "
                 "runs operators one by one."),
             optional<&MemoryProfile::repeated_keys>(
                 "repeated_keys", "Attention keeps keys and values that heads share once for each head."),
             optional<&MemoryProfile::norm_results>(
                 "norm_results",
                 "Norms by root mean square keep their normalised result, and an fp32 copy of an input in 16 bits."),
             optional<&MemoryProfile::autocast>(
                 "autocast",
                 "With master weights in fp32, products read 16-bit copies of their inputs, each its own, and results "
                 "of norms, embeddings and sums with them are in fp32."),
             optional<&MemoryProfile::gradients_freed>(
                 "gradients_freed",
                 "Gradients are there from the first backward pass of a step to its update only. Counts with one "
                 "pass where no two devices hold the same gradients: there they come as activations go."),
             optional<&MemoryProfile::cast_gathered>(
                 "cast_gathered",
                 "Trained weights that ZeRO-3 shards are in fp32 alone, and cast where they are gathered."),
             optional<&MemoryProfile::gathered_inputs>(
                 "gathered_inputs",
                 "Inputs that a strategy would gather again in backward are kept gathered instead of in shards."),
             optional<&MemoryProfile::pipeline_results>(
                 "pipeline_results",
                 "The last stage of a pipeline keeps its logits of all micro-batches to the end of the step."),
             optional<&MemoryProfile::quantised_gates>(
                 "quantised_gates",
                 "What gated activations of blocks read is kept in the precision of the products too."),
             optional<&MemoryProfile::shared_input>(
                 "shared_input",
                 "An element of what a product of a block in 8 bits or less and another layer keep: it is kept "
                 "once, in this size. Without it, twice.",
                 {.range = kNotNegative}),
             optional<&MemoryProfile::gradient_copies>(
                 "gradient_copies",
                 "Gradients in the precision of the weights stay beside a wider buffer, into which they are cast."),
             optional<&MemoryProfile::update_copies>("update_copies",
                                                     "An update casts its shard of 16-bit gradients to fp32."),
             optional<&MemoryProfile::gradients_with_states>(
                 "gradients_with_states",
                 "Where optimizer states are offloaded gradients are too: they are added up in host memory."),
             optional<&MemoryProfile::reduction_bucket>(
                 "reduction_bucket", "Gradients that are flattened for one reduction.", {.range = kNotNegative}),
             optional<&MemoryProfile::workspace>("workspace", "Of libraries, taken from the allocator.",
                                                 {.range = kNotNegative}),
             optional<&MemoryProfile::communicator>("communicator",
                                                    "Buffers of each communicator, not taken from the allocator.",
                                                    {.range = kNotNegative}),
             optional<&MemoryProfile::fragmentation>(
                 "fragmentation",
                 "What the allocator has reserved and cannot use, over tensors that come and go in a step: "
                 "activations, workspace and buffers.",
                 {.range = kShare}),
             optional<&MemoryProfile::recomputed_fragmentation>(
                 "recomputed_fragmentation",
                 "The same where whole blocks are recomputed. Counts if larger than `fragmentation`.",
                 {.range = kShare})},
        .file_kind = "memory",
        .defaults = default_of<MemoryProfile>};
    return described;
}

MemoryProfile read_memory_profile(Document document) { return read_file<MemoryProfile>(std::move(document)); }

}  // namespace dodona::files
