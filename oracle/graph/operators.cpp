#include "graph/operators.hpp"

#include <algorithm>
#include <array>

#include "base/ranges.hpp"
#include "graph/operators/builders.hpp"

namespace dodona::graph {

namespace {

constexpr std::size_t kMany = 10'000;

constexpr std::array kKinds{
    OperatorKind{"conv", build_conv, 1, 1, "convolution in one, two or three dimensions",
                 "`filters`, `kernel`, `stride` = 1, `pad` = 0, `dilation` = 1, `groups` = 1, `bias` = true; of each "
                 "dimension one number or a list",
                 "batch, group, channel, filter; depth, height, width or length", Element::activation,
                 Autocast::narrow},
    OperatorKind{"conv_transpose", build_conv_transpose, 1, 1, "transposed convolution: a window of outputs an input",
                 "`filters`, `kernel`, `stride` = 1, `pad` = 0, `output_pad` = 0, `groups` = 1, `bias` = true",
                 "as of conv; positions are those of the input", Element::activation, Autocast::narrow},
    OperatorKind{"linear", build_linear, 1, 1, "product with a weight matrix along the last dimension",
                 "`out`, `bias` = true, `tied`: the layer whose weight it shares; `unit` = 1, `in_unit` = 1: shards of "
                 "the output or input are multiples of it (the size of a head); `replicates` = false: more ways than "
                 "units replicate them",
                 "the leading dimensions, in_feature, out_feature", Element::activation, Autocast::narrow},
    OperatorKind{"grouped_linear", build_grouped_linear, 1, 1, "product with a block-diagonal matrix",
                 "`groups`, `out`, `bias` = true", "batch, sequence, group", Element::activation, Autocast::narrow},
    OperatorKind{"batched_matmul", build_batched_matmul, 2, 2, "product of two tensors, sample by sample",
                 "`transposed` = false. Inputs (batch, ..., rows, inner) and (batch, ..., inner, columns), or the "
                 "second as (..., columns, inner) if transposed",
                 "the leading dimensions, query (rows), key, in_feature or out_feature", Element::activation,
                 Autocast::narrow},
    OperatorKind{"lstm", build_lstm, 1, 1, "long short-term memory, layers deep",
                 "`hidden`, `layers` = 1, `bidirectional` = false, `bias` = true",
                 "batch, sequence and in_feature (neither can be split), hidden", Element::activation,
                 Autocast::narrow},
    OperatorKind{"gru", build_gru, 1, 1, "gated recurrent units, layers deep", "as of lstm", "as of lstm",
                 Element::activation, Autocast::narrow},
    OperatorKind{"rnn", build_rnn, 1, 1, "recurrent layers without gates", "as of lstm", "as of lstm",
                 Element::activation, Autocast::narrow},
    OperatorKind{
        "attention", build_attention, 1, 7, "scaled dot-product attention",
        "`heads`, `kv_heads` = heads, `causal` = false, `implementation` = fused (or materialised), `dropout` "
        "= false, `window` = 0: keys that a query sees, `documents` = 1: equal ones packed into a sequence, "
        "`relative` = false: learned scores of positions (materialised only), `distances` = 0: buckets of "
        "distances, each with a learned score a head (materialised only), `tied_distances` = false: those of "
        "an earlier layer, `disentangled` = 0: rows of distances, whose products with queries and keys are added "
        "(materialised only), `grid` = 0: learned positions along height and width of a square with such a side (fused "
        "only), `sinks` = "
        "false: a learned score for each head, `index_heads` = 0: of an "
        "indexer that chooses the keys of the window. Inputs: one fused tensor with "
        "(heads + 2 kv_heads) x head size features; or "
        "queries, keys, values; or with them the part of the keys that all heads share; then the queries, the key "
        "and the weights of the indexer",
        "batch, head, query, key (or sequence, of a fused input)", Element::activation, Autocast::narrow},
    OperatorKind{"additive_attention", build_additive_attention, 3, 3,
                 "attention with a learned score of the sum of query and key", "Inputs: queries, keys, values",
                 "batch, query, key and score_feature (neither can be split), feature", Element::activation,
                 Autocast::narrow},
    OperatorKind{
        "gated_delta", build_gated_delta, 4, 6, "the gated delta rule: linear attention in chunks of positions",
        "`heads`, `key_heads` = heads, `chunk` = 64. Inputs: queries, keys, values, and two gates a head; or a "
        "decay of each feature of the keys and a step a head (KDA); or the decays and the two factors of what is "
        "removed from the state, each as the keys (RWKV-7)",
        "batch, sequence (cannot be split), head", Element::activation, Autocast::narrow},
    OperatorKind{
        "linear_attention", build_linear_attention, 3, 4,
        "linear attention with a decaying state, in chunks: Mamba-2's state-space layer, lightning attention",
        "`heads`, `key_heads` = heads, `chunk` = 256, `learned` = 0: numbers a head. Inputs: queries (C), keys "
        "(B), values (x), and gates (dt), as many for each head",
        "batch, sequence (cannot be split), head", Element::activation, Autocast::narrow},
    OperatorKind{"selective_scan", build_selective_scan, 4, 4, "the state-space layer of Mamba's first version",
                 "Inputs: x, its time steps, B, C", "batch, sequence (cannot be split), feature", Element::activation,
                 Autocast::single},
    OperatorKind{"gated_recurrence", build_gated_recurrence, 3, 3, "Griffin's recurrence: a state of each feature",
                 "Inputs: x, the gate of the recurrence and that of the input",
                 "batch, sequence (cannot be split), feature", Element::activation, Autocast::single},
    OperatorKind{"token_shift", build_token_shift, 1, 1, "each token mixed with the one before it", "",
                 "batch, sequence (cannot be split), feature"},
    OperatorKind{"short_conv", build_short_conv, 1, 1, "causal convolution of each feature over a sequence",
                 "`kernel`, `bias` = false, `activation` = silu (or none)",
                 "batch, sequence (cannot be split), feature", Element::activation, Autocast::narrow},
    OperatorKind{"batch_norm", build_batch_norm, 1, 1, "normalisation of each channel over the batch",
                 "`synchronised` = false", "batch, channel, positions of the image"},
    OperatorKind{"layer_norm", build_layer_norm, 1, 1, "normalisation of each token over its features",
                 "`bias` = true, `scale` = true: without, nothing is learnt, `size`: each run of so many features by "
                 "itself, with one scale for all; `shared` = true: false, one for each feature",
                 "the leading dimensions, feature", Element::activation, Autocast::single},
    OperatorKind{"rms_norm", build_rms_norm, 1, 1, "normalisation by the root mean square of the features",
                 "`scale`, `size`, `shared`, as of layer_norm", "the leading dimensions, feature", Element::activation,
                 Autocast::single},
    OperatorKind{"layer_scale", build_layer_scale, 1, 1, "a learned factor of each feature",
                 "`shared` = false: one factor of all", "the leading dimensions, feature"},
    OperatorKind{"group_norm", build_group_norm, 1, 1, "normalisation of each sample over groups of channels",
                 "`groups`, `affine` = true", "batch, group, channel, positions of the image", Element::activation,
                 Autocast::single},
    OperatorKind{"instance_norm", build_instance_norm, 1, 1, "normalisation of each sample's channels",
                 "`affine` = false", "batch, group, channel, positions of the image"},
    OperatorKind{"local_response_norm", build_local_response_norm, 1, 1, "normalisation over neighbouring channels",
                 "`size`", "batch, channel, positions of the image"},
    OperatorKind{"relu", build_relu, 1, 1, "max(x, 0)", "", "those of its input"},
    OperatorKind{"gelu", build_gelu, 1, 1, "Gaussian error linear unit",
                 "`form` = erf (or tanh, as GPT-2's, which software may write out)", "those of its input"},
    OperatorKind{"silu", build_silu, 1, 1, "sigmoid linear unit", "", "those of its input"},
    OperatorKind{"sigmoid", build_sigmoid, 1, 1, "logistic function", "", "those of its input"},
    OperatorKind{"tanh", build_tanh, 1, 1, "hyperbolic tangent", "", "those of its input"},
    OperatorKind{"leaky_relu", build_leaky_relu, 1, 1, "max(x, slope * x)", "", "those of its input"},
    OperatorKind{"relu_squared", build_relu_squared, 1, 1, "max(x, 0) squared", "", "those of its input"},
    OperatorKind{"xielu", build_xielu, 1, 1, "expanded integral of ELU, with two learned numbers", "",
                 "those of its input"},
    OperatorKind{"gated", build_gated, 2, 2, "activation(gate) * up",
                 "`activation` = silu (or gelu, relu, sigmoid). Inputs: gate, up", "those of its input"},
    OperatorKind{"multiply", build_multiply, 2, 2,
                 "product of two tensors, of an image and a scale a channel, or of tokens and a gate a token or head",
                 "", "those of its input"},
    OperatorKind{"modulate", build_modulate, 2, 2,
                 "tokens scaled and shifted by numbers of their sample: x * (1 + scale) + shift, or x * gate",
                 "`shift` = true, `learned` = false: a table that is added to the numbers. Inputs: tokens; a vector of "
                 "each sample, of which the layer takes its part",
                 "batch, sequence, feature (cannot be split)"},
    OperatorKind{"add", build_add, 2, kMany, "sum of tensors of one shape, or of an image and a number a channel", "",
                 "those of its input"},
    OperatorKind{"concat", build_concat, 2, kMany, "concatenation along one dimension",
                 "`along`: a dimension; by default the channels of images, else the last one", "those of its input"},
    OperatorKind{"join", build_join, 2, kMany, "tensors without order side by side, each shard those of all of them",
                 "`along` = sequence, `copied` = true: false if they stay where they are", "those of its input"},
    OperatorKind{"narrow", build_narrow, 1, 1, "one of the tensors that were joined",
                 "`along` = sequence, `size`, `start` = 0, `copied` = true", "those of its input"},
    OperatorKind{"mix_streams", build_mix_streams, 2, 2,
                 "sums of streams, which are side by side as features, with factors of each token",
                 "`streams`. Inputs: the streams; for each token a factor of each of them for each sum",
                 "batch, sequence, feature (cannot be split)"},
    OperatorKind{"max_pool", build_max_pool, 1, 1, "maximum under a sliding window",
                 "`kernel`, `stride` = kernel, `pad` = 0, `ceil` = false", "batch, channel, positions of the image"},
    OperatorKind{"average_pool", build_average_pool, 1, 1, "mean under a sliding window", "as of max_pool",
                 "as of max_pool"},
    OperatorKind{"global_pool", build_global_pool, 1, 1, "mean over a whole image", "",
                 "batch, channel, positions of the image"},
    OperatorKind{"flatten", build_flatten, 1, 1, "all dimensions beside the batch become one", "", "batch, feature"},
    OperatorKind{"slice", build_slice, 1, 1, "the first positions of one dimension", "`along`, `size`",
                 "those of its input; the one that is cut cannot be split"},
    OperatorKind{"pad_tokens", build_pad_tokens, 1, 1, "zeros after a sequence", "`size`: of the longer one",
                 "batch, sequence (cannot be split), feature"},
    OperatorKind{"crop", build_crop, 1, 1, "a smaller image out of an image", "`height`, `width`, ...",
                 "those of its input; those that are cut cannot be split"},
    OperatorKind{
        "to_sequence", build_to_sequence, 1, 1, "positions of an image become tokens",
        "`features` = channels; or `along`: the dimension that becomes the sequence, the others become features",
        "batch, sequence, feature"},
    OperatorKind{"to_image", build_to_image, 1, 1, "tokens become positions of an image", "`height`, `width`",
                 "batch, sequence (cannot be split), feature"},
    OperatorKind{"upsample", build_upsample, 1, 1, "a larger image: each position repeated", "`factor` = 2",
                 "those of its input"},
    OperatorKind{"merge_tokens", build_merge_tokens, 1, 1, "neighbouring tokens become one, with all their features",
                 "`count`, `mean` = false: their mean instead", "batch, sequence (cannot be split), feature"},
    OperatorKind{"compress_tokens", build_compress_tokens, 2, 2,
                 "runs of tokens become one each, weighted by a softmax of gates over the run",
                 "`count`, `overlap` = false: half of the features is of the run before. Inputs: tokens, their gates",
                 "batch, sequence (cannot be split), feature (cannot be split with overlap)"},
    OperatorKind{"prepend_tokens", build_prepend_tokens, 1, 1, "learned tokens before a sequence",
                 "`count` = 1, `documents` = 1: before each of so many equal parts", "batch, sequence, feature"},
    OperatorKind{"recall", build_recall, 1, 1, "states of the segment before, put before a sequence", "`positions`",
                 "batch, sequence (cannot be split), feature"},
    OperatorKind{"dropout", build_dropout, 1, 1, "random zeroes", "`active` = true", "those of its input"},
    OperatorKind{"softmax", build_softmax, 1, 1, "softmax over the last dimension", "", "those of its input",
                 Element::activation, Autocast::single},
    OperatorKind{"cross_entropy", build_cross_entropy, 1, 1, "loss of logits against one class a token or pixel", "",
                 "batch, sequence or positions of the image, class", Element::activation, Autocast::single},
    OperatorKind{"adaptive_softmax", build_adaptive_softmax, 1, 1, "head and loss over a vocabulary in clusters",
                 "`vocabulary`, `cutoffs`: a list, `divide` = 1, `tail_percent`: a list, the share of tokens in each "
                 "cluster after the head, `tied`, `bias` = false",
                 "batch, sequence, class", Element::activation, Autocast::single},
    OperatorKind{"ctc_loss", build_ctc_loss, 1, 1, "loss of all alignments of frames with labels", "`labels`",
                 "batch, sequence and class (neither can be split)", Element::activation, Autocast::single},
    OperatorKind{"contrastive_loss", build_contrastive_loss, 2, 2,
                 "loss of pairs, each image against all texts of the micro-batch and each text against all images",
                 "`sigmoid` = false: each pair by itself, as SigLIP's", "batch, feature (cannot be split)",
                 Element::activation, Autocast::single},
    OperatorKind{"mean_squared_error", build_mean_squared_error, 2, 2, "squared distance from a target", "",
                 "those of its input", Element::activation, Autocast::single},
    OperatorKind{"l1_error", build_l1_error, 2, 2, "absolute distance from a target, smooth near zero", "",
                 "those of its input", Element::activation, Autocast::single},
    OperatorKind{"embedding", build_embedding, 1, 1, "look-up of ids in a table", "`vocabulary`, `features`, `tied`",
                 "batch, sequence, vocabulary, feature", Element::index, Autocast::single},
    OperatorKind{
        "embedding_bag", build_embedding_bag, 1, 1, "sums of look-ups in many tables",
        "`rows`: a number for all tables or a list, one for each; `features`; `gradient` = sparse or whole; `tables` "
        "and `lookups` are those of the ids",
        "batch, table, lookup, row, feature", Element::index, Autocast::single},
    OperatorKind{"interaction", build_interaction, 2, 2, "dot products of a dense vector and those of tables",
                 "`self` = false, `fused` = 0 (1: one kernel a pass). Inputs: dense (batch, feature), tables (batch, "
                 "table, feature)",
                 "batch, table, feature", Element::activation, Autocast::narrow},
    OperatorKind{"position_embedding", build_position_embedding, 1, 1, "adds a learned table of positions",
                 "`positions`, `documents` = 1: equal parts, each of which has them from the first on, `run` = 1: "
                 "neighbouring tokens of one position",
                 "batch, sequence, feature", Element::activation, Autocast::single},
    OperatorKind{"rotary", build_rotary, 1, 1, "rotary positions", "", "those of its input"},
    OperatorKind{"router", build_router, 1, 1, "scores of each token for each expert, and the best of them",
                 "`experts`, `bias` = false", "batch, sequence, expert"},
    OperatorKind{"dispatch", build_dispatch, 2, 2, "copies of each token for its experts",
                 "`top_k`, `capacity` = 0: tokens are padded or dropped to it (0: neither), `imbalance` = 1: the "
                 "fullest rank over the mean, `groups` = 1 of experts, of which a token's are in `top_groups`. Inputs: "
                 "tokens, router",
                 "batch, sequence, expert, feature"},
    OperatorKind{"expert_linear", build_expert_linear, 1, 1, "a product with each expert's own weight matrix",
                 "`out`, `bias` = false", "batch, sequence, expert, in_feature, out_feature", Element::activation,
                 Autocast::narrow},
    OperatorKind{"combine", build_combine, 2, 2, "weighted sum of what a token's experts return",
                 "Inputs: the output of the experts, router", "batch, sequence, expert, feature"},
};

}  // namespace

std::span<const OperatorKind> operator_kinds() { return kKinds; }

const OperatorKind* find_operator(std::string_view name) { return found_in(kKinds, &OperatorKind::name, name); }

const std::vector<std::string>& operator_names() {
    static const std::vector<std::string> names = [] {
        auto all = mapped<std::string>(kKinds, &OperatorKind::name);
        std::sort(all.begin(), all.end());
        return all;
    }();
    return names;
}

const std::vector<std::string>& loop_names() {
    static const std::vector<std::string> names{"batch", "group",  "channel",  "filter",     "depth",       "height",
                                                "width", "length", "sequence", "in_feature", "out_feature", "feature",
                                                "head",  "query",  "key",      "vocabulary", "class",       "hidden",
                                                "table", "lookup", "row",      "expert"};
    return names;
}

}  // namespace dodona::graph
